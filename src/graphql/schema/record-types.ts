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
import type { Limits } from '../../limits.ts'
import { dayOf } from '../../resource/deprecation.ts'
import type { FieldModel, QueryModel, ResourceModel, VersionModel } from '../../resource/model/model.ts'
import { deprecated, leaving } from './deprecation.ts'
import type { InputTypes } from './input-types.ts'
import { type ConnectionMeaning, meaning } from './meaning.ts'
import { onlyFor, sentenceOf } from './rule-description.ts'
import { partType, required, type ValueTypes } from './value-types.ts'

type Field = GraphQLFieldConfig<unknown, unknown>
type Fields = GraphQLFieldConfigMap<unknown, unknown>
export type RecordTypeLimits = Pick<Limits, 'defaultPageSize' | 'pageSize' | 'offset'>

export class RecordTypes {
  readonly node = new GraphQLInterfaceType({
    name: 'Node',
    description: 'Anything that has an id.',
    fields: { id: { type: new GraphQLNonNull(GraphQLID) } },
  })
  readonly #values: ValueTypes
  readonly #inputs: InputTypes
  readonly #limits: RecordTypeLimits
  readonly #versions: readonly VersionModel[]
  readonly #records = new Map<ResourceModel, GraphQLObjectType>()
  readonly #connections = new Map<ResourceModel, GraphQLObjectType>()

  constructor(values: ValueTypes, inputs: InputTypes, limits: RecordTypeLimits, versions: readonly VersionModel[]) {
    this.#values = values
    this.#versions = versions
    this.#inputs = inputs
    this.#limits = limits
  }

  record(resource: ResourceModel): GraphQLObjectType {
    return this.#records.getOrInsertComputed(
      resource,
      () =>
        new GraphQLObjectType({
          name: resource.name,
          description: `Read by ${sentenceOf(resource.read.allow, resource)}.`,
          interfaces: [this.node],
          fields: () => this.#fieldsOf(resource),
        }),
    )
  }

  /** `[Post!]!` */
  list(resource: ResourceModel): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLObjectType>>> {
    return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.record(resource))))
  }

  connection(resource: ResourceModel): GraphQLObjectType {
    return this.#connections.getOrInsertComputed(resource, () => this.#connection(resource))
  }

  /** Arguments of a list by limit and offset. */
  listArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize, offset } = this.#limits
    return {
      ...this.#inputs.ofQuery(query),
      limit: { type: GraphQLInt, default: { value: defaultPageSize }, description: `From 1 to ${pageSize}.` },
      offset: { type: GraphQLInt, default: { value: 0 }, description: `At most ${offset}.` },
      ...this.#inputs.narrowing(resource),
    }
  }

  /** Arguments of a connection. */
  connectionArguments(resource: ResourceModel, query?: QueryModel): GraphQLFieldConfigArgumentMap {
    const { pageSize, defaultPageSize } = this.#limits
    const size = `From 1 to ${pageSize}; ${defaultPageSize} where neither first nor last is given.`
    return {
      ...this.#inputs.ofQuery(query),
      first: { type: GraphQLInt, description: size },
      after: { type: GraphQLString, description: 'A cursor: the page begins behind it.' },
      last: { type: GraphQLInt, description: size },
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
      const description = 'Shown once, in the answer to create; null ever after.'
      fields[column.field] = { type: GraphQLString, description, ...meaning({ is: 'token', column }) }
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

  #field(resource: ResourceModel, field: FieldModel): Field {
    const relation = resource.relations.get(field.name)
    if (relation === undefined) {
      const type =
        field.name === 'id' ? GraphQLID : this.#values.output(field.spec, partType(resource.name, field.name))
      const rule = resource.protect.get(field.name)?.read
      const description = rule === undefined ? null : onlyFor(rule, resource)
      return { type: required(type, field.spec), description, ...meaning({ is: 'field', field }) }
    }
    if (relation.kind === 'one') {
      const type = required(this.record(relation.target), field.spec)
      return { type, ...meaning({ is: 'one', relation, nullable: field.nullable }) }
    }
    const args = this.listArguments(relation.target)
    return { type: this.list(relation.target), args, ...meaning({ is: 'list', relation }) }
  }

  #connection(resource: ResourceModel): GraphQLObjectType {
    const record = new GraphQLNonNull(this.record(resource))
    const edge = new GraphQLObjectType({
      name: `${resource.name}Edge`,
      fields: { node: part('node', record), cursor: part('cursor', new GraphQLNonNull(GraphQLString)) },
    })
    return new GraphQLObjectType({
      name: `${resource.name}Connection`,
      fields: {
        edges: part('edges', new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge)))),
        nodes: part('nodes', this.list(resource)),
        pageInfo: part('pageInfo', new GraphQLNonNull(pageInfo)),
        totalCount: {
          ...part('totalCount', GraphQLInt),
          description: `How many there are in all that you may see; null beyond ${this.#limits.offset}.`,
        },
      },
    })
  }
}

/** A foreseen failure as one of the types of a result union. (contract 4.8.10) */
export const makeFailureType = (name: string): GraphQLObjectType =>
  new GraphQLObjectType({
    name,
    fields: {
      code: { type: new GraphQLNonNull(GraphQLString), ...meaning({ is: 'code' }) },
      message: { type: new GraphQLNonNull(GraphQLString), ...meaning({ is: 'message' }) },
    },
  })
export type ResultTypes = readonly [record: GraphQLObjectType, missing: GraphQLObjectType, refused: GraphQLObjectType]
export const resultTypes = (union: GraphQLUnionType): ResultTypes => union.getTypes() as unknown as ResultTypes

const part = (is: ConnectionMeaning['is'], type: Field['type']): Field => ({ type, ...meaning({ is }) })

const isThere = new GraphQLNonNull(GraphQLBoolean)
const pageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  fields: {
    hasNextPage: part('hasNextPage', isThere),
    hasPreviousPage: part('hasPreviousPage', isThere),
    startCursor: part('startCursor', GraphQLString),
    endCursor: part('endCursor', GraphQLString),
  },
})
