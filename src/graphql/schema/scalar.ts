// Scalars of our own. They only read values: the field validates them, alike on both faces.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { isRounded, losesDigits } from '../../json/exact-number.ts'
import type { TextScalar } from '../../resource/field/field.ts'

/** The nesting limit of a JSON body. (contract 7.2.5) */
export const makeJsonScalar = (depthMax: number): GraphQLScalarType =>
  new GraphQLScalarType({
    name: 'JSON',
    description: 'Any JSON value.',
    coerceInputValue: (value) => value,
    coerceInputLiteral: (node) => readLiteral(node as ValueNode, depthMax),
  })

function readLiteral(node: ValueNode, depthLeft: number): unknown {
  if (depthLeft === 0) throw new GraphQLError('JSON cannot be nested so deep.', { nodes: node })
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value
    case Kind.INT:
    case Kind.FLOAT:
      return numberOf(node.value, node)
    case Kind.LIST:
      return node.values.map((each) => readLiteral(each, depthLeft - 1))
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, readLiteral(value, depthLeft - 1)]))
    case Kind.VARIABLE:
      // Variables are seen only in validation: graphql-js replaces them before execution.
      return null
  }
}

function numberOf(text: string, node: ValueNode): number {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new GraphQLError('JSON cannot hold so large a number.', { nodes: node })
  if (isRounded(text)) throw new GraphQLError(losesDigits, { nodes: node })
  return value
}

/** A public copy: the specification of a scalar is a clause of the contract. */
const contract = 'https://unpkg.com/duet-api/docs/contract.md'

/** With a textual form: dates, UUIDs, exact numbers. Refuses only non-strings. */
export const makeTextScalar = ({ name, about, clause }: TextScalar): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    description: about,
    specifiedByURL: `${contract}#${clause}`,
    coerceInputValue: (value) => requireText(value, name),
    coerceInputLiteral: (node) => {
      if (node.kind === Kind.STRING) return node.value
      throw new GraphQLError(`${name} cannot represent a non string value: ${described(node as ValueNode)}.`, {
        nodes: node as ValueNode,
      })
    },
  })

function requireText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new GraphQLError(`${name} cannot represent a non string value.`)
}

const described = (node: ValueNode): string => ('value' in node ? String(node.value) : node.kind)
