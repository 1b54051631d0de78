// What a service would serve, worked out without serving it: its documents and its schema, for every command that shows them.

import type { GraphQLSchema } from 'graphql'
import { makeSchema } from '../graphql/schema/schema.ts'
import type { Model } from '../resource/model/model.ts'
import { graphqlVocabulary } from '../resource/model/vocabulary.ts'
import { authorAddresses } from '../rest/custom-route/address.ts'
import { definitionsOf } from '../rest/custom-route/definition.ts'
import { makeDocument } from '../rest/openapi/document.ts'
import type { DocumentInfo } from '../rest/openapi/document-context.ts'
import { usualForm } from '../rest/rest-face.ts'
import { compileRoutes, type Routes } from '../rest/routes.ts'
import type { Version } from '../rest/version.ts'
import { requireSoundRoutes } from '../service/check-routes.ts'
import { compileService } from '../service/compile-service.ts'
import { type Configuration, readConfiguration } from '../service/configuration.ts'
import { describeEndpoints } from '../service/endpoints.ts'
import { loadOptions, loadService } from './load-service.ts'

export interface Served {
  readonly model: Model
  readonly configuration: Configuration
  /** Oldest first; the last is current. */
  readonly versions: readonly Version[]
  readonly routes: Routes
  /** How the documents introduce the service. */
  readonly info: DocumentInfo
  /** What `GET /api/{version}/openapi.json` answers. */
  document(version: Version): object
  schema(): GraphQLSchema
}

/** Fails with CommandError, ServiceDefinitionError and ConfigurationError. */
export async function loadServed(
  file: string | undefined,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Served> {
  const model = compileService(await loadService(file, folder))
  const { routes: own, ...form } = await loadOptions(file, folder)
  const configuration = readConfiguration(variables)
  requireSoundRoutes(own, model, configuration.limits)
  const routes = compileRoutes(model)
  const options = {
    ...usualForm,
    ...form,
    limits: configuration.limits,
    endpoints: describeEndpoints(model, configuration),
    authored: authorAddresses(definitionsOf(own), routes.versions),
  }
  return {
    model,
    configuration,
    versions: routes.versions,
    routes,
    info: options.info,
    document: (version) => makeDocument(version, routes, model, options),
    schema: () => makeSchema(model, graphqlVocabulary(), configuration.limits),
  }
}
