// `duet openapi`: prints the OpenAPI document of a version.

import type { Version } from '../../rest/route/version.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'
import { loadServed, type Served } from '../service/served.ts'

/** As `GET /api/{version}/openapi.json`, by default of the current version. */
export const openapiCommand: Command = async (args, { folder, variables, write }) => {
  const { values } = readArguments(args, ['service', 'version'])
  const served = await loadServed(values.service, folder, variables)
  write(`${JSON.stringify(served.document(versionOf(served, values.version)), null, 2)}\n`)
  return 0
}

/** Fails with CommandError for an unknown version. */
export function versionOf({ versions }: Served, name: string | undefined): Version {
  const version = name === undefined ? versions.at(-1) : versions.find((each) => each.name === name)
  if (version !== undefined) return version
  const names = versions.map((each) => each.name).join(', ')
  throw new CommandError(`There is no version "${name}"; the service has ${names}.`, { exitCode: 2 })
}
