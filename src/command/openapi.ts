// `duet openapi`: the OpenAPI document of one version of a service, for the tools of its clients.

import { readConfiguration } from '../configuration.ts'
import { describeEndpoints } from '../endpoint-descriptions.ts'
import { modelOf } from '../model-of.ts'
import { makeDocument } from '../rest/openapi/document.ts'
import { usualForm } from '../rest/rest-face.ts'
import { compileRoutes, type Routes } from '../rest/routes.ts'
import type { Version } from '../rest/version.ts'
import { type Command, CommandError, readArguments } from './command.ts'
import { loadService, serviceOption } from './load-service.ts'

/** Prints what `GET /api/{version}/openapi.json` answers, of the current version unless another one is named, untitled. */
export const openapiCommand: Command = async (args, { folder, variables, write }) => {
  const options = { ...serviceOption, version: { type: 'string' } } as const
  const { values } = readArguments(args, { options, names: [] })
  const model = modelOf(await loadService(values.service, folder))
  const configuration = readConfiguration(variables)
  const routes = compileRoutes(model)
  const document = makeDocument(versionOf(routes, values.version), routes, model, {
    limits: configuration.limits,
    endpoints: describeEndpoints(model, configuration),
    ...usualForm,
  })
  write(`${JSON.stringify(document, null, 2)}\n`)
  return 0
}

function versionOf({ versions }: Routes, name: string | undefined): Version {
  const found = name === undefined ? versions.at(-1) : versions.find((each) => each.name === name)
  if (found !== undefined) return found
  const names = versions.map((each) => each.name).join(', ')
  throw new CommandError(`There is no version "${name}"; the service has ${names}.`, { exitCode: 2 })
}
