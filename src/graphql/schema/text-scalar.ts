// The scalars whose values are texts of a form: dates, UUIDs, exact numbers. Whether the form is right is for the field to say, so
// that both faces say the same; here only what is no text is refused, as it is for String.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import type { TextScalar } from '../../resource/field/field.ts'

/** Where the packages of npm can be read: what a scalar is, is a clause of the contract. */
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
