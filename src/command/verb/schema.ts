// `duet schema`: prints the GraphQL schema.

import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { type Command, readArguments } from '../service/command.ts'
import { loadServed } from '../service/served.ts'

export const schemaCommand: Command = async (args, { folder, variables, write }) => {
  const { values } = readArguments(args, ['service'])
  const served = await loadServed(values.service, folder, variables)
  write(printed(served.schema()))
  return 0
}

/** Sorted, so that only changes differ. */
export const printed = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`
