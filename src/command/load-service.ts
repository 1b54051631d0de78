// Finds the service that a command is about: `service.ts` in the current folder, or what `--service` names.

import { existsSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Service } from '../resource/language/service.ts'
import type { AuthorRoute } from '../rest/custom-route/route.ts'
import type { DocumentInfo } from '../rest/openapi/document-context.ts'
import type { CursorForm } from '../rest/page.ts'
import { CommandError } from './command.ts'

const usual = ['service.ts', 'service.js']

/** Imports the service that a file exports. Fails with CommandError where there is no such file, or not one service. */
export async function loadService(file: string | undefined, folder: string): Promise<Service<unknown>> {
  const { exported, name } = await exportsOf(file, folder)
  const services = new Set([exported['default'], ...Object.values(exported)].filter(isService))
  const [service] = services
  if (service === undefined) throw new CommandError(`${name} exports no service.`)
  if (services.size > 1 && !isService(exported['default'])) {
    throw new CommandError(`${name} exports ${services.size} services: say which one by \`export default\`.`)
  }
  return service
}

/** What `main(api, { … })` is given that changes what is served, where the same file exports it under the same names. */
export interface ServedOptions {
  readonly routes: readonly AuthorRoute[]
  readonly info?: DocumentInfo
  readonly cursorForm?: CursorForm
}
export async function loadOptions(file: string | undefined, folder: string): Promise<ServedOptions> {
  const { exported } = await exportsOf(file, folder)
  const names = ['info', 'cursorForm'].filter((name) => exported[name] !== undefined)
  return {
    routes: (exported['routes'] ?? []) as readonly AuthorRoute[],
    ...Object.fromEntries(names.map((name) => [name, exported[name]])),
  }
}

async function exportsOf(file: string | undefined, folder: string) {
  const path = serviceFile(file, folder)
  const name = relative(folder, path)
  if (!existsSync(path)) throw new CommandError(`There is no file ${name}.`)
  return { name, exported: await imported(path, name) }
}

/** The absolute path of the file that was named, or of `service.ts`. Fails with CommandError where neither is there. */
export const serviceFile = (file: string | undefined, folder: string): string =>
  file === undefined ? usualPath(folder) : isAbsolute(file) ? file : join(folder, file)

function usualPath(folder: string): string {
  const path = usual.map((name) => join(folder, name)).find(existsSync)
  if (path === undefined) throw new CommandError('There is no service.ts here: say where it is with --service.')
  return path
}

async function imported(path: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (cause) {
    // Whatever keeps somebody else's file from being imported is told to whoever named it.
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`${name} cannot be imported: ${reason}`, { cause })
  }
}

const isService = (value: unknown): value is Service<unknown> =>
  typeof value === 'object' && value !== null && 'resources' in value && 'accounts' in value && 'roles' in value
