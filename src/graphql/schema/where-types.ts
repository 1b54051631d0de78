// The GraphQL types of conditions: `TicketWhere`, one type for each relation that they follow, and one for each kind of value.
// (contract 12.1.5)

import {
  GraphQLBoolean,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  getNamedType,
} from 'graphql'
import { operatorsOf } from '../../action/where/read-tree.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { WhereBranch, WhereStep, WhereValue } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, words } from '../../resource/naming/casing.ts'
import { leaving } from './deprecation.ts'
import { partType, type ValueTypes } from './value-types.ts'

const aboutOperator = {
  eq: 'Is this.',
  ne: 'Is not this, or is null.',
  in: 'Is one of these.',
  lt: 'Is less, or earlier.',
  lte: 'Is this, less or earlier.',
  gt: 'Is greater, or later.',
  gte: 'Is this, greater or later.',
  startsWith: 'Begins with this text.',
  has: 'Has this element.',
} as const

export class WhereTypes {
  readonly #values: ValueTypes
  readonly #vocabulary: Vocabulary
  readonly #tests = new Map<string, GraphQLInputObjectType>()

  constructor(values: ValueTypes, vocabulary: Vocabulary) {
    this.#values = values
    this.#vocabulary = vocabulary
  }

  /** What may be asked of records: all of it must hold. */
  ofBranch(branch: WhereBranch, name: string): GraphQLInputObjectType {
    const type: GraphQLInputObjectType = new GraphQLInputObjectType({
      name,
      description: `Which ${words(branch.resource.plural)}: all that is said must hold.`,
      fields: () => ({ ...groupsOf(type), ...this.#valuesOf(branch), ...this.#stepsOf(branch, name) }),
    })
    return type
  }

  #valuesOf({ resource, values }: WhereBranch): GraphQLInputFieldConfigMap {
    const fields = [...values].map(([field, value]): [string, GraphQLInputFieldConfig] => {
      const name = this.#vocabulary.name(resource, field)
      const config = { type: this.#test(value), description: `By ${words(name)}.` }
      return [name, leaving(config, value.column.spec.deprecated)]
    })
    return Object.fromEntries(fields)
  }

  #stepsOf({ resource, steps }: WhereBranch, name: string): GraphQLInputFieldConfigMap {
    const fields = [...steps].map(([field, step]) => [
      this.#vocabulary.relation(resource, field),
      { type: this.#step(step, `${name}${capitalised(field)}`), description: aboutStep(field, step) },
    ])
    return Object.fromEntries(fields)
  }

  #step({ relation, of }: WhereStep, name: string): GraphQLInputObjectType {
    const type = this.ofBranch(of, name)
    if (relation.kind === 'one') return type
    const these = words(relation.field)
    return new GraphQLInputObjectType({
      name: `${name}List`,
      description: `What is asked of a list of ${these}.`,
      fields: {
        some: { type, description: `At least one of the ${these} that you may read is so.` },
        none: { type, description: `None of the ${these} that you may read is so.` },
      },
    })
  }

  /** `WhereText`, `WhereOptionalTicketStatus`: the operators of a value. */
  #test(value: WhereValue): GraphQLInputObjectType {
    const { resource, column, spec, nullable } = value
    const type = this.#values.input(spec, partType(resource.name, column.field))
    const label = labelOf(value, getNamedType(type).name)
    const name = `Where${nullable ? 'Optional' : ''}${label}`
    return getOrInsert(this.#tests, name, () => {
      const fields = operatorsOf(value).map((operator) => [
        operator,
        { type: operator === 'in' ? listOf(type) : type, description: aboutOperator[operator] },
      ])
      const isNull = {
        isNull: { type: GraphQLBoolean, description: 'True: there is none that you may see. False: there is.' },
      }
      const description = `What is asked of a value: all that is said must hold.`
      return new GraphQLInputObjectType({
        name,
        description,
        fields: { ...Object.fromEntries(fields), ...(nullable ? isNull : {}) },
      })
    })
  }
}

const listOf = (type: GraphQLNullableInputType) => new GraphQLList(new GraphQLNonNull(type))

/** Two kinds of one type may have other operators. */
function labelOf({ column, spec }: WhereValue, type: string): string {
  const label = spec.kind === 'timestamp' ? 'Moment' : spec.kind === 'text' ? 'Text' : type
  return column.spec.kind === 'list' ? `${label}List` : label
}

function groupsOf(type: GraphQLInputObjectType): GraphQLInputFieldConfigMap {
  const list = listOf(type)
  return {
    and: { type: list, description: 'All of these hold.' },
    or: { type: list, description: 'At least one of these holds.' },
    not: { type, description: 'This does not hold.' },
  }
}

const aboutStep = (field: string, { relation }: WhereStep): string =>
  relation.kind === 'one'
    ? `By the ${words(field)}: what is asked of one that is missing or hidden is asked of null.`
    : `By the ${words(field)}.`
