// Loads the service of a command: `service.ts` in the current folder, or the file of `--service`.

import { existsSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Service } from '../../resource/language/service.ts'
import type { ServiceOptions } from '../../service/start/options.ts'
import { CommandError } from './command.ts'

const usual = ['service.ts', 'service.js']

/** Fails with CommandError if there is no file, or not exactly one service. */
export async function loadService(file: string | undefined, folder: string): Promise<Service<unknown>> {
  const { exported, name } = await exportsOf(file, folder)
  const services = new Set([exported['default'], ...Object.values(exported)].filter(isService))
  const [service] = services
  if (service === undefined) throw new CommandError(`${name} exports no service.`)
  if (services.size > 1 && !isService(exported['default'])) {
    throw new CommandError(`${name} exports ${services.size} services: choose one by \`export default\`.`)
  }
  return service
}

/** Options of `main(api, { … })` that change what is served, if the file exports them under these names. */
export async function loadOptions(
  file: string | undefined,
  folder: string,
): Promise<Pick<ServiceOptions, 'info' | 'cursorForm'>> {
  const { exported } = await exportsOf(file, folder)
  const names = ['info', 'cursorForm'].filter((name) => exported[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, exported[name]]))
}

async function exportsOf(file: string | undefined, folder: string) {
  const path = serviceFile(file, folder)
  const name = relative(folder, path)
  if (!existsSync(path)) throw new CommandError(`There is no file ${name}.`)
  return { name, exported: await imported(path, name) }
}

export const serviceFile = (file: string | undefined, folder: string): string =>
  file === undefined ? usualPath(folder) : isAbsolute(file) ? file : join(folder, file)

function usualPath(folder: string): string {
  const path = usual.map((name) => join(folder, name)).find(existsSync)
  if (path === undefined) throw new CommandError('There is no service.ts here: name its file with --service.')
  return path
}

async function imported(path: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`${name} cannot be imported: ${reason}`, { cause })
  }
}

const isService = (value: unknown): value is Service<unknown> =>
  typeof value === 'object' && value !== null && 'resources' in value && 'accounts' in value && 'roles' in value
