// Derives the types, queries and mutations of a service. No resolvers.

import {
  assertValidSchema,
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
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
import { makeJsonScalar } from './json-scalar.ts'
import { meaning } from './meaning.ts'
import { makeFailureType, type RecordTypeLimits, RecordTypes } from './record-types.ts'
import { routeFields } from './route-fields.ts'
import { exclusionsOf, sentenceOf } from './rule-description.ts'
import { neededByAnyName, SchemaNames } from './schema-names.ts'
import { type SchemaParts, summaryField } from './summary-types.ts'
import { needed, ValueTypes } from './value-types.ts'

type Field = GraphQLFieldConfig<unknown, unknown>
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
    [
      'me',
      {
        type: records.record(account),
        description: 'The signed-in account.',
        ...meaning({ is: 'me', resource: account }),
      },
    ],
    [
      'node',
      {
        type: records.node,
        args: byId,
        description: 'The record that has this id, whatever it is.',
        ...meaning({ is: 'anything' }),
      },
    ],
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
    [
      singular,
      { type: records.record(resource), args: byId, description: one, ...meaning({ is: 'record', resource }) },
    ],
    [
      resource.graphql.plural,
      {
        type: new GraphQLNonNull(records.connection(resource)),
        args: records.connectionArguments(resource),
        description: `${many}, by cursor.`,
        ...meaning({ is: 'connection', resource }),
      },
    ],
    [
      `${singular}List`,
      {
        type: records.list(resource),
        args: records.listArguments(resource),
        description: `${many}, by limit and offset.`,
        ...meaning({ is: 'array', resource }),
      },
    ],
  ]
  fields.push(...keyFields(resource, records, parts))
  if (resource.summary !== null) fields.push(summaryField(resource, records, parts))
  for (const query of resource.queries.values()) fields.push(...queryListFields(query, records, parts.names.current))
  if (!resource.resultUnion) return fields
  const missing = `There is no such ${words(resource.name)}.`
  const types = [records.record(resource), makeFailureType(`${resource.graphql.name}NotFoundError`, missing), refused]
  const union = new GraphQLUnionType({
    name: `${resource.graphql.name}Result`,
    description: `${one} Otherwise why not.`,
    types,
  })
  return [
    ...fields,
    [
      `${singular}Result`,
      {
        type: new GraphQLNonNull(union),
        args: byId,
        description: `${one} Otherwise why not.`,
        ...meaning({ is: 'result', resource }),
      },
    ],
  ]
}

/** `customerByExternalId(externalId:)`. Older names of a key come with that version's arguments. */
function keyFields(resource: ResourceModel, records: RecordTypes, { names, inputs }: SchemaParts): [string, Field][] {
  const nameOf = (key: KeyModel, { relation }: Vocabulary) =>
    `${uncapitalised(resource.graphql.name)}By${keyTitle(key, (field) => relation(resource, field))}`
  const fields = names.parts(resource.keys, nameOf, (key, vocabulary): Field => {
    const own = ownColumns(key).map(({ field }) => words(vocabulary.relation(resource, field)))
    return {
      type: records.record(resource),
      args: inputs.keyArguments(resource, key, vocabulary === names.current ? null : vocabulary),
      description: `The ${words(resource.name)} that has this ${own.join(' and ')}.`,
      ...meaning({ is: 'record', resource, key }),
    }
  })
  return Object.entries(fields)
}

/** `trendingPosts(…)`, and `trendingPostList(…)` by limit and offset. */
function queryListFields(query: QueryModel, records: RecordTypes, vocabulary: Vocabulary): [string, Field][] {
  const { name, resource } = query
  const audience = `Open to ${sentenceOf(query.allow, resource)}.`
  const description = `${aboutQuery(query, scopeSentence(query, vocabulary))} ${audience}`
  return [
    [
      `${name}${capitalised(resource.graphql.plural)}`,
      {
        type: new GraphQLNonNull(records.connection(resource)),
        args: records.connectionArguments(resource, query),
        description,
        ...meaning({ is: 'connection', resource, query }),
      },
    ],
    [
      `${name}${resource.graphql.name}List`,
      {
        type: records.list(resource),
        args: records.listArguments(resource, query),
        description,
        ...meaning({ is: 'array', resource, query }),
      },
    ],
  ]
}

function subscriptionType(model: Model, records: RecordTypes, names: SchemaNames): GraphQLObjectType | null {
  const events = eventsOf(model)
  if (events.length === 0) return null
  const fields = events.map((event): [string, Field] => {
    const type = new GraphQLNonNull(messageType(event, records))
    const args = event.by === null ? {} : holderArgument(event.resource, event.by, names)
    return [event.name, { type, args, description: aboutEvent(event, model), ...meaning({ is: 'event', event }) }]
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
    { type, args, description, ...meaning({ is: 'upsert', resource }) },
  ]
  if (manyUpsertKeys(resource).length === 0) return [one]
  const many = {
    type: records.list(resource),
    args: {
      input: {
        type: new GraphQLNonNull(inputs.upsertMany(resource, by, input)),
        description: 'Which, and what is written.',
      },
    },
    description: `Create or replace ${words(resource.plural)}, all or none. ${rules}`,
    ...meaning({ is: 'upsertMany', resource }),
  }
  return [one, [`upsert${capitalised(resource.graphql.plural)}`, many]]
}

function writeFields(action: ActionModel, records: RecordTypes, inputs: InputTypes): [string, Field][] {
  const { kind, name, resource } = action
  const field = `${name}${resource.graphql.name}`
  const type = new GraphQLNonNull(records.record(resource))
  const allowed = `Allowed: ${sentenceOf(action.allow, resource)}.${exclusionsOf(action)}`
  const description = `${aboutAction(action)}${aboutDeletion(action)} ${allowed}`
  const one = { description, ...meaning({ is: 'write', action, targets: 'one' }) }
  const bulk = takesCondition(action) ? bulkFields(action, allowed, inputs) : []
  if (kind === 'delete')
    return [[field, { type: new GraphQLNonNull(GraphQLBoolean), args: which(resource, inputs), ...one }], ...bulk]
  if (kind === 'collection') {
    const all = { type: records.list(resource), args: inputArgument(action, inputs), description }
    return [
      [
        `${name}${capitalised(resource.graphql.plural)}`,
        { ...all, ...meaning({ is: 'write', action, targets: kind }) },
      ],
    ]
  }
  const args = { ...(kind === 'create' ? {} : which(resource, inputs)), ...inputArgument(action, inputs) }
  const single: [string, Field] = [field, { type, args, ...one }]
  if (!resource.batch || kind === 'move' || inputs.ofAction(action) === null) return [single, ...bulk]
  const targets = kind === 'create' ? 'createMany' : 'updateMany'
  const input = { type: new GraphQLNonNull(inputs[targets](action)), description: 'Which, and what is written.' }
  const many = {
    type: records.list(resource),
    args: { input },
    description: `${aboutAction(action, true)} All or none. ${allowed}`,
    ...meaning({ is: 'write', action, targets }),
  }
  return [single, [`${name}${capitalised(resource.graphql.plural)}`, many], ...bulk]
}

/** `deletePosts`, `publishPosts`; `updatePostsWhere`, because `updatePosts` returns records. (contract 13.7.6) */
function bulkFields(action: ActionModel, allowed: string, inputs: InputTypes): [string, Field][] {
  const { kind, name, resource } = action
  if (kind === 'update' && inputs.ofAction(action) === null) return []
  const field = `${name}${capitalised(resource.graphql.plural)}${kind === 'update' ? 'Where' : ''}`
  const type = new GraphQLNonNull(inputs.bulk(action, `${capitalised(field)}Input`))
  const args = { input: { type, description: 'Which, and what is written.' } }
  const description = `${aboutAction(action, true)}${aboutDeletion(action)} All or none. ${allowed}`
  return [
    [
      field,
      {
        type: new GraphQLNonNull(inputs.bulkResult),
        args,
        description,
        ...meaning({ is: 'write', action, targets: 'bulk' }),
      },
    ],
  ]
}

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
