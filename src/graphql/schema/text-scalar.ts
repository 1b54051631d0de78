// Scalars with a textual form: dates, UUIDs, exact numbers. The field validates the form, alike on both faces; the scalar refuses
// only non-strings.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import type { TextScalar } from '../../resource/field/field.ts'

/** A public copy: the specification of a scalar is a clause of the contract. */
const contract = 'https://unpkg.com/duet-api/docs/contract.md'

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
