// What a service would serve: its documents and its schema.

import type { GraphQLSchema } from 'graphql'
import { definitionsOf } from '../../custom-route/definition.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import { makeDocument } from '../../openapi/document.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { authorAddresses } from '../../rest/custom-route/address.ts'
import { usualForm } from '../../rest/rest-face.ts'
import { compileRoutes, type Routes } from '../../rest/route/routes.ts'
import type { Version } from '../../rest/route/version.ts'
import { type Configuration, readConfiguration } from '../../service/configuration/configuration.ts'
import { describeEndpoints } from '../../service/pipeline/endpoints.ts'
import { readDefinition } from '../../service/start/read-definition.ts'
import { loadOptions, loadService } from './load-service.ts'

export interface Served {
  readonly model: Model
  readonly configuration: Configuration
  /** Oldest first; the last is current. */
  readonly versions: readonly Version[]
  readonly routes: Routes
  /** As `GET /api/{version}/openapi.json` returns it. */
  document(version: Version): object
  schema(): GraphQLSchema
}

export async function loadServed(
  file: string | undefined,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Served> {
  const configuration = readConfiguration(variables)
  const parts = readDefinition(await loadService(file, folder), configuration.limits)
  const { model } = parts
  const form = await loadOptions(file, folder)
  const routes = compileRoutes(model)
  const options = {
    ...usualForm,
    ...form,
    limits: configuration.limits,
    endpoints: describeEndpoints(model, configuration),
    authored: authorAddresses(definitionsOf(parts.routes), routes.versions),
  }
  return {
    model,
    configuration,
    versions: routes.versions,
    routes,
    document: (version) => makeDocument(version, routes, model, options),
    schema: () => makeSchema(model, graphqlVocabulary(), configuration.limits, definitionsOf(parts.routes)),
  }
}
