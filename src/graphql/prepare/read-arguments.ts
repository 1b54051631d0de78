// Compiles the arguments of a field once; variables are coerced per request.

import { type ASTNode, type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql'
import { type Arguments, noArguments, renamingOf } from './older-names.ts'
import type { VariableValues } from './variables.ts'

export type ReadArguments = (variables: VariableValues) => Arguments

export function readerOf(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const rename = renamingOf(field.args)
  const read = (variables?: VariableValues): Arguments => {
    const values = getArgumentValues(field, node, variables, undefined, true)
    return rename === null ? { ...noArguments, values } : rename(values)
  }
  if (hasVariables(node)) return read
  const constant = read()
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
