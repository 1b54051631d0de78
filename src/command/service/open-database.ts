// Opens the database of DATABASE_URL for commands, whether the service runs or not. Never creates one: results from an empty
// database would mislead.

import { isAbsolute, resolve } from 'node:path'
import { silentLog } from '../../observation/log.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { openExisting, openForReading } from '../../service/open/open-store.ts'
import { hostUrls } from '../../store/host-urls.ts'
import { hasSchema } from '../../store/migration/migrate.ts'
import type { Store } from '../../store/store.ts'
import { type CommandEnvironment, CommandError } from './command.ts'

type Environment = Pick<CommandEnvironment, 'folder' | 'variables' | 'note'>

/** Read-only. Fails with CommandError if it is no database of Duet, or cannot be opened. */
export const openDatabase = (environment: Environment): Promise<Store> => openWith(openForReading, environment)

/** Null if it has no file. */
export function databaseFile({ folder, variables }: Pick<Environment, 'folder' | 'variables'>): string | null {
  const path = filePath(readConfiguration(variables).databaseUrl)
  return path === null ? null : resolve(folder, path)
}

type UseDatabase = <T>(environment: Environment, work: (store: Store) => Promise<T>) => Promise<T>

/** Opens it read-only, and closes it after the work. Fails like `openDatabase`. */
export const readDatabase: UseDatabase = async (environment, work) => use(await openDatabase(environment), work)

/** Opens it for writes, and closes it after the work. Fails like `openDatabase`. */
export const changeDatabase: UseDatabase = async (environment, work) =>
  use(await openWith(openExisting, environment), work)

async function use<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function openWith(open: typeof openExisting, { folder, variables, note }: Environment): Promise<Store> {
  const { databaseUrl, limits, listenUrl } = readConfiguration(variables)
  const isDefault = (variables['DATABASE_URL'] ?? '') === ''
  note(`Database: ${nameOf(databaseUrl, folder)}${isDefault ? ' (DATABASE_URL is not set)' : ''}\n`)
  const store = await open(inFolder(databaseUrl, folder), { limits, log: silentLog, listenUrl }).catch(
    (cause: Error) => {
      // The message names DATABASE_URL and the problem.
      throw new CommandError(cause.message, { cause })
    },
  )
  try {
    await requireSchema(store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function requireSchema(store: Store): Promise<void> {
  if (await store.read(hasSchema(store.engine))) return
  throw new CommandError('The database has no tables of Duet: start the service first, or set DATABASE_URL to its own.')
}

const filePath = (databaseUrl: string): string | null => /^sqlite:(?!:memory:$)(.+)$/.exec(databaseUrl)?.[1] ?? null

function inFolder(databaseUrl: string, folder: string): string {
  const path = filePath(databaseUrl)
  return path === null || isAbsolute(path) ? databaseUrl : `sqlite:${resolve(folder, path)}`
}

/** Identifies the database without user name or password. */
function nameOf(databaseUrl: string, folder: string): string {
  const path = filePath(databaseUrl)
  if (path !== null) return `${resolve(folder, path)}, SQLite`
  const urls = hostUrls(databaseUrl)
  if (databaseUrl.startsWith('sqlite:') || !urls.every((url) => URL.canParse(url))) return databaseUrl.split(':')[0]!
  const { pathname } = new URL(urls[0]!)
  return `${pathname.slice(1)} at ${urls.map((url) => new URL(url).host).join()}, PostgreSQL`
}
