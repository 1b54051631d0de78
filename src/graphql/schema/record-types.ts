// A type per resource, its connection, and the arguments of its lists. (contract 4.8)

import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql'
import { fieldsOf, tokensOf } from '../../action/record-selection.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Limits } from '../../limits.ts'
import { aboutCan, aboutField, aboutMayBegin, aboutResource } from '../../resource/about.ts'
import { branchesOf, isEitherField } from '../../resource/model/either.ts'
import type { EventModel, FieldModel, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { recordActions } from '../../resource/model/rule/record-action.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, uncapitalised, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import type { ArgumentTypes } from './argument-types.ts'
import { leaving } from './deprecation.ts'
import { type Field, makeField } from './meaning.ts'
import { described, sentenceOf } from './rule-description.ts'
import type { SchemaNames } from './schema-names.ts'
import { partType, required, type ValueTypes } from './value-types.ts'

type Fields = GraphQLFieldConfigMap<unknown, unknown>
export type RecordTypeLimits = Pick<Limits, 'defaultPageSize' | 'pageSize' | 'offset'>

export class RecordTypes {
  readonly node = new GraphQLInterfaceType({
    name: 'Node',
    description: 'Every record with an id.',
    fields: { id: { type: new GraphQLNonNull(GraphQLID), description: 'The id, unique among all records.' } },
  })
  readonly #values: ValueTypes
  readonly #arguments: ArgumentTypes
  readonly #limits: RecordTypeLimits
  readonly #names: SchemaNames
  readonly #records = new Map<ResourceModel, GraphQLObjectType>()
  readonly #connections = new Map<ResourceModel, GraphQLObjectType>()
  readonly #abilities = new Map<ResourceModel, GraphQLObjectType>()

  constructor(values: ValueTypes, args: ArgumentTypes, limits: RecordTypeLimits, names: SchemaNames) {
    this.#values = values
    this.#names = names
    this.#arguments = args
    this.#limits = limits
  }

  record(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(
      this.#records,
      resource,
      () =>
        new GraphQLObjectType({
          name: resource.graphql.name,
          description: `${aboutResource(resource)} Read by ${sentenceOf(resource.read.allow, resource)}.`,
          interfaces: [this.node],
          fields: () => this.#fieldsOf(resource),
        }),
    )
  }

  /** A deleted record: its own values, and references by id. (contract 13.8.2) */
  deleted(resource: ResourceModel): GraphQLObjectType {
    const { name, protect, graphql } = resource
    const fields = this.#names.parts(
      fieldsOf(resource).filter((field) => !isEitherField(field)),
      (field, names) => names.name(resource, field.name),
      (field, names): Field => {
        const about = aboutField(field.name, field.spec, resource)
        const description = described(about, protect.get(field.name)?.read, resource)
        const type = required(this.#idOrValue(resource, field, names), field.nullable)
        return makeField(type, description, { is: 'field', field })
      },
    )
    return new GraphQLObjectType({
      name: `Deleted${graphql.name}`,
      description: `${capitalised(a(words(name)))} that was deleted, as it was until then.`,
      fields,
    })
  }

  /** A changed record with previous values. (contract 13.9.2) */
  changed({ name, resource, changed }: EventModel): GraphQLObjectType {
    const values = this.#names.parts(
      changed,
      ({ field }, names) => names.name(resource, field),
      ({ field: own }, names): Field => {
        const field = resource.fields.get(own)!
        const description = `What ${words(own)} was before; null where you may not read it.`
        return makeField(this.#idOrValue(resource, field, names), description, { is: 'field', field })
      },
    )
    const previous = new GraphQLObjectType({
      name: `${capitalised(name)}Previous`,
      description: `What ${a(words(resource.name))} was before it changed.`,
      fields: values,
    })
    const record = new GraphQLNonNull(this.record(resource))
    return new GraphQLObjectType({
      name: `${capitalised(name)}Event`,
      description: `${capitalised(a(words(resource.name)))} that changed, and what it was before.`,
      fields: {
        [uncapitalised(resource.graphql.name)]: makeField(record, 'The record as it is.', { is: 'self' }),
        previous: makeField(new GraphQLNonNull(previous), 'What it was before.', { is: 'previous' }),
      },
    })
  }

  list(resource: ResourceModel): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLObjectType>>> {
    return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.record(resource))))
  }

  connection(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(this.#connections, resource, () => this.#connection(resource))
  }

  listArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize, offset } = this.#limits
    return {
      ...this.#arguments.ofQuery(resource, query),
      limit: { type: GraphQLInt, default: { value: defaultPageSize }, description: `How many, from 1 to ${pageSize}.` },
      offset: {
        type: GraphQLInt,
        default: { value: 0 },
        description: `How many to leave out before them, at most ${offset}.`,
      },
      ...this.#arguments.ofList(resource),
    }
  }

  connectionArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize } = this.#limits
    const size = (end: string) => `How many from the ${end}: from 1 to ${pageSize}; ${defaultPageSize} by default.`
    return {
      ...this.#arguments.ofQuery(resource, query),
      first: { type: GraphQLInt, description: size('beginning') },
      after: { type: GraphQLString, description: 'A cursor: the page begins after it.' },
      last: { type: GraphQLInt, description: size('end') },
      before: { type: GraphQLString, description: 'A cursor: the page ends before it.' },
      ...this.#arguments.ofList(resource),
    }
  }

  #fieldsOf(resource: ResourceModel): Fields {
    const fields: Fields = this.#names.parts(
      resource.fields.values(),
      (field, names) => names.relation(resource, field.name),
      (field, names) => leaving(this.#field(resource, field, names), field.spec.deprecated),
    )
    for (const column of tokensOf(resource)) {
      const makers = [...resource.actions.values()].filter(({ renews }) => renews.includes(column))
      const once = `Shown once, in the answer to ${['create', ...makers.map(({ name }) => name)].join(' or ')}; null ever after.`
      const description = `${aboutField(column.field, column.spec, resource)} ${once}`
      fields[column.field] = makeField(GraphQLString, description, { is: 'token', column })
    }
    if (recordActions(resource).length > 0) {
      fields['can'] = makeField(new GraphQLNonNull(this.#can(resource)), aboutCan(resource), { is: 'can' })
    }
    return fields
  }

  #can(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(this.#abilities, resource, ({ graphql: { name } }) => {
      const fields = recordActions(resource).map((action): [string, Field] => [
        action.name,
        leaving(makeField(isThere, aboutMayBegin(action), { is: 'mayBegin', action }), action.deprecated),
      ])
      return new GraphQLObjectType({
        name: `${name}Can`,
        description: aboutCan(resource),
        fields: Object.fromEntries(fields),
      })
    })
  }

  #field(resource: ResourceModel, field: FieldModel, names: Vocabulary): Field {
    const relation = resource.relations.get(field.name)
    const about = aboutField(field.name, field.spec, resource)
    const branches = branchesOf(field, resource)
    if (branches.length > 0) {
      const union = new GraphQLUnionType({
        name: partType(resource.graphql.name, names.relation(resource, field.name)),
        description: about,
        types: branches.map(({ target }) => this.record(target)),
      })
      const description = described(about, resource.protect.get(field.name)?.read, resource)
      return makeField(required(union, field.nullable), description, { is: 'either', field, branches })
    }
    if (relation === undefined) {
      const type = this.#valueOf(resource, field, names)
      const rule = resource.protect.get(field.name)?.read
      const description = described(about, rule, resource)
      return makeField(required(type, field.nullable), description, { is: 'field', field })
    }
    if (relation.kind === 'one') {
      const type = required(this.record(relation.target), field.nullable)
      return makeField(type, about, { is: 'one', relation, nullable: field.nullable })
    }
    const args = this.listArguments(relation.target)
    return makeField(this.list(relation.target), about, { is: 'list', relation }, args)
  }

  /** Enums and objects are named after the field, so an older name has its own type. */
  #valueOf(resource: ResourceModel, field: FieldModel, names: Vocabulary) {
    if (field.name === 'id') return GraphQLID
    return this.#values.output(field.spec, partType(resource.graphql.name, names.relation(resource, field.name)))
  }

  #idOrValue(resource: ResourceModel, field: FieldModel, names: Vocabulary) {
    return resource.relations.has(field.name) ? GraphQLID : this.#valueOf(resource, field, names)
  }

  #connection(resource: ResourceModel): GraphQLObjectType {
    const record = new GraphQLNonNull(this.record(resource))
    const edges = 'The records of the page, each with its cursor.'
    const total = `How many there are in all that you may see; null beyond ${this.#limits.offset}.`
    const edge = new GraphQLObjectType({
      name: `${resource.graphql.name}Edge`,
      description: `${capitalised(a(words(resource.name)))} in a page.`,
      fields: {
        node: makeField(record, 'The record.', { is: 'node' }),
        cursor: makeField(aText, 'Its position: a page begins after it or ends before it.', { is: 'cursor' }),
      },
    })
    return new GraphQLObjectType({
      name: `${resource.graphql.name}Connection`,
      description: `A page of ${words(resource.plural)}.`,
      fields: {
        edges: makeField(new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge))), edges, { is: 'edges' }),
        nodes: makeField(this.list(resource), 'The records of the page.', { is: 'nodes' }),
        pageInfo: pageInfoField,
        totalCount: makeField(GraphQLInt, total, { is: 'totalCount' }),
      },
    })
  }
}

/** A member of a result union. (contract 4.8.10) */
export const makeFailureType = (name: string, description: string): GraphQLObjectType =>
  new GraphQLObjectType({
    name,
    description,
    fields: {
      code: makeField(aText, 'For programs: it never changes.', { is: 'code' }),
      message: makeField(aText, 'For people: a sentence.', { is: 'message' }),
    },
  })

const aText = new GraphQLNonNull(GraphQLString)
const isThere = new GraphQLNonNull(GraphQLBoolean)
const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'Whether there is more before and after a page.',
  fields: {
    hasNextPage: makeField(isThere, 'Whether there is more after the page.', { is: 'hasNextPage' }),
    hasPreviousPage: makeField(isThere, 'Whether there is more before the page.', { is: 'hasPreviousPage' }),
    startCursor: makeField(GraphQLString, 'The cursor of the first record; null in an empty page.', {
      is: 'startCursor',
    }),
    endCursor: makeField(GraphQLString, 'The cursor of the last record; null in an empty page.', { is: 'endCursor' }),
  },
})
export const pageInfoField = makeField(
  new GraphQLNonNull(pageInfo),
  'Whether there is more before and after the page.',
  { is: 'pageInfo' },
)
