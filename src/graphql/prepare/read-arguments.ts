// The arguments of one field: read from its node once, coerced with the variables of each request.

import { type ASTNode, type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql'
import type { Variables } from './field-collector.ts'
import type { VariableValues } from './variables.ts'

export type ReadArguments = (variables: VariableValues) => Variables

/** Arguments without variables are coerced once. */
export function readerOf(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  if (hasVariables(node)) return (variables) => getArgumentValues(field, node, variables, undefined, true)
  const constant = getArgumentValues(field, node, undefined, undefined, true)
  return () => constant
}

const hasVariables = ({ arguments: args = [] }: FieldNode): boolean => args.flatMap(variablesIn).length > 0

export function variablesIn(node: ASTNode): readonly string[] {
  const names: string[] = []
  visit(node, {
    [Kind.VARIABLE]({ name }) {
      names.push(name.value)
    },
  })
  return names
}
