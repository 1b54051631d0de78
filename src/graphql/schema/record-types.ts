// The GraphQL types of records: one per resource, its connection, and the arguments of every list of it. (contract 4.8)

import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  type GraphQLUnionType,
} from 'graphql'
import { fieldsOf } from '../../action/record-selection.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Limits } from '../../limits.ts'
import { aboutCan, aboutField, aboutMayBegin, aboutResource } from '../../resource/about.ts'
import { dayOf } from '../../resource/deprecation.ts'
import type { EventModel, FieldModel, QueryModel, ResourceModel, VersionModel } from '../../resource/model/model.ts'
import { recordActions } from '../../resource/model/record-action.ts'
import { capitalised, uncapitalised, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import { deprecated, leaving } from './deprecation.ts'
import type { InputTypes } from './input-types.ts'
import { type ConnectionMeaning, meaning } from './meaning.ts'
import { described, sentenceOf } from './rule-description.ts'
import { partType, required, type ValueTypes } from './value-types.ts'

type Field = GraphQLFieldConfig<unknown, unknown>
type Fields = GraphQLFieldConfigMap<unknown, unknown>
export type RecordTypeLimits = Pick<Limits, 'defaultPageSize' | 'pageSize' | 'offset'>

export class RecordTypes {
  readonly node = new GraphQLInterfaceType({
    name: 'Node',
    description: 'Anything that has an id.',
    fields: { id: { type: new GraphQLNonNull(GraphQLID), description: 'The id, unlike any other.' } },
  })
  readonly #values: ValueTypes
  readonly #inputs: InputTypes
  readonly #limits: RecordTypeLimits
  readonly #versions: readonly VersionModel[]
  readonly #records = new Map<ResourceModel, GraphQLObjectType>()
  readonly #connections = new Map<ResourceModel, GraphQLObjectType>()
  readonly #abilities = new Map<ResourceModel, GraphQLObjectType>()

  constructor(values: ValueTypes, inputs: InputTypes, limits: RecordTypeLimits, versions: readonly VersionModel[]) {
    this.#values = values
    this.#versions = versions
    this.#inputs = inputs
    this.#limits = limits
  }

  record(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(
      this.#records,
      resource,
      () =>
        new GraphQLObjectType({
          name: resource.name,
          description: `${aboutResource(resource)} Read by ${sentenceOf(resource.read.allow, resource)}.`,
          interfaces: [this.node],
          fields: () => this.#fieldsOf(resource),
        }),
    )
  }

  /** What is told of a record that is gone: its own values, and what it referred to by ids. (contract 13.8.2) */
  deleted(resource: ResourceModel): GraphQLObjectType {
    const { name, protect } = resource
    const fields = fieldsOf(resource).map((field): [string, Field] => {
      const isReference = resource.relations.has(field.name)
      const value = isReference ? GraphQLID : this.#valueOf(resource, field)
      const about = aboutField(field.name, field.spec, resource)
      const description = described(about, protect.get(field.name)?.read, resource)
      const type = required(value, field.nullable)
      return [isReference ? `${field.name}Id` : field.name, { type, description, ...meaning({ is: 'field', field }) }]
    })
    return new GraphQLObjectType({
      name: `Deleted${name}`,
      description: `${capitalised(a(words(name)))} that was deleted, as it was until then.`,
      fields: Object.fromEntries(fields),
    })
  }

  /** What is told where fields changed: the record, and what these fields were before. (contract 13.9.2) */
  changed({ name, resource, changed }: EventModel): GraphQLObjectType {
    const values = changed.map(({ field: own }): [string, Field] => {
      const field = resource.fields.get(own)!
      const isReference = resource.relations.has(own)
      const type = isReference ? GraphQLID : this.#valueOf(resource, field)
      const description = `What ${words(own)} was before; null where you may not read it.`
      return [isReference ? `${own}Id` : own, { type, description, ...meaning({ is: 'field', field }) }]
    })
    const previous = new GraphQLObjectType({
      name: `${capitalised(name)}Previous`,
      description: `What ${a(words(resource.name))} was before it changed.`,
      fields: Object.fromEntries(values),
    })
    const record = new GraphQLNonNull(this.record(resource))
    return new GraphQLObjectType({
      name: `${capitalised(name)}Event`,
      description: `${capitalised(a(words(resource.name)))} that changed, and what it was before.`,
      fields: {
        [uncapitalised(resource.name)]: {
          type: record,
          description: 'The record as it is.',
          ...meaning({ is: 'self' }),
        },
        previous: {
          type: new GraphQLNonNull(previous),
          description: 'What it was before.',
          ...meaning({ is: 'previous' }),
        },
      },
    })
  }

  /** `[Post!]!` */
  list(resource: ResourceModel): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLObjectType>>> {
    return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.record(resource))))
  }

  connection(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(this.#connections, resource, () => this.#connection(resource))
  }

  /** Arguments of a list by limit and offset. */
  listArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize, offset } = this.#limits
    return {
      ...this.#inputs.ofQuery(query),
      limit: { type: GraphQLInt, default: { value: defaultPageSize }, description: `How many, from 1 to ${pageSize}.` },
      offset: {
        type: GraphQLInt,
        default: { value: 0 },
        description: `How many to leave out before them, at most ${offset}.`,
      },
      ...this.#inputs.narrowing(resource),
    }
  }

  /** Arguments of a connection. */
  connectionArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize } = this.#limits
    const size = (end: string) =>
      `How many from the ${end}: from 1 to ${pageSize}; ${defaultPageSize} where neither first nor last is given.`
    return {
      ...this.#inputs.ofQuery(query),
      first: { type: GraphQLInt, description: size('beginning') },
      after: { type: GraphQLString, description: 'A cursor: the page begins behind it.' },
      last: { type: GraphQLInt, description: size('end') },
      before: { type: GraphQLString, description: 'A cursor: the page ends before it.' },
      ...this.#inputs.narrowing(resource),
    }
  }

  #fieldsOf(resource: ResourceModel): Fields {
    const fields: Fields = {}
    for (const field of resource.fields.values())
      fields[field.name] = leaving(this.#field(resource, field), field.spec.deprecated)
    for (const column of resource.columns) {
      if (column.spec.kind !== 'token') continue
      const once = 'Shown once, in the answer to create; null ever after.'
      const description = `${aboutField(column.field, column.spec, resource)} ${once}`
      fields[column.field] = { type: GraphQLString, description, ...meaning({ is: 'token', column }) }
    }
    if (recordActions(resource).length > 0) {
      const type = new GraphQLNonNull(this.#can(resource))
      fields['can'] = { type, description: aboutCan(resource), ...meaning({ is: 'can' }) }
    }
    for (const [version, older] of resource.olderNames) {
      const since = this.#versions.find(({ name }) => name === version)?.deprecated
      for (const [field, name] of older) {
        const deprecation = { since: dayOf(since ?? new Date(0)), sunset: null, use: field }
        fields[name] ??= deprecated(fields[field]!, deprecation)
      }
    }
    return fields
  }

  #can(resource: ResourceModel): GraphQLObjectType {
    return getOrInsert(this.#abilities, resource, ({ name }) => {
      const fields = recordActions(resource).map((action): [string, Field] => [
        action.name,
        leaving(
          { type: isThere, description: aboutMayBegin(action), ...meaning({ is: 'mayBegin', action }) },
          action.deprecated,
        ),
      ])
      return new GraphQLObjectType({
        name: `${name}Can`,
        description: aboutCan(resource),
        fields: Object.fromEntries(fields),
      })
    })
  }

  #field(resource: ResourceModel, field: FieldModel): Field {
    const relation = resource.relations.get(field.name)
    const about = aboutField(field.name, field.spec, resource)
    if (relation === undefined) {
      const type = this.#valueOf(resource, field)
      const rule = resource.protect.get(field.name)?.read
      const description = described(about, rule, resource)
      return { type: required(type, field.nullable), description, ...meaning({ is: 'field', field }) }
    }
    if (relation.kind === 'one') {
      const type = required(this.record(relation.target), field.nullable)
      return { type, description: about, ...meaning({ is: 'one', relation, nullable: field.nullable }) }
    }
    const args = this.listArguments(relation.target)
    return { type: this.list(relation.target), args, description: about, ...meaning({ is: 'list', relation }) }
  }

  #valueOf({ name }: ResourceModel, field: FieldModel) {
    return field.name === 'id' ? GraphQLID : this.#values.output(field.spec, partType(name, field.name))
  }

  #connection(resource: ResourceModel): GraphQLObjectType {
    const record = new GraphQLNonNull(this.record(resource))
    const edges = 'The records of the page, each with its cursor.'
    const edge = new GraphQLObjectType({
      name: `${resource.name}Edge`,
      description: `${capitalised(a(words(resource.name)))} in a page.`,
      fields: {
        node: part('node', record, 'The record.'),
        cursor: part(
          'cursor',
          new GraphQLNonNull(GraphQLString),
          'Where it stands: pages begin behind it or end before it.',
        ),
      },
    })
    return new GraphQLObjectType({
      name: `${resource.name}Connection`,
      description: `A page of ${words(resource.plural)}.`,
      fields: {
        edges: part('edges', new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge))), edges),
        nodes: part('nodes', this.list(resource), 'The records of the page.'),
        pageInfo: part('pageInfo', new GraphQLNonNull(pageInfo), 'What there is before and behind the page.'),
        totalCount: {
          ...part('totalCount', GraphQLInt, ''),
          description: `How many there are in all that you may see; null beyond ${this.#limits.offset}.`,
        },
      },
    })
  }
}

/** A foreseen failure as one of the types of a result union. (contract 4.8.10) */
export const makeFailureType = (name: string, description: string): GraphQLObjectType =>
  new GraphQLObjectType({
    name,
    description,
    fields: {
      code: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'For programs: it never changes.',
        ...meaning({ is: 'code' }),
      },
      message: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'For people: a sentence.',
        ...meaning({ is: 'message' }),
      },
    },
  })
export type ResultTypes = readonly [record: GraphQLObjectType, missing: GraphQLObjectType, refused: GraphQLObjectType]
export const resultTypes = (union: GraphQLUnionType): ResultTypes => union.getTypes() as unknown as ResultTypes

export const part = (is: ConnectionMeaning['is'], type: Field['type'], description: string): Field => ({
  type,
  description,
  ...meaning({ is }),
})

const isThere = new GraphQLNonNull(GraphQLBoolean)
export const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'What there is before and behind a page.',
  fields: {
    hasNextPage: part('hasNextPage', isThere, 'Whether there is more behind the page.'),
    hasPreviousPage: part('hasPreviousPage', isThere, 'Whether there is more before the page.'),
    startCursor: part('startCursor', GraphQLString, 'The cursor of the first record; null in an empty page.'),
    endCursor: part('endCursor', GraphQLString, 'The cursor of the last record; null in an empty page.'),
  },
})
