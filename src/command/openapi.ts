// `duet openapi`: the OpenAPI document of one version of a service, for the tools of its clients.

import type { Version } from '../rest/version.ts'
import { type Command, CommandError, readArguments } from './command.ts'
import { optionsOf } from './options.ts'
import { loadServed, type Served } from './served.ts'

/** Prints what `GET /api/{version}/openapi.json` answers, of the current version unless another one is named. */
export const openapiCommand: Command = async (args, { folder, variables, write }) => {
  const options = optionsOf('service', 'version')
  const { values } = readArguments(args, { options, names: [] })
  const served = await loadServed(values.service, folder, variables)
  write(`${JSON.stringify(served.document(versionOf(served, values.version)), null, 2)}\n`)
  return 0
}

/** The version of this name, or the current one. Fails with CommandError where there is none. */
export function versionOf({ versions }: Served, name: string | undefined): Version {
  const version = name === undefined ? versions.at(-1) : versions.find((each) => each.name === name)
  if (version !== undefined) return version
  const names = versions.map((each) => each.name).join(', ')
  throw new CommandError(`There is no version "${name}"; the service has ${names}.`, { exitCode: 2 })
}
