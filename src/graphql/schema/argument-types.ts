// One argument for each name that a kind of parameter describes.

import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  GraphQLString,
} from 'graphql'
import { queryArguments } from '../../action/question/parameter/argument.ts'
import { narrowing } from '../../action/question/parameter/narrowing.ts'
import type { ArgumentType, Asked, Described, Description } from '../../action/question/parameter/parameter.ts'
import { sort } from '../../action/question/parameter/sort.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { leaving } from './deprecation.ts'
import type { SchemaNames } from './schema-names.ts'
import { needed, partType, type ValueTypes } from './value-types.ts'
import { WhereTypes } from './where-types.ts'

export class ArgumentTypes {
  readonly #values: ValueTypes
  readonly #names: SchemaNames
  readonly #conditions: WhereTypes
  readonly #types = new Map<string, GraphQLNullableInputType>()
  readonly #ofLists = new Map<ResourceModel, GraphQLFieldConfigArgumentMap>()

  constructor(values: ValueTypes, names: SchemaNames) {
    this.#values = values
    this.#names = names
    this.#conditions = new WhereTypes(values, names)
  }

  of(kinds: readonly Described[], asked: Asked): GraphQLFieldConfigArgumentMap {
    const all = kinds.flatMap((kind) => kind.describe(asked, 'typed', this.#names.current))
    return Object.fromEntries(all.map((each) => [each.name, this.#part(each)]))
  }

  ofList(resource: ResourceModel): GraphQLFieldConfigArgumentMap {
    return getOrInsert(this.#ofLists, resource, () => this.of([...narrowing, sort], { resource }))
  }

  /** The additional arguments of a query. */
  ofQuery(resource: ResourceModel, query: QueryModel | undefined): GraphQLFieldConfigArgumentMap {
    return this.of([queryArguments], { resource, query })
  }

  #part({ about, type, isNeeded = false, initial, deprecated }: Description): GraphQLInputFieldConfig {
    const usual = initial === undefined ? {} : { default: { value: initial } }
    return leaving({ type: needed(this.#type(type()), isNeeded), description: about(), ...usual }, deprecated)
  }

  #type(type: ArgumentType): GraphQLNullableInputType {
    if (type.is === 'text') return GraphQLString
    if (type.is === 'value') return this.#values.input(type.spec, partType(type.holder, type.part))
    return getOrInsert(this.#types, type.title, (): GraphQLNullableInputType => {
      const { title: name } = type
      if (type.is === 'conditions') return this.#conditions.ofBranch(type.branch, name)
      const { about: description } = type
      if (type.is === 'object') {
        const fields = () => this.#names.described(type.members, (each) => this.#part(each))
        return new GraphQLInputObjectType({ name, description, fields })
      }
      const values = this.#names.described(type.words, ({ about, value, deprecated }) =>
        leaving({ value, description: about }, deprecated),
      )
      return new GraphQLList(new GraphQLNonNull(new GraphQLEnumType({ name, description, values })))
    })
  }
}
