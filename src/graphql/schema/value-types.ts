// Types of values: scalars, enums, lists and nested objects, in output and input.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { aboutPart, aboutValue } from '../../resource/about.ts'
import type { Deprecating } from '../../resource/deprecation.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import { initialValue, kindOf } from '../../resource/field/registry.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, enumName, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import { singular } from '../../resource/naming/plural.ts'
import { leaving } from './deprecation.ts'
import { type Field, makeField } from './meaning.ts'
import { makeTextScalar } from './scalar.ts'

type ListSpec = SpecBase & { readonly of: SpecBase }
type ObjectSpec = SpecBase & { readonly fields: Readonly<Record<string, SpecBase>> }
type ChoiceSpec = SpecBase & {
  readonly values: readonly string[]
  readonly deprecatedValues?: Readonly<Record<string, Deprecating>>
}

/** Creates each named type once; outputs and inputs share enums. */
export class ValueTypes {
  readonly #vocabulary: Vocabulary
  readonly #json: GraphQLScalarType
  readonly #scalars: Map<string, GraphQLScalarType>
  readonly #enums = new Map<string, GraphQLEnumType>()
  readonly #forms = new WeakMap<object, string>()
  readonly #outputs = new Map<string, GraphQLObjectType>()
  readonly #inputs = new Map<string, GraphQLInputObjectType>()

  constructor(vocabulary: Vocabulary, json: GraphQLScalarType, scalars = new Map<string, GraphQLScalarType>()) {
    this.#vocabulary = vocabulary
    this.#json = json
    this.#scalars = scalars
  }

  /** With the same scalars, and enums and objects of its own: if two are called alike, the schema is invalid. */
  apart(): ValueTypes {
    return new ValueTypes(this.#vocabulary, this.#json, this.#scalars)
  }

  /** Without `!`. `name`: for an enum or object type. */
  output(spec: SpecBase, name: string, about?: string): GraphQLNullableOutputType {
    const leaf = this.#leaf(spec, name)
    if (leaf !== null) return leaf
    if (spec.kind === 'list') {
      const { of } = spec as ListSpec
      return new GraphQLList(required(this.output(of, singular(name)), of.optional))
    }
    return this.#once(this.#outputs, name, spec, () => this.#object(spec as ObjectSpec, name, about))
  }

  /** Without `!`. */
  input(spec: SpecBase, name: string, about?: string): GraphQLNullableInputType {
    if (spec.kind === 'argument') return this.input((spec as ListSpec).of, name)
    const leaf = this.#leaf(spec, name)
    if (leaf !== null) return leaf
    if (spec.kind === 'list')
      return new GraphQLList(new GraphQLNonNull(this.input((spec as ListSpec).of, singular(name))))
    return this.#once(this.#inputs, name, spec, () => this.#inputObject(spec as ObjectSpec, name, about))
  }

  #leaf(spec: SpecBase, name: string) {
    const type = kindOf(spec).graphql
    if (typeof type === 'object' && type !== null)
      return getOrInsert(this.#scalars, type.name, () => makeTextScalar(type))
    switch (type) {
      case 'Int':
        return GraphQLInt
      case 'Float':
        return GraphQLFloat
      case 'Boolean':
        return GraphQLBoolean
      case 'ID':
      case 'relation':
        return GraphQLID
      case 'JSON':
        return this.#json
      case 'enum':
        return this.#once(this.#enums, name, spec, () => makeEnum(name, spec as ChoiceSpec))
      case 'list':
      case 'object':
        return null
      default:
        return GraphQLString
    }
  }

  /** Throws if another type has this name. */
  #once<T extends object>(types: Map<string, T>, name: string, spec: SpecBase, make: () => T): T {
    const form = formOf(spec)
    const type = getOrInsert(types, name, make)
    if (getOrInsert(this.#forms, type, () => form) !== form)
      throw new Error(`Two types of GraphQL would be called ${name}.`)
    return type
  }

  #object(spec: ObjectSpec, name: string, about = aboutType(name)): GraphQLObjectType {
    const fields = (): Record<string, Field> =>
      this.#parts(spec, (part, of) =>
        leaving(
          makeField(required(this.output(of, partType(name, part)), of.optional), aboutPart(part, of), {
            is: 'part',
            part,
          }),
          of.deprecated,
        ),
      )
    return new GraphQLObjectType({ name, description: about, fields })
  }

  #inputObject(spec: ObjectSpec, name: string, about = aboutType(name)): GraphQLInputObjectType {
    const accepted = Object.entries(spec.fields).filter(([, of]) => !of.readOnly)
    const fields = (): Record<string, GraphQLInputFieldConfig> =>
      this.#parts({ ...spec, fields: Object.fromEntries(accepted) }, (part, of) => {
        const type = this.input(of, partType(name, part))
        const description = aboutPart(part, of)
        return leaving(
          { type: initialValue(of) === undefined ? new GraphQLNonNull(type) : type, description },
          of.deprecated,
        )
      })
    return new GraphQLInputObjectType({ name: `${name}Input`, description: about, fields })
  }

  #parts<T>(spec: ObjectSpec, make: (part: string, of: SpecBase) => T): Record<string, T> {
    const entries = Object.entries(spec.fields)
    return Object.fromEntries(entries.map(([part, of]) => [this.#vocabulary.part(part, of), make(part, of)]))
  }
}

/** Equal for specifications of one type: the values of a choice, or the kinds of an object's parts. */
function formOf(spec: SpecBase): string {
  const { fields, values } = spec as Partial<ObjectSpec & ChoiceSpec>
  const parts = Object.entries(fields ?? {}).map(([part, { kind, optional }]) => `${part}: ${kind} ${optional}`)
  return [...(values ?? []), ...parts].join()
}

/** `User`, `status` → `UserStatus`. */
/** Also of a path into an object. */
export const partType = (holder: string, path: string): string =>
  `${holder}${path.split('.').map(capitalised).join('')}`

export const required = (type: GraphQLNullableOutputType, nullable = false): GraphQLOutputType =>
  nullable ? type : new GraphQLNonNull(type)

export const needed = (type: GraphQLNullableInputType, isNeeded: boolean): GraphQLInputType =>
  isNeeded ? new GraphQLNonNull(type) : type

/** `An order item.` */
const aboutType = (name: string): string => `${capitalised(a(words(name)))}.`

const makeEnum = (name: string, { values, deprecatedValues }: ChoiceSpec): GraphQLEnumType =>
  new GraphQLEnumType({
    name,
    description: `What ${a(words(name))} can be.`,
    values: Object.fromEntries(
      values.map((value) => [
        enumName(value),
        leaving({ value, description: aboutValue(value) }, deprecatedValues?.[value]),
      ]),
    ),
  })
