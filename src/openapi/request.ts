// The parameters and body of an operation.

import { queryArguments } from '../action/question/parameter/argument.ts'
import { groupOrder, groups } from '../action/question/parameter/groups.ts'
import { narrowing } from '../action/question/parameter/narrowing.ts'
import type { Described } from '../action/question/parameter/parameter.ts'
import { search } from '../action/question/parameter/search.ts'
import { sort } from '../action/question/parameter/sort.ts'
import { zone } from '../action/question/parameter/time-zone.ts'
import { where } from '../action/question/parameter/where.ts'
import { conditionMax } from '../action/question/write-selection.ts'
import { invariant } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { manyUpsertKeys, tenantOf } from '../resource/model/key.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { words } from '../resource/naming/casing.ts'
import { listName } from '../rest/query/body.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import type { DocumentContext } from './document-context.ts'
import { inputName, schemaReference, upsertName } from './name.ts'
import {
  describedParameters,
  fieldsParameter,
  idParameter,
  keyParameters,
  type Parameter,
  type Reference,
  sharedParameter,
  upsertParameters,
  written,
} from './parameter.ts'
import { inputExample, inputProperties, objectSchema } from './schema.ts'

const conditions = narrowing.filter((kind) => kind !== search)
const preconditions = ['If-Match', 'If-None-Match']

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
  { kind, resource, action, within, key, version, isInOwnTenant }: ResourceEndpoint,
  { account, idFor, naming }: DocumentContext,
): readonly Parameter[] {
  const addressed = within?.holder ?? resource
  if (key !== undefined) {
    const tenant = isInOwnTenant === true ? null : tenantOf(addressed, key)
    const of = tenant === null ? [] : [idParameter(tenant, account, idFor(tenant.read))]
    return [...of, ...keyParameters(addressed, key, version.vocabulary, naming)]
  }
  if (within !== null) return [idParameter(within.holder, account, idFor(within.holder.read))]
  const isOfOne = ['record', 'replace', 'update', 'delete', 'move'].includes(kind)
  return isOfOne ? [idParameter(resource, account, idFor(action))] : []
}

function ownParameters(
  { kind, resource, version, query, within }: ResourceEndpoint,
  limits: Limits,
): readonly (Parameter | Reference)[] {
  const { vocabulary } = version
  const subject = { resource, query, of: within?.relation }
  const described = (kinds: readonly Described[]) => describedParameters(kinds, subject, vocabulary, limits)
  const keys = ['X-Idempotency-Key', 'Idempotency-Key']
  switch (kind) {
    case 'list':
      return [
        ...described([queryArguments]),
        ...['page', 'per_page', 'limit', 'cursor'].map(sharedParameter),
        ...described([search, sort]),
        fieldsParameter(resource, vocabulary),
        ...described(conditions),
        sharedParameter('If-None-Match'),
      ]
    case 'summary':
      return [
        ...described([groups, zone, groupOrder]),
        ...['limit', 'cursor'].map(sharedParameter),
        ...described([search, ...conditions]),
        sharedParameter('If-None-Match'),
      ]
    case 'record':
      return [fieldsParameter(resource, vocabulary), sharedParameter('If-None-Match')]
    case 'createMany':
      return [...upsertParameters(resource, vocabulary), ...keys.map(sharedParameter)]
    case 'create':
    case 'collection':
      return keys.map(sharedParameter)
    case 'move':
      return [...keys, ...preconditions].map(sharedParameter)
    case 'upsert':
    case 'replace':
    case 'update':
    case 'delete':
      return preconditions.map(sharedParameter)
    case 'updateMany':
      return bulkParameters(resource, vocabulary, limits)
    case 'deleteMany':
      return [idsParameter(resource, limits), ...bulkParameters(resource, vocabulary, limits)]
    case 'moveMany':
      return [dryRunParameter, ...keys.map(sharedParameter)]
  }
}

/** Null for reads, and for deletes, whose body OpenAPI leaves undefined. */
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
      const isNeeded = action.sent.some(({ initial }) => initial === undefined)
      return content(schemaReference(inputName(operation)), example('complete'), isNeeded)
    }
    case 'moveMany': {
      const input =
        action.sent.length === 0
          ? { ...objectSchema({}, []), description: 'It takes nothing.' }
          : {
              ...schemaReference(inputName({ ...operation, kind: 'move' })),
              description: 'What it takes, alike for each.',
            }
      const ids = idsOf(resource, limits)
      const isNeeded = action.sent.some(({ initial }) => initial === undefined)
      const of = { ids, where: whereText(resource, vocabulary, limits), input }
      const whole = { ...objectSchema(of, isNeeded ? ['input'] : []), minProperties: 1 }
      return content(whole, { ids: [idFor(action)], ...(isNeeded ? { input: example('complete') } : {}) }, true)
    }
    case 'createMany': {
      const name = listName(resource)
      const list = {
        ...listOf(limits.batch),
        items: newItems(operation),
        description: `The new ${words(resource.plural)}.`,
      }
      return content(objectSchema({ [name]: list }, [name]), { [name]: [example('complete')] }, true)
    }
    case 'updateMany': {
      const ids = idsOf(resource, limits)
      const ofOne = { ids: [idFor(action)], ...example('partial') }
      // A condition replaces the ids.
      const isNeeded = resource.where === null
      const schema = objectSchema({ ids, ...inputProperties(action, 'partial', vocabulary) }, isNeeded ? ['ids'] : [])
      return content({ ...schema, minProperties: isNeeded ? 2 : 1 }, ofOne, true)
    }
  }
}

/** With `by`, inputs of upserts. (contract 11.2.26) */
function newItems(operation: ResourceEndpoint): JsonSchema {
  const created = schemaReference(inputName(operation))
  const { resource } = operation
  return manyUpsertKeys(resource).length === 0 ? created : { anyOf: [created, schemaReference(upsertName(resource))] }
}

const idsOf = ({ plural }: ResourceModel, { batch }: Limits): JsonSchema => ({
  ...listOf(batch),
  uniqueItems: true,
  items: { type: 'string', maxLength: 64 },
  description: `The ids of the ${words(plural)}.`,
})
const listOf = (maxItems: number) => ({ type: 'array', minItems: 1, maxItems })

const content = (schema: JsonSchema, example: object, required: boolean): object => ({
  required,
  content: { 'application/json': { schema, example } },
})

// Selection of the records of a bulk write. (contract 13.7)

/** A condition in a body. */
function whereText(resource: ResourceModel, vocabulary: Vocabulary, limits: Limits): JsonSchema {
  const [text] = where.describe({ resource }, 'text', vocabulary)
  invariant(text !== undefined, 'only what takes conditions describes them')
  return { ...written(text.type(), vocabulary, limits).schema, description: text.about() }
}

/** Empty if lists have no conditions. (contract 13.7) */
function bulkParameters(resource: ResourceModel, vocabulary: Vocabulary, limits: Limits): readonly Parameter[] {
  if (resource.where === null) return []
  return [...describedParameters([where], { resource }, vocabulary, limits), dryRunParameter]
}

/** The limit of a write by condition; empty if it accepts none. (contract 13.7.5) */
export function recordsMax({ kind, resource, action }: ResourceEndpoint, limits: Limits): object {
  const takesCondition = ['updateMany', 'deleteMany', 'moveMany'].includes(kind) && resource.where !== null
  return takesCondition ? { 'x-records-max': conditionMax([action], limits) } : {}
}

const dryRunParameter: Parameter = {
  name: 'dry_run',
  in: 'query',
  description: 'Checks everything, stores nothing, and answers how many records it would write.',
  schema: { type: 'boolean', default: false },
}

const idsParameter = ({ plural }: ResourceModel, { batch }: Limits): Parameter => ({
  name: 'ids',
  in: 'query',
  description: `The ids of the ${words(plural)}, with commas between, in place of \`where\`; ${batch} at most.`,
  schema: { type: 'string', minLength: 1, maxLength: batch * 65 },
})
