// Describes who may use each REST route and GraphQL field. (contract 5.4)

import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql'
import { accessSentence } from '../../custom-route/access.ts'
import { definitionsOf, type RouteDefinition } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import { invariant } from '../../failure/failure.ts'
import { meaningOf } from '../../graphql/schema/meaning.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import { defaultLimits } from '../../limits.ts'
import { deletionSentences, moveText } from '../../resource/about.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import { manyUpsertKeys, ownColumns, upsertActions } from '../../resource/model/key.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { callerSentence, type NameOf, ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { asDefined, graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { authorAddresses } from '../../rest/custom-route/address.ts'
import { compileRoutes, type Endpoint, isOfVersion } from '../../rest/route/routes.ts'
import type { Version } from '../../rest/route/version.ts'
import { type ScheduleDefinition, scheduleText } from '../../time/schedule.ts'

export interface RouteAccess {
  readonly version: string
  readonly method: string
  /** `/api/v2/posts/{id}/publish`. */
  readonly path: string
  readonly access: string
}
export interface FieldAccess {
  /** `Query`, `Mutation`, `Post`. */
  readonly type: string
  readonly field: string
  readonly access: string
}

/** References that are null for readers who may not read their target, such as `Comment.author`. */
export const hideableFields = ({ resources }: Model) =>
  resources.flatMap(({ name, hideable }) =>
    hideable.map(({ field, target }) => ({ field: `${name}.${field}`, target: target.name })),
  )

/** What a delete takes along and what prevents it. */
export const deletions = ({ resources }: Model) =>
  resources.flatMap((resource) => {
    const effects = resource.actions.has('delete') ? deletionSentences(resource) : []
    return effects.length === 0 ? [] : [{ resource: resource.path, effects }]
  })

/** Moves made by the clock, and schedules. */
export const timedWork = ({ resources, unlisted }: Model, schedules: readonly ScheduleDefinition[]) => [
  ...[...resources, ...unlisted].flatMap(({ timedMoves }) =>
    timedMoves.map((move) => ({ name: move.name, when: moveText(move) })),
  ),
  ...schedules.map((schedule) => ({ name: schedule.name, when: scheduleText(schedule) })),
]

/** Every route, oldest version first, then custom ones. HEAD, the same as GET, is omitted. */
export function routeAccess(model: Model, own: readonly AuthorRoute[] = []): readonly RouteAccess[] {
  const { addresses, versions } = compileRoutes(model)
  const authored = authorAddresses(definitionsOf(own), versions)
  return [
    ...addresses.flatMap((address) => [...linesOf(address, accessOf), ...upsertLines(address)]),
    ...authored.flatMap((address) => linesOf(address, customAccess)),
  ]
}

interface AddressOf<Endpoint> {
  readonly version: Version
  readonly pattern: string
  readonly endpoints: ReadonlyMap<string, Endpoint>
}
const linesOf = <O>({ version, pattern, endpoints }: AddressOf<O>, access: (endpoint: O) => string): RouteAccess[] =>
  [...endpoints]
    .filter(([method]) => method !== 'HEAD' && method !== 'QUERY')
    .map(([method, endpoint]) => ({
      version: version.name,
      method,
      path: pattern,
      access: access(endpoint),
    }))

/** A batch by each key. (contract 11.2.26) */
function upsertLines({ version, pattern, endpoints }: AddressOf<Endpoint>): RouteAccess[] {
  const endpoint = endpoints.get('POST')
  if (endpoint?.kind !== 'createMany') return []
  const { resource } = endpoint
  const { vocabulary } = version
  return manyUpsertKeys(resource).map((key) => {
    const names = ownColumns(key).map(({ field }) => vocabulary.name(resource, field))
    const access = upsertAccess(upsertActions(resource, key)!, nameIn(version))
    return { version: version.name, method: 'POST', path: `${pattern}?by=${names.join()}`, access }
  })
}

const customAccess = ({ access, signed }: RouteDefinition): string =>
  `${accessSentence(access)}${signed === undefined ? '' : ', with a signed message'}`

const nameIn =
  ({ vocabulary }: Version): NameOf =>
  (of, field) =>
    of.relations.has(field) ? field : vocabulary.name(of, field)

function accessOf(endpoint: Endpoint): string {
  if (isOfVersion(endpoint))
    return endpoint.kind === 'eventStream' ? 'anyone; each event, readers of its record' : 'anyone'
  const { action, within, version, query } = endpoint
  const nameOf = nameIn(version)
  if (query !== undefined) return callerSentence(query, nameOf)
  if (endpoint.kind === 'upsert') return upsertAccess(upsertActions(endpoint.resource, endpoint.key!)!, nameOf)
  const sentence = actionAccess(action, nameOf)
  if (within === null || within.holder.isPublic) return sentence
  const { holder } = within
  return `${sentence}; only in ${holder.path} readable by ${ruleSentence(holder.read.allow, holder, nameOf)}`
}

const upsertAccess = ({ create, update }: NonNullable<ReturnType<typeof upsertActions>>, nameOf: NameOf): string =>
  `to create: ${actionAccess(create, nameOf)}; to replace: ${actionAccess(update, nameOf)}`

function actionAccess({ allow, accept, resource }: ActionModel, nameOf: NameOf): string {
  const fields = accept.flatMap(({ field }) => {
    const rule = resource.protect.get(field)?.write
    return rule === undefined ? [] : [`; to write ${nameOf(resource, field)}: ${ruleSentence(rule, resource, nameOf)}`]
  })
  return ruleSentence(allow, resource, nameOf) + fields.join('')
}

export function fieldAccess(model: Model, own: readonly AuthorRoute[] = []): readonly FieldAccess[] {
  const schema = makeSchema(model, graphqlVocabulary(), defaultLimits, definitionsOf(own))
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const names = [
    ...roots.flatMap((root) => (root == null ? [] : [root.name])),
    ...model.resources.map(({ name }) => name),
  ]
  return names.flatMap((name) => fieldsOf(name, schema, model))
}

function fieldsOf(name: string, schema: GraphQLSchema, model: Model): readonly FieldAccess[] {
  const type = schema.getType(name)
  invariant(isObjectType(type), `${name} is an object of the schema`)
  return Object.values(type.getFields()).map((field) => ({
    type: name,
    field: field.name,
    access: accessOfField(field, model.byName.get(name)),
  }))
}

export const asRecord = 'readers of the record'

function accessOfField(field: GraphQLField<unknown, unknown>, holder: ResourceModel | undefined): string {
  const meaning = meaningOf(field)
  invariant(meaning !== undefined, `the field ${field.name} of GraphQL means something, so that it has a rule`)
  const sentence = (rule: RuleNode, resource: ResourceModel) => ruleSentence(rule, resource, asDefined.name)
  switch (meaning.is) {
    case 'connection':
    case 'array':
      if (meaning.query !== undefined) return callerSentence(meaning.query, asDefined.name)
      return sentence(meaning.resource.read.allow, meaning.resource)
    case 'summary':
    case 'record':
    case 'result':
      return sentence(meaning.resource.read.allow, meaning.resource)
    case 'upsert':
    case 'upsertMany': {
      const [create, update] = ['create', 'update'].map((name) => meaning.resource.actions.get(name)!)
      return upsertAccess({ create: create!, update: update! }, asDefined.name)
    }
    case 'anything':
      return asRecord
    case 'me':
      return 'anyone who is signed in'
    case 'event':
      return sentence(meaning.event.resource.read.allow, meaning.event.resource)
    case 'write':
      return actionAccess(meaning.action, asDefined.name)
    case 'route':
      return accessSentence(meaning.route.access)
    case 'one':
    case 'list':
      return sentence(meaning.relation.target.read.allow, meaning.relation.target)
    case 'either': {
      const rules = meaning.branches.map(({ target }) => `${target.name}: ${sentence(target.read.allow, target)}`)
      return rules.join('; ')
    }
    case 'field': {
      const rule = holder?.protect.get(meaning.field.name)?.read
      return rule === undefined ? asRecord : sentence(rule, holder!)
    }
    case 'token':
      return 'the creator of the record, once'
    default:
      return asRecord
  }
}
