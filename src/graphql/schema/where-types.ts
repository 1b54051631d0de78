// Types of conditions: `TicketWhere`, one per relation followed, one per kind of value. (contract 12.1.5)

import {
  GraphQLBoolean,
  GraphQLID,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  getNamedType,
} from 'graphql'
import { whereName } from '../../action/question/where/name.ts'
import { operatorsOf } from '../../action/question/where/read-tree.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { WhereBranch, WhereStep, WhereValue } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, isPart, words } from '../../resource/naming/casing.ts'
import { leaving } from './deprecation.ts'
import type { SchemaNames } from './schema-names.ts'
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
  endsWith: 'Ends with this text.',
  contains: 'Has this text in it.',
  has: 'Has this element.',
} as const

export class WhereTypes {
  readonly #values: ValueTypes
  readonly #names: SchemaNames
  readonly #tests = new Map<string, GraphQLInputObjectType>()

  constructor(values: ValueTypes, names: SchemaNames) {
    this.#values = values
    this.#names = names
  }

  /** All members must hold. */
  ofBranch(branch: WhereBranch, name: string): GraphQLInputObjectType {
    return conditionsType(name, `Which ${words(branch.resource.plural)}`, () => ({
      ...this.#valuesOf(branch),
      ...this.#partsOf(branch, name),
      ...this.#stepsOf(branch, name),
    }))
  }

  /** `within`: of this object, such as `address.`. */
  #valuesOf({ resource, named }: WhereBranch, within = ''): GraphQLInputFieldConfigMap {
    return this.#names.parts(
      [...named].filter(([field]) => field.startsWith(within) && !isPart(field.slice(within.length))),
      ([field, value], names) => lastName(whereName(names, field, value)),
      ([field, value], names): GraphQLInputFieldConfig => {
        const description = `By ${words(lastName(whereName(names, field, value)))}.`
        const { deprecated } =
          value.either === undefined ? value.column.spec : resource.fields.get(value.either.field)!.spec
        return leaving({ type: this.#test(field, value, names), description }, deprecated)
      },
    )
  }

  #partsOf(branch: WhereBranch, name: string, within = ''): GraphQLInputFieldConfigMap {
    const { resource, named } = branch
    const inner = [...named.keys()].filter((field) => field.startsWith(within) && isPart(field.slice(within.length)))
    const paths = new Set(inner.map((field) => field.slice(0, field.indexOf('.', within.length))))
    return this.#names.parts(
      paths,
      (path, names) => lastName(names.relation(resource, path)),
      (path, names): GraphQLInputFieldConfig => {
        const partName = `${name}${capitalised(lastName(names.relation(resource, path)))}`
        const part = words(path.slice(within.length))
        const type = conditionsType(partName, `Conditions on the ${part}`, () => ({
          ...this.#valuesOf(branch, `${path}.`),
          ...this.#partsOf(branch, partName, `${path}.`),
        }))
        return leaving({ type, description: `By the ${part}.` }, resource.fields.get(path)?.spec.deprecated)
      },
    )
  }

  #stepsOf({ resource, steps, values }: WhereBranch, name: string): GraphQLInputFieldConfigMap {
    const trees = [...values].flatMap(([field, { tree }]): [string, WhereStep][] =>
      tree === undefined || steps.has(field) ? [] : [[field, tree.parent]],
    )
    return this.#names.parts(
      new Map([...steps, ...trees]),
      ([field], names) => names.relation(resource, field),
      ([field, step], names): GraphQLInputFieldConfig => {
        const stepName = `${name}${capitalised(names.relation(resource, field))}`
        const type = values.get(field)?.tree === undefined ? this.#step(step, stepName) : this.#tree(step, stepName)
        return leaving({ type, description: aboutStep(field, step) }, resource.fields.get(field)?.spec.deprecated)
      },
    )
  }

  /** The conditions on the record above, and `below`. */
  #tree({ of, relation }: WhereStep, name: string): GraphQLInputObjectType {
    const below = { type: GraphQLID, description: `Is below this one: ${belowMeaning(words(relation.field))}` }
    if (of.values.size + of.steps.size === 0)
      return new GraphQLInputObjectType({ name, description: 'The place in the tree.', fields: { below } })
    return conditionsType(name, `Which ${words(of.resource.plural)}`, () => ({
      below,
      ...this.#valuesOf(of),
      ...this.#stepsOf(of, name),
    }))
  }

  #step({ relation, of }: WhereStep, name: string): GraphQLInputObjectType {
    const type = this.ofBranch(of, name)
    if (relation.kind === 'one') return type
    const these = words(relation.field)
    return new GraphQLInputObjectType({
      name: `${name}List`,
      description: `Conditions on a list of ${these}.`,
      fields: {
        some: { type, description: `At least one of the ${these} that you may read is so.` },
        none: { type, description: `None of the ${these} that you may read is so.` },
      },
    })
  }

  /** Operators of a value: `WhereText`, `WhereOptionalTicketStatus`. */
  #test(field: string, value: WhereValue, names: Vocabulary): GraphQLInputObjectType {
    const { resource, spec, nullable } = value
    const type = this.#values.input(spec, partType(resource.graphql.name, names.relation(resource, field)))
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
      const description = `Conditions on a value: all conditions must hold.`
      return new GraphQLInputObjectType({
        name,
        description,
        fields: { ...Object.fromEntries(fields), ...(nullable ? isNull : {}) },
      })
    })
  }
}

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

const belowMeaning = (parent: string): string => `its ${parent}, or a record above that one.`

const listOf = (type: GraphQLNullableInputType) => new GraphQLList(new GraphQLNonNull(type))

/** Kinds that share a scalar can differ in operators. */
function labelOf({ column, spec, tests }: WhereValue, type: string): string {
  const text = tests.has('includes') ? 'AnywhereText' : 'Text'
  const label = spec.kind === 'timestamp' ? 'Moment' : spec.kind === 'text' ? text : type
  return column.spec.kind === 'list' ? `${label}List` : label
}

/** These conditions, and groups of such. */
function conditionsType(name: string, about: string, of: () => GraphQLInputFieldConfigMap): GraphQLInputObjectType {
  const fields = (): GraphQLInputFieldConfigMap => ({
    ...of(),
    and: { type: listOf(type), description: 'All of these hold.' },
    or: { type: listOf(type), description: 'At least one of these holds.' },
    not: { type, description: 'This does not hold.' },
  })
  const description = `${about}: all conditions must hold.`
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({ name, description, fields })
  return type
}

const aboutStep = (field: string, { relation }: WhereStep): string =>
  relation.kind === 'one'
    ? `By the ${words(field)}; one that is missing or hidden compares as null.`
    : `By the ${words(field)}.`
