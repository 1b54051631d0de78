// The fields of a selection, with fragments, directives and repetition resolved. (contract 8.2.3)

import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Operation } from '../document/document.ts'

export interface ResponseField {
  readonly key: string
  readonly field: GraphQLField<unknown, unknown>
  /** All occurrences; their name and arguments are equal. */
  readonly nodes: readonly FieldNode[]
  readonly below: readonly SelectionSetNode[]
}

/** As coerced by graphql-js. */
export type Variables = Readonly<Record<string, unknown>>

/** For one operation and outcome of its directives. Equal calls return the same list. */
export class FieldCollector {
  readonly schema: GraphQLSchema
  readonly operation: Operation
  readonly rootType: GraphQLObjectType
  readonly #variables: Variables
  readonly #numbers = new Map<SelectionSetNode, number>()
  readonly #results = new Map<string, readonly ResponseField[]>()

  constructor(schema: GraphQLSchema, operation: Operation, variables: Variables) {
    this.schema = schema
    this.operation = operation
    this.rootType = schema.getRootType(operation.node.operation)!
    this.#variables = variables
  }

  roots(): readonly ResponseField[] {
    return this.of(this.rootType, [this.operation.node.selectionSet])
  }

  of(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly ResponseField[] {
    const key = `${type.name} ${sets.map((set) => this.#numberOf(set)).join(' ')}`
    return getOrInsert(this.#results, key, () => this.#collect(type, sets))
  }

  includes({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
    return (
      directives === undefined ||
      directives.every(({ name, arguments: args }) => {
        if (name.value !== 'skip' && name.value !== 'include') return true
        const value = args!.find((each) => each.name.value === 'if')!.value
        const holds =
          value.kind === Kind.VARIABLE
            ? this.#variables[value.name.value] === true
            : value.kind === Kind.BOOLEAN && value.value
        return holds === (name.value === 'include')
      })
    )
  }

  #numberOf(set: SelectionSetNode): number {
    return getOrInsert(this.#numbers, set, () => this.#numbers.size)
  }

  #collect(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly ResponseField[] {
    const nodes = new Map<string, FieldNode[]>()
    const visitedNames = new Set<string>()
    const visit = (set: SelectionSetNode): void => {
      for (const selection of set.selections) {
        if (!this.includes(selection)) continue
        if (selection.kind === Kind.FIELD) {
          getOrInsert(nodes, (selection.alias ?? selection.name).value, () => []).push(selection)
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (this.#covers(selection.typeCondition?.name.value, type)) visit(selection.selectionSet)
        } else {
          const name = selection.name.value
          if (visitedNames.has(name)) continue
          visitedNames.add(name)
          const fragment = this.operation.fragments.get(name)!
          if (this.#covers(fragment.typeCondition.name.value, type)) visit(fragment.selectionSet)
        }
      }
    }
    sets.forEach(visit)
    return [...nodes].map(([key, all]) => ({
      key,
      field: this.schema.getField(type, all[0]!.name.value)!,
      nodes: all,
      below: all.flatMap((node) => node.selectionSet ?? []),
    }))
  }

  #covers(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true
    const wider = this.schema.getType(condition)
    return isAbstractType(wider) && this.schema.isSubType(wider, type)
  }
}

/** Empty for scalars and enums. */
export function typesOf(field: GraphQLField<unknown, unknown>, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  const type = getNamedType(field.type)
  if (!isCompositeType(type)) return []
  return isObjectType(type) ? [type] : schema.getPossibleTypes(type)
}

export const isIntrospection = ({ name }: GraphQLField<unknown, unknown>): boolean =>
  name === '__schema' || name === '__type'
