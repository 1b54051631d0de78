// `duet schema`: the GraphQL schema of a service, for the tools of its clients.

import { lexicographicSortSchema, printSchema } from 'graphql'
import { readConfiguration } from '../configuration.ts'
import { makeSchema } from '../graphql/schema.ts'
import { modelOf } from '../model-of.ts'
import { graphqlVocabulary } from '../resource/vocabulary.ts'
import { type Command, readArguments } from './command.ts'
import { loadService, serviceOption } from './load-service.ts'

/** Prints the schema in the schema definition language, in the order of the alphabet, so that only changes differ. */
export const schemaCommand: Command = async (args, { folder, variables, write }) => {
  const { values } = readArguments(args, { options: serviceOption, names: [] })
  const model = modelOf(await loadService(values.service, folder))
  const { limits } = readConfiguration(variables)
  write(`${printSchema(lexicographicSortSchema(makeSchema(model, graphqlVocabulary(), limits)))}\n`)
  return 0
}
