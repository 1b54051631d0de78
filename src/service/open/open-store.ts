// Opens the store of DATABASE_URL.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { loadOptional } from '../../dependency/optional-package.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { hostUrls } from '../../store/host-urls.ts'
import type { Pooling } from '../../store/postgres/pooler.ts'
import { bind, type Program, query, rowsOf, type Store, type StoreLog } from '../../store/store.ts'
import type { Tuning } from '../../store/tuning.ts'

export interface StoreOptions {
  readonly limits: Limits
  readonly log: StoreLog
  readonly tuning?: Tuning
  /** Of the server itself, if DATABASE_URL names a pooler. */
  readonly listenUrl?: string | null
  /** Called with what stands before the server. */
  readonly notePooling?: (pooling: Pooling) => void
}

/**
 * Creates the folder of a SQLite file. Rejects with an Error that names DATABASE_URL and contains no password if the text is
 * invalid or the database cannot be used. (contract 0.1.1)
 */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  if (databaseUrl === 'sqlite::memory:') return (await loadSqlite()).openSqlite({ path: null, ...options })
  if (/^sqlite:./.test(databaseUrl)) return openFile(databaseUrl.slice('sqlite:'.length), options)
  const urls = hostUrls(databaseUrl)
  if (/^postgres(ql)?:\/\//.test(databaseUrl) && urls.every((url) => URL.canParse(url)))
    return openServer(urls, options)
  throw new Error('DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database.')
}

// Loaded on use: services need only one.
const loadSqlite = () =>
  loadOptional('better-sqlite3', 'DATABASE_URL names SQLite', () => import('../../store/sqlite/store.ts'))
const loadPostgres = () =>
  loadOptional('pg', 'DATABASE_URL names PostgreSQL', async () => ({
    ...(await import('../../store/postgres/store.ts')),
    ...(await import('../../store/postgres/pooler.ts')),
    ...(await import('../../store/postgres/hosts.ts')),
    ...(await import('../../store/postgres/connection.ts')),
  }))

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

async function openServer(urls: readonly string[], options: StoreOptions): Promise<Store> {
  const { host, pathname } = new URL(urls[0]!)
  const subject = `DATABASE_URL names the database ${pathname.slice(1)} at ${[host, ...urls.slice(1).map((url) => new URL(url).host)].join()}`
  const { openPostgres, examinePooling, findHost, sessionSettings } = await loadPostgres()
  let store: Store | null = null
  // As above.
  try {
    const { limits, listenUrl = null, notePooling } = options
    const hosts = await findHost(urls, options)
    const pooling = await examinePooling(hosts.url, limits)
    notePooling?.(pooling)
    const direct = listenUrl === null ? null : await findHost(hostUrls(listenUrl), options)
    store = openPostgres({ server: { hosts, pooling, direct }, ...options })
    const [server] = await store.read(rowsOf(serverQuery))
    const [version, encoding] = [Number(server![0]), String(server![1])]
    if (version < oldest) throw new Error(`it is PostgreSQL ${Math.floor(version / 10_000)}, older than 14`)
    if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, not UTF8`)
    const isPooled = pooling.lends !== 'nothing'
    const settings = isPooled
      ? { ...sessionSettings, statement_timeout: `${limits.statementTimeoutMs}` }
      : sessionSettings
    const sentence = await store.read(ignoredSettings(settings, isPooled))
    if (sentence !== null) throw new Error(sentence)
    return store
  } catch (error) {
    await store?.close()
    throw new Error(`${subject}, which cannot be used: ${reason(error)}.`, { cause: error })
  }
}

const oldest = 140_000
const serverQuery = query(`select current_setting('server_version_num')::integer, current_setting('server_encoding')`)

const settingsQuery = query(
  `select name, setting, quote_ident(current_user) || ' in database ' || quote_ident(current_database()) from pg_settings where name = any($1)`,
)

/** What to do about settings that the session does not have, if they affect values or guarantees. (contract 0.1.11) */
function* ignoredSettings(settings: Readonly<Record<string, string>>, isPooled: boolean): Program<string | null> {
  const rows = yield bind(settingsQuery, `{${Object.keys(settings).join()}}`)
  const ignored = rows.map(([name, value]) => ({ name: String(name), value: String(value) })).filter(isIgnored)
  if (ignored.length === 0) return null
  const role = String(rows[0]![2])
  const alter = ignored.map(({ name }) => `alter role ${role} set ${name} = '${settings[name]!}'`)
  return (
    `it ignores the options of connections, such as ${ignored[0]!.name}: let it pass them on, or run, and let it open new ` +
    `connections: ${alter.join('; ')}`
  )

  function isIgnored({ name, value }: { readonly name: string; readonly value: string }): boolean {
    if (isPooled && name === 'jit') return value !== settings[name]
    return alike.get(name)?.test(value) !== true && value !== settings[name]
  }
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
