// What an operation takes: its parameters and its body.

import type { Limits } from '../../limits.ts'
import type { JsonSchema } from '../../resource/field/field.ts'
import { tenantOf } from '../../resource/model/key.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { words } from '../../resource/naming/casing.ts'
import { listName } from '../body.ts'
import type { ResourceEndpoint } from '../routes.ts'
import type { DocumentContext } from './document-context.ts'
import { inputName, schemaReference } from './name.ts'
import {
  argumentParameters,
  fieldsParameter,
  filterParameters,
  idParameter,
  keyParameters,
  type Parameter,
  type Reference,
  searchParameters,
  sharedParameter,
  sortParameter,
} from './parameter.ts'
import { inputExample, inputProperties, objectSchema } from './schema.ts'
import { summaryOnlyParameters } from './summary.ts'
import { bulkParameters, dryRunParameter, idsParameter, whereParameters, whereText } from './where.ts'

export function parametersOf(
  operation: ResourceEndpoint,
  context: DocumentContext,
): readonly (Parameter | Reference)[] {
  const always = context.takesCodes ? ['X-Access-Code', 'X-Request-ID'] : ['X-Request-ID']
  return [
    ...pathParameters(operation, context),
    ...ownParameters(operation, context.limits),
    ...always.map(sharedParameter),
  ]
}

function pathParameters(
  { kind, resource, action, within, key, version }: ResourceEndpoint,
  { account, idFor, naming }: DocumentContext,
): readonly Parameter[] {
  if (within !== null) return [idParameter(within.holder, account, idFor(within.holder.read))]
  if (key !== undefined) {
    const tenant = tenantOf(resource, key)
    const of = tenant === null ? [] : [idParameter(tenant, account, idFor(tenant.read))]
    return [...of, ...keyParameters(resource, key, version.vocabulary, naming)]
  }
  const isOfOne = ['record', 'replace', 'update', 'delete', 'move'].includes(kind)
  return isOfOne ? [idParameter(resource, account, idFor(action))] : []
}

function ownParameters(
  { kind, resource, version, query }: ResourceEndpoint,
  limits: Limits,
): readonly (Parameter | Reference)[] {
  const { vocabulary } = version
  const keys = ['X-Idempotency-Key', 'Idempotency-Key']
  switch (kind) {
    case 'list':
      return [
        ...(query === undefined ? [] : argumentParameters(query, vocabulary)),
        ...['page', 'per_page', 'limit', 'cursor'].map(sharedParameter),
        ...searchParameters(resource, vocabulary, limits),
        sortParameter(resource, vocabulary),
        fieldsParameter(resource, vocabulary),
        ...filterParameters(resource, vocabulary),
        ...whereParameters(resource, vocabulary, limits),
        sharedParameter('If-None-Match'),
      ]
    case 'summary':
      return [
        ...summaryOnlyParameters(resource, vocabulary, limits),
        ...['limit', 'cursor'].map(sharedParameter),
        ...searchParameters(resource, vocabulary, limits),
        ...filterParameters(resource, vocabulary),
        ...whereParameters(resource, vocabulary, limits),
        sharedParameter('If-None-Match'),
      ]
    case 'record':
      return [fieldsParameter(resource, vocabulary), sharedParameter('If-None-Match')]
    case 'create':
    case 'createMany':
    case 'collection':
      return keys.map(sharedParameter)
    case 'move':
      return [...keys, 'If-Match'].map(sharedParameter)
    case 'upsert':
    case 'replace':
    case 'update':
    case 'delete':
      return [sharedParameter('If-Match')]
    case 'updateMany':
      return bulkParameters(resource, vocabulary, limits)
    case 'deleteMany':
      return [idsParameter(resource, limits), ...bulkParameters(resource, vocabulary, limits)]
    case 'moveMany':
      return [dryRunParameter, ...keys.map(sharedParameter)]
  }
}

/** Null where there is none: reading, and deleting, whose body OpenAPI gives no meaning. */
export function requestBody(operation: ResourceEndpoint, { limits, naming, idFor }: DocumentContext): object | null {
  const { kind, resource, action, version } = operation
  const { vocabulary } = version
  const example = (mode: 'complete' | 'partial') => inputExample(action, mode, vocabulary, naming)
  switch (kind) {
    case 'list':
    case 'summary':
    case 'record':
    case 'delete':
    case 'deleteMany':
      return null
    case 'create':
    case 'upsert':
    case 'replace':
      return content(schemaReference(inputName(operation)), example('complete'), true)
    case 'update':
      return content(schemaReference(inputName(operation)), example('partial'), true)
    case 'collection':
    case 'move': {
      const isNeeded = action.accept.some(({ initial }) => initial === undefined)
      return content(schemaReference(inputName(operation)), example('complete'), isNeeded)
    }
    case 'moveMany': {
      const input = takesNothing(action)
        ? { ...objectSchema({}, []), description: 'It takes nothing.' }
        : {
            ...schemaReference(inputName({ ...operation, kind: 'move' })),
            description: 'What it takes, alike for each.',
          }
      const ids = idsOf(resource, limits)
      const { schema, description } = whereText(resource, vocabulary, limits)
      const isNeeded = action.accept.some(({ initial }) => initial === undefined)
      const of = { ids, where: { ...schema, description }, input }
      const whole = { ...objectSchema(of, isNeeded ? ['input'] : []), minProperties: 1 }
      return content(whole, { ids: [idFor(action)], ...(isNeeded ? { input: example('complete') } : {}) }, true)
    }
    case 'createMany': {
      const name = listName(resource)
      const list = {
        ...listOf(limits.batch),
        items: schemaReference(inputName(operation)),
        description: `The new ${words(resource.plural)}.`,
      }
      return content(objectSchema({ [name]: list }, [name]), { [name]: [example('complete')] }, true)
    }
    case 'updateMany': {
      const ids = idsOf(resource, limits)
      const ofOne = { ids: [idFor(action)], ...example('partial') }
      // Where a condition says which records are meant, no ids are sent.
      const isNeeded = resource.where === null
      const schema = objectSchema({ ids, ...inputProperties(action, 'partial', vocabulary) }, isNeeded ? ['ids'] : [])
      return content({ ...schema, minProperties: isNeeded ? 2 : 1 }, ofOne, true)
    }
  }
}

const idsOf = ({ plural }: ResourceModel, { batch }: Limits): JsonSchema => ({
  ...listOf(batch),
  uniqueItems: true,
  items: { type: 'string', maxLength: 64 },
  description: `The ids of the ${words(plural)}.`,
})
const takesNothing = ({ accept }: ActionModel): boolean => accept.length === 0
const listOf = (maxItems: number) => ({ type: 'array', minItems: 1, maxItems })

const content = (schema: JsonSchema, example: object, required: boolean): object => ({
  required,
  content: { 'application/json': { schema, example } },
})
