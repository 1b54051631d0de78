// One connection to a SQLite file: opening, prepared statements, errors.

import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { unavailable } from '../program.ts'
import { primaryKeyName, uniqueName } from '../sql/text/names.ts'
import {
  type Bound,
  type ReadCounter,
  ReferenceViolation,
  type Statement,
  type StoreCounts,
  type StoredRow,
  UniqueViolation,
} from '../store.ts'
import type { WriteObstacle } from '../write-outage.ts'
import { FileMoved } from './file.ts'
import { installWatch, type StatementWatch } from './statement-watch.ts'

interface Prepared {
  readonly statement: Database.Statement<unknown[], StoredRow>
  readonly places: readonly number[]
  readonly writes: boolean
}

const noRows: readonly StoredRow[] = []
const mebibyte = 1_048_576

export class SqliteConnection {
  readonly #database: Database.Database
  readonly #counts: StoreCounts
  readonly #watch: StatementWatch | null
  // By identity: what its owner drops is dropped here, too.
  readonly #prepared = new WeakMap<Statement, Prepared>()

  /** `watch` ends slow statements; null if none runs here. */
  constructor(database: Database.Database, counts: StoreCounts, watch: StatementWatch | null = null) {
    this.#database = database
    this.#counts = counts
    this.#watch = watch
    if (watch !== null) installWatch(database, watch)
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  writes(statement: Statement): boolean {
    return this.#prepare(statement).writes
  }

  /** Throws what `meaningOf` returns. */
  execute(bound: Bound): readonly StoredRow[] {
    try {
      return this.run(bound)
    } catch (error) {
      throw meaningOf(error)
    }
  }

  /** Throws SQLite's own error. */
  run({ statement, values, counter }: Bound): readonly StoredRow[] {
    const { statement: prepared, places } = this.#prepare(statement)
    const parameters = new Array<unknown>(places.length)
    for (let at = 0; at < places.length; at++) {
      const value = values[places[at]!]
      parameters[at] = typeof value === 'boolean' ? Number(value) : value
    }
    this.#counts.statements++
    if (statement.scanSize !== undefined) this.#watch?.start()
    if (!prepared.reader) {
      prepared.run(parameters)
      return statement.namesColumns === true ? [[]] : noRows
    }
    // `get` would leave `insert … returning` unfinished, which blocks checkpoints.
    const rows = counter === undefined ? prepared.all(parameters) : readCounted(prepared.iterate(parameters), counter)
    this.#counts.rows += rows.length
    return statement.namesColumns === true ? [prepared.columns().map(({ name }) => name), ...rows] : rows
  }

  /** Throws SQLite's own error. */
  control(statement: Statement): void {
    this.#prepare(statement).statement.run()
  }

  checkpoint(): boolean {
    if (this.#database.inTransaction) return false
    // The rest stays in the log; a write will report the obstacle.
    try {
      const [result] = this.#database.pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[]
      return result!.log === result!.checkpointed
    } catch {
      return false
    }
  }

  close(): void {
    this.#database.close()
  }

  #prepare(statement: Statement): Prepared {
    const existing = this.#prepared.get(statement)
    if (existing !== undefined) return existing
    const { sql, places } = withoutNumbers(statement.sql)
    const prepared = this.#database.prepare<unknown[], StoredRow>(sql)
    const entry = { statement: prepared.reader ? prepared.raw(true) : prepared, places, writes: !prepared.readonly }
    this.#prepared.set(statement, entry)
    return entry
  }
}

/** In WAL mode, readable only by its owner, since it holds secrets. */
export function openWriter(path: string | null): Database.Database {
  if (path !== null) closeSync(openSync(path, 'a', 0o600))
  // A second process that starts now needs the file briefly.
  const database = new Database(path ?? ':memory:', { timeout: 5_000 })
  const mode = database.pragma('journal_mode = wal', { simple: true })
  if (path !== null && mode !== 'wal') throw new Error(`SQLite cannot keep a write-ahead log next to ${path}.`)
  // A commit survives a power loss, at the price of a flush.
  database.pragma('synchronous = full')
  database.pragma('foreign_keys = on')
  database.pragma(`journal_size_limit = ${64 * mebibyte}`)
  database.pragma('cache_size = -16000')
  database.pragma('temp_store = memory')
  // The write queue waits for other processes without blocking.
  database.pragma('busy_timeout = 0')
  // The first read creates the log.
  database.pragma('user_version')
  return database
}

/** Throws when there are too many characters. */
function readCounted(iterator: Iterable<StoredRow>, counter: ReadCounter): readonly StoredRow[] {
  const rows: StoredRow[] = []
  try {
    for (const row of iterator) {
      rows.push(row)
      counter.addRead(charsIn(row))
    }
    return rows
  } catch (error) {
    // They may be read again elsewhere, and must count once.
    for (const row of rows) counter.addRead(-charsIn(row))
    throw error
  }
}

export function charsIn(row: StoredRow): number {
  let chars = 0
  for (const value of row) if (typeof value === 'string') chars += value.length
  return chars
}

export function openReader(path: string): Database.Database {
  const database = new Database(path, { readonly: true, timeout: 1_000 })
  database.pragma('cache_size = -16000')
  database.pragma('temp_store = memory')
  return database
}

/** Maps errors to those of `Store`. Other errors are bugs. */
export function meaningOf(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const { code, message } = error
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    // `UNIQUE constraint failed: users.email`, or several columns separated by commas.
    const columns = message.slice(message.indexOf(': ') + 2).split(', ')
    const table = columns[0]!.split('.')[0]!
    const names = columns.map((column) => column.slice(table.length + 1))
    return new UniqueViolation(code.endsWith('UNIQUE') ? uniqueName(table, names) : primaryKeyName(table))
  }
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new ReferenceViolation(null)
  return passing.test(code) ? unavailable(error) : error
}
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|NOMEM|CANTOPEN|PROTOCOL|INTERRUPT|READONLY|CORRUPT|NOTADB)/

export function obstacleIn(error: unknown): WriteObstacle | null {
  if (error instanceof FileMoved) return 'gone'
  if (!(error instanceof Database.SqliteError)) return null
  if (error.code === 'SQLITE_FULL') return 'full'
  return /^SQLITE_(READONLY|IOERR|CANTOPEN)/.test(error.code) ? 'read-only' : null
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Replaces `?1` by `+?`: the driver treats numbered parameters as named ones, which costs a third of a point read. The plus
 * hides the value from the planner, which would otherwise recompile per value if there is a partial index.
 */
function withoutNumbers(sql: string): { readonly sql: string; readonly places: readonly number[] } {
  const places: number[] = []
  // Matches quoted texts first, to skip question marks in them.
  const text = sql.replace(/'[^']*'|"[^"]*"|\?(\d*)/g, (match: string, number?: string) => {
    if (number === undefined) return match
    places.push(number === '' ? places.length : Number(number) - 1)
    return '+?'
  })
  return { sql: text, places }
}
