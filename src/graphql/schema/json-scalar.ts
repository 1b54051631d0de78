// Only reads literals; the field's kind validates.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { isRounded, losesDigits } from '../../json/exact-number.ts'

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
