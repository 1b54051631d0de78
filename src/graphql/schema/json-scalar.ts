// The scalar of free-form JSON objects. What fits is for the field's kind to say; this only reads literals.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'

/** `depthMax`: how deep a literal may nest, as deep as a JSON body may. (contract 7.2.5) */
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
      // Only validation sees variables here: before a document runs, graphql-js puts their values in their place.
      return null
  }
}

function numberOf(text: string, node: ValueNode): number {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new GraphQLError('JSON cannot hold so large a number.', { nodes: node })
  return value
}
