// `duet schema`: the GraphQL schema of a service, for the tools of its clients.

import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { type Command, readArguments } from './command.ts'
import { optionsOf } from './options.ts'
import { loadServed } from './served.ts'

/** Prints the schema in the schema definition language. */
export const schemaCommand: Command = async (args, { folder, variables, write }) => {
  const { values } = readArguments(args, { options: optionsOf('service'), names: [] })
  const served = await loadServed(values.service, folder, variables)
  write(printed(served.schema()))
  return 0
}

/** In the order of the alphabet, so that only changes differ. */
export const printed = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`
