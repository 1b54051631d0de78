// Opens the store of DATABASE_URL.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { loadOptional } from '../../dependency/optional-package.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { bind, type Program, query, type Store, type StoreLog } from '../../store/store.ts'
import type { Tuning } from '../../store/tuning.ts'

export interface StoreOptions {
  readonly limits: Limits
  readonly log: StoreLog
  readonly tuning?: Tuning
}

/**
 * Creates the folder of a SQLite file. Rejects with an Error that names DATABASE_URL and contains no password if the text is
 * invalid or the database cannot be used. (contract 0.1.1)
 */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  if (databaseUrl === 'sqlite::memory:') return (await loadSqlite()).openSqlite({ path: null, ...options })
  if (/^sqlite:./.test(databaseUrl)) return openFile(databaseUrl.slice('sqlite:'.length), options)
  if (namesSeveralHosts(databaseUrl)) {
    throw new Error('DATABASE_URL names several hosts, and one is used: name the one that takes writes, or its proxy.')
  }
  if (/^postgres(ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl)) return openServer(databaseUrl, options)
  throw new Error('DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database.')
}

// Loaded on use: services need only one.
const loadSqlite = () =>
  loadOptional('better-sqlite3', 'DATABASE_URL names SQLite', () => import('../../store/sqlite/store.ts'))
const loadPostgres = () =>
  loadOptional('pg', 'DATABASE_URL names PostgreSQL', async () => ({
    ...(await import('../../store/postgres/store.ts')),
    ...(await import('../../store/postgres/pooler.ts')),
    ...(await import('../../store/postgres/connection.ts')),
  }))

function namesSeveralHosts(databaseUrl: string): boolean {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(databaseUrl) ?? []
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}

/** Does not create a file. Rejects like `openStore`. */
export async function openExisting(databaseUrl: string, options: StoreOptions): Promise<Store> {
  requireFile(databaseUrl)
  return openStore(databaseUrl, options)
}

export async function openForReading(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const path = requireFile(databaseUrl)
  if (path === null) return openStore(databaseUrl, options)
  const { openSqliteForReading } = await loadSqlite()
  // As below.
  try {
    return openSqliteForReading({ path, ...options })
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/** The file must exist; null for another database. */
function requireFile(databaseUrl: string): string | null {
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl) ?? []
  if (path === undefined) return null
  if (path === ':memory:') throw new Error('DATABASE_URL names a database in memory, which no other process can read.')
  if (existsSync(path)) return path
  throw new Error(
    `The file ${path} is not there: start the service first, or set DATABASE_URL to the database that it uses.`,
  )
}

async function openFile(path: string, options: StoreOptions): Promise<Store> {
  const { openSqlite } = await loadSqlite()
  // The operator needs the reason.
  try {
    // Private: the database contains signing keys and password hashes.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSqlite({ path, ...options })
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

const cannotOpen = (path: string, error: unknown): Error =>
  new Error(`DATABASE_URL names ${path}, which SQLite cannot open: ${reason(error)}.`, { cause: error })

async function openServer(url: string, options: StoreOptions): Promise<Store> {
  const { host, pathname } = new URL(url)
  const subject = `DATABASE_URL names the database ${pathname.slice(1)} at ${host}`
  const { openPostgres, requirePreparedStatements, sessionSettings } = await loadPostgres()
  const store = openPostgres({ url, ...options })
  // As above.
  try {
    const { version, encoding } = await store.read(server())
    if (version < oldest) throw new Error(`it is PostgreSQL ${Math.floor(version / 10_000)}, older than 14`)
    if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, not UTF8`)
    await requirePreparedStatements(url, options.limits)
    const ignored = await store.read(ignoredSetting(sessionSettings))
    if (ignored !== null)
      throw new Error(
        `it ignores the options of connections, such as ${ignored}: let it pass them on, or set them for the role`,
      )
    return store
  } catch (error) {
    await store.close()
    throw new Error(`${subject}, which cannot be used: ${reason(error)}.`, { cause: error })
  }
}

const oldest = 140_000
const serverQuery = query(`select current_setting('server_version_num')::integer, current_setting('server_encoding')`)

function* server(): Program<{ readonly version: number; readonly encoding: string }> {
  const [row] = yield bind(serverQuery)
  return { version: Number(row![0]), encoding: String(row![1]) }
}

/** A requested setting that the session does not have, if it affects values or guarantees. */
function* ignoredSetting(settings: Readonly<Record<string, string>>): Program<string | null> {
  for (const [name, value] of Object.entries(settings)) {
    const [row] = yield bind(query('select current_setting($1)'), name)
    const isSame = alike.get(name)?.test(String(row![0])) ?? row![0] === value
    if (!isSame) return name
  }
  return null
}
const alike: ReadonlyMap<string, RegExp> = new Map([
  ['TimeZone', /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu)$/],
  ['DateStyle', /^ISO\b/],
  ['extra_float_digits', /^[1-3]$/],
  ['jit', /./],
  ['client_connection_check_interval', /./],
])

function reason(error: unknown): string {
  const cause = error instanceof Failure ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  // Trying several addresses of a name fails with an AggregateError without message.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return String((first as Error).message).replace(/\.$/, '')
}
