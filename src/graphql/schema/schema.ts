// Derives the types, queries and mutations of a service. No resolvers.

import {
  assertValidSchema,
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
  type GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLUnionType,
} from 'graphql'
import type { RouteDefinition } from '../../custom-route/definition.ts'
import type { Limits } from '../../limits.ts'
import { aboutAction, aboutDeletion, aboutEvent, aboutQuery } from '../../resource/about.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import { keyTitle, manyUpsertKeys, ownColumns, upsertKeys } from '../../resource/model/key.ts'
import {
  type ActionModel,
  type EventModel,
  type EventRelation,
  eventsOf,
  type Model,
  type QueryModel,
  type ResourceModel,
} from '../../resource/model/model.ts'
import { takesCondition } from '../../resource/model/rule/record-action.ts'
import { scopeSentence } from '../../resource/model/rule/rule-sentence.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, uncapitalised, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import { ArgumentTypes } from './argument-types.ts'
import { leaving } from './deprecation.ts'
import { type InputLimits, InputTypes } from './input-types.ts'
import { type Field, makeField } from './meaning.ts'
import { makeFailureType, type RecordTypeLimits, RecordTypes } from './record-types.ts'
import { routeFields } from './route-fields.ts'
import { exclusionsOf, sentenceOf } from './rule-description.ts'
import { makeJsonScalar } from './scalar.ts'
import { neededByAnyName, SchemaNames } from './schema-names.ts'
import { type SchemaParts, summaryField } from './summary-types.ts'
import { needed, ValueTypes } from './value-types.ts'

type Fields = GraphQLFieldConfigMap<unknown, unknown>

/** Throws on a conflict of names or an invalid one; the message is one sentence. (contract 1.2.1) */
export function makeSchema(
  model: Model,
  vocabulary: Vocabulary,
  limits: RecordTypeLimits & InputLimits & Pick<Limits, 'jsonDepth'>,
  routes: readonly RouteDefinition[] = [],
): GraphQLSchema {
  const values = new ValueTypes(vocabulary, makeJsonScalar(limits.jsonDepth))
  const names = new SchemaNames(vocabulary, model)
  const args = new ArgumentTypes(values, names)
  const inputs = new InputTypes(values, names, args, limits)
  const records = new RecordTypes(values, args, limits, names)
  const mutations = distinct([
    ...mutationFields(model, records, inputs),
    ...routeFields(routes, 'mutation', values, vocabulary),
  ])
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      description: 'Everything that can be read.',
      fields: distinct([
        ...queryFields(model, records, { values, names, inputs, args }),
        ...routeFields(routes, 'query', values, vocabulary),
      ]),
    }),
    subscription: subscriptionType(model, records, names),
    mutation:
      Object.keys(mutations).length === 0
        ? null
        : new GraphQLObjectType({ name: 'Mutation', description: 'Everything that can be done.', fields: mutations }),
    types: model.resources.map((each) => records.record(each)),
  })
  assertValidSchema(schema)
  return schema
}

function queryFields(model: Model, records: RecordTypes, parts: SchemaParts): [string, Field][] {
  const { resource: account } = model.accounts
  const refused = makeFailureType('UnauthorizedError', 'You may not, or are not signed in.')
  return [
    ['me', makeField(records.record(account), 'The signed-in account.', { is: 'me', resource: account })],
    ['node', makeField(records.node, 'The record that has this id, whatever it is.', { is: 'anything' }, byId)],
    ...model.resources.flatMap((resource) => readFields(resource, records, parts, refused)),
  ]
}

function readFields(
  resource: ResourceModel,
  records: RecordTypes,
  parts: SchemaParts,
  refused: GraphQLObjectType,
): [string, Field][] {
  const singular = uncapitalised(resource.graphql.name)
  const one = `The ${words(resource.name)} that has this id.`
  const many = `The ${words(resource.plural)} that you may read`
  const fields: [string, Field][] = [
    [singular, makeField(records.record(resource), one, { is: 'record', resource }, byId)],
    [resource.graphql.plural, connectionField(`${many}, by cursor.`, { resource }, records)],
    [`${singular}List`, arrayField(`${many}, by limit and offset.`, { resource }, records)],
  ]
  fields.push(...keyFields(resource, records, parts))
  if (resource.summary !== null) fields.push(summaryField(resource, records, parts))
  for (const query of resource.queries.values()) fields.push(...queryListFields(query, records, parts.names.current))
  if (!resource.resultUnion) return fields
  const missing = `There is no such ${words(resource.name)}.`
  const types = [records.record(resource), makeFailureType(`${resource.graphql.name}NotFoundError`, missing), refused]
  const description = `${one} Otherwise why not.`
  const union = new GraphQLUnionType({ name: `${resource.graphql.name}Result`, description, types })
  const field = makeField(new GraphQLNonNull(union), description, { is: 'result', resource }, byId)
  return [...fields, [`${singular}Result`, field]]
}

type ListOf = Pick<QueryModel, 'resource'> & { readonly query?: QueryModel }

const connectionField = (description: string, of: ListOf, records: RecordTypes): Field => {
  const type = new GraphQLNonNull(records.connection(of.resource))
  return makeField(type, description, { is: 'connection', ...of }, records.connectionArguments(of.resource, of.query))
}

const arrayField = (description: string, of: ListOf, records: RecordTypes): Field => {
  const type = records.list(of.resource)
  return makeField(type, description, { is: 'array', ...of }, records.listArguments(of.resource, of.query))
}

/** `customerByExternalId(externalId:)`. Older names of a key come with that version's arguments. */
function keyFields(resource: ResourceModel, records: RecordTypes, { names, inputs }: SchemaParts): [string, Field][] {
  const nameOf = (key: KeyModel, { relation }: Vocabulary) =>
    `${uncapitalised(resource.graphql.name)}By${keyTitle(key, (field) => relation(resource, field))}`
  const fields = names.parts(resource.keys, nameOf, (key, vocabulary): Field => {
    const own = ownColumns(key).map(({ field }) => words(vocabulary.relation(resource, field)))
    const args = inputs.keyArguments(resource, key, vocabulary === names.current ? null : vocabulary)
    const description = `The ${words(resource.name)} that has this ${own.join(' and ')}.`
    return makeField(records.record(resource), description, { is: 'record', resource, key }, args)
  })
  return Object.entries(fields)
}

/** `trendingPosts(…)`, and `trendingPostList(…)` by limit and offset. */
function queryListFields(query: QueryModel, records: RecordTypes, vocabulary: Vocabulary): [string, Field][] {
  const { name, resource } = query
  const audience = `Open to ${sentenceOf(query.allow, resource)}.`
  const description = `${aboutQuery(query, scopeSentence(query, vocabulary))} ${audience}`
  return [
    [`${name}${capitalised(resource.graphql.plural)}`, connectionField(description, { resource, query }, records)],
    [`${name}${resource.graphql.name}List`, arrayField(description, { resource, query }, records)],
  ]
}

function subscriptionType(model: Model, records: RecordTypes, names: SchemaNames): GraphQLObjectType | null {
  const events = eventsOf(model)
  if (events.length === 0) return null
  const fields = events.map((event): [string, Field] => {
    const type = new GraphQLNonNull(messageType(event, records))
    const args = event.by === null ? {} : holderArgument(event.resource, event.by, names)
    return [event.name, makeField(type, aboutEvent(event, model), { is: 'event', event }, args)]
  })
  return new GraphQLObjectType({
    name: 'Subscription',
    description: 'Events as they happen.',
    fields: distinct(fields),
  })
}

function messageType(event: EventModel, records: RecordTypes): GraphQLObjectType {
  if (event.isDeletion) return records.deleted(event.resource)
  return event.changed.length > 0 ? records.changed(event) : records.record(event.resource)
}

function mutationFields(model: Model, records: RecordTypes, inputs: InputTypes): [string, Field][] {
  const actions = model.resources.flatMap((resource) => [...resource.actions.values()])
  const open = actions.filter(({ kind, allow }) => kind !== 'read' && allow.rule !== 'nobody')
  return [
    ...model.resources
      .filter((each) => upsertKeys(each).length > 0)
      .flatMap((resource) => upsertFields(resource, records, inputs)),
    ...open.flatMap((action) =>
      writeFields(action, records, inputs).map(([name, field]): [string, Field] => [
        name,
        leaving(field, action.deprecated),
      ]),
    ),
  ]
}

function upsertFields(resource: ResourceModel, records: RecordTypes, inputs: InputTypes): [string, Field][] {
  const { by, input } = inputs.ofUpsert(resource)
  const allowed = (name: string) => sentenceOf(resource.actions.get(name)!.allow, resource)
  const rules = `Allowed to create: ${allowed('create')}; to replace: ${allowed('update')}.`
  const description = `Create or replace ${a(words(resource.name))}. ${rules}`
  const args = {
    by: { type: new GraphQLNonNull(by), description: 'The key of the record.' },
    input: { type: new GraphQLNonNull(input), description: 'The input; the fields of the key can be left out.' },
  }
  const type = new GraphQLNonNull(records.record(resource))
  const one: [string, Field] = [
    `upsert${resource.graphql.name}`,
    makeField(type, description, { is: 'upsert', resource }, args),
  ]
  if (manyUpsertKeys(resource).length === 0) return [one]
  const all = `Create or replace ${words(resource.plural)}, all or none. ${rules}`
  const ofMany = manyArgument(inputs.upsertMany(resource, by, input))
  const many = makeField(records.list(resource), all, { is: 'upsertMany', resource }, ofMany)
  return [one, [`upsert${capitalised(resource.graphql.plural)}`, many]]
}

function writeFields(action: ActionModel, records: RecordTypes, inputs: InputTypes): [string, Field][] {
  const { kind, name, resource } = action
  const field = `${name}${resource.graphql.name}`
  const type = new GraphQLNonNull(records.record(resource))
  const allowed = `Allowed: ${sentenceOf(action.allow, resource)}.${exclusionsOf(action)}`
  const description = `${aboutAction(action)}${aboutDeletion(action)} ${allowed}`
  const one = { is: 'write', action, targets: 'one' } as const
  const bulk = takesCondition(action) ? bulkFields(action, allowed, inputs) : []
  if (kind === 'delete') {
    const done = new GraphQLNonNull(GraphQLBoolean)
    return [[field, makeField(done, description, one, which(resource, inputs))], ...bulk]
  }
  const plural = `${name}${capitalised(resource.graphql.plural)}`
  const all = records.list(resource)
  const input = inputArgument(action, inputs)
  if (kind === 'collection') return [[plural, makeField(all, description, { ...one, targets: kind }, input)]]
  const args = { ...(kind === 'create' ? {} : which(resource, inputs)), ...input }
  const single: [string, Field] = [field, makeField(type, description, one, args)]
  if (!resource.batch || kind === 'move' || inputs.ofAction(action) === null) return [single, ...bulk]
  const targets = kind === 'create' ? 'createMany' : 'updateMany'
  const aboutMany = `${aboutAction(action, true)} All or none. ${allowed}`
  const many = makeField(all, aboutMany, { ...one, targets }, manyArgument(inputs[targets](action)))
  return [single, [plural, many], ...bulk]
}

/** `deletePosts`, `publishPosts`; `updatePostsWhere`, because `updatePosts` returns records. (contract 13.7.6) */
function bulkFields(action: ActionModel, allowed: string, inputs: InputTypes): [string, Field][] {
  const { kind, name, resource } = action
  if (kind === 'update' && inputs.ofAction(action) === null) return []
  const field = `${name}${capitalised(resource.graphql.plural)}${kind === 'update' ? 'Where' : ''}`
  const args = manyArgument(inputs.bulk(action, `${capitalised(field)}Input`))
  const description = `${aboutAction(action, true)}${aboutDeletion(action)} All or none. ${allowed}`
  const result = new GraphQLNonNull(inputs.bulkResult)
  return [[field, makeField(result, description, { is: 'write', action, targets: 'bulk' }, args)]]
}

const manyArgument = (type: GraphQLInputObjectType): GraphQLFieldConfigArgumentMap => ({
  input: { type: new GraphQLNonNull(type), description: 'Which, and what is written.' },
})

function inputArgument(action: ActionModel, inputs: InputTypes): GraphQLFieldConfigArgumentMap {
  const type = inputs.ofAction(action)
  if (type === null) return {}
  const isNeeded =
    !['move', 'collection'].includes(action.kind) || action.sent.some((each) => each.initial === undefined)
  return { input: { type: isNeeded ? new GraphQLNonNull(type) : type, description: 'What it takes.' } }
}

/** By id or, if it has keys, by a key. (contract 11.2.28) */
const which = (resource: ResourceModel, inputs: InputTypes): GraphQLFieldConfigArgumentMap =>
  resource.keys.length === 0
    ? byId
    : {
        id: { type: GraphQLID, description: 'The id of the record; or send its key.' },
        by: { type: inputs.key(resource), description: 'The key of the record.' },
      }

const byId = { id: { type: new GraphQLNonNull(GraphQLID), description: 'The id of the record.' } }
/** `postId:`, or an older name. */
function holderArgument(
  resource: ResourceModel,
  { field, branches }: EventRelation,
  names: SchemaNames,
): GraphQLFieldConfigArgumentMap {
  const nameOf = (relation: string, vocabulary: Vocabulary) =>
    branches.length > 1 ? `${relation}Id` : vocabulary.name(resource, relation)
  const isRenamed = names.isRenamed((vocabulary) => nameOf(field, vocabulary))
  return names.parts([field], nameOf, (relation, vocabulary) => ({
    type: needed(GraphQLID, !isRenamed),
    description: `The id of the ${words(relation)} to listen to.`,
    ...(isRenamed && vocabulary === names.current ? neededByAnyName : {}),
  }))
}

function distinct(entries: readonly [string, Field][]): Fields {
  const fields: Fields = {}
  for (const [name, field] of entries) {
    if (Object.hasOwn(fields, name)) throw new Error(`Two fields of GraphQL's root would be called ${name}.`)
    fields[name] = field
  }
  return fields
}
