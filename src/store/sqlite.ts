// The SQLite adapter: one connection that writes behind a queue, another that reads what is committed.
// Nothing may await between BEGIN and COMMIT but a write that is alone: others would read or write inside its transaction.

import type Database from 'better-sqlite3'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import { runNow, runPausing } from './program.ts'
import { isBusy, meaningOf, openReader, openWriter, SqliteConnection, unavailable } from './sqlite-connection.ts'
import { bind, command, type Program, query, type Store, type StoreCounts, type WriteOptions } from './store.ts'

export interface SqliteOptions {
  /** A file, made when missing; null for a database in memory that nobody else sees. */
  readonly path: string | null
  readonly limits: Pick<Limits, 'writesPerCommit' | 'writesWaiting' | 'effectTimeoutMs' | 'statementTimeoutMs'>
}

/**
 * Opens a SQLite database. Writes that arrive in one turn of the event loop share one commit, each undone alone when it
 * fails, and none is answered before the commit is on disk. Throws SQLite's own error when the file cannot be opened.
 */
export function openSqlite({ path, limits }: SqliteOptions): Store {
  const writer = openWriter(path)
  return new SqliteStore(writer, path === null ? writer : openReader(path), limits)
}

/** Opens a file that is there, for a process that only looks at it: a write fails with SERVICE_UNAVAILABLE. */
export function openSqliteForReading(path: string, limits: SqliteOptions['limits']): Store {
  const reader = openReader(path)
  return new SqliteStore(reader, reader, limits)
}

const begin = command('begin immediate')
const commit = command('commit')
const rollback = command('rollback')
const savepoint = command('savepoint program')
const release = command('release program')
const undo = command('rollback to program')
const one = query('select 1')

/** Between two tries to begin while another process writes. */
const retryMs = 10

interface Waiting {
  readonly program: () => Program<unknown>
  readonly options: WriteOptions
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #limits: SqliteOptions['limits']
  readonly #writer: SqliteConnection
  /** The same as the writer for a database in memory. */
  readonly #reader: SqliteConnection
  readonly #queue: Waiting[] = []
  #scheduled = false
  /** Milliseconds for which another process has kept us from beginning. */
  #heldUpMs = 0
  /** Settles when the write that is alone has ended. */
  #alone: Promise<void> | null = null
  #closing = false

  constructor(writer: Database.Database, reader: Database.Database, limits: SqliteOptions['limits']) {
    this.#limits = limits
    this.#writer = new SqliteConnection(writer, this.counts)
    this.#reader = writer === reader ? this.#writer : new SqliteConnection(reader, this.counts)
  }

  async read<T>(program: Program<T>): Promise<T> {
    // In memory there is one connection, and what a write has not committed must not be seen.
    while (this.#alone !== null && this.#reader === this.#writer) await this.#alone
    if (this.#closing) throw closed()
    return runNow(program, (bound) => this.#reader.execute(bound))
  }

  write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#closing) return Promise.reject(closed())
    if (this.#queue.length >= this.#limits.writesWaiting) {
      return Promise.reject(unavailable(new Error('Too many writes are waiting.')))
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ program, options, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  async ping(): Promise<void> {
    await this.read(ping())
  }

  /** Waits for the writes that were accepted. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    while (this.#queue.length > 0 || this.#alone !== null) await (this.#alone ?? afterThisTurn())
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#writer.close()
  }

  /** Begins after this turn of the event loop, so that all that it brought can share a commit. */
  #schedule(afterMs = 0): void {
    if (this.#scheduled || this.#alone !== null) return
    this.#scheduled = true
    const start = () => {
      this.#scheduled = false
      this.#next()
    }
    if (afterMs > 0) setTimeout(start, afterMs)
    else setImmediate(start)
  }

  #next(): void {
    if (this.#queue.length === 0 || !this.#begin()) return
    if (this.#queue[0]!.options.alone) {
      this.#alone = this.#runAlone(this.#queue.shift()!).finally(() => {
        this.#alone = null
        this.#schedule()
      })
      return
    }
    const end = this.#queue.findIndex((each) => each.options.alone)
    const most = this.#limits.writesPerCommit
    this.#runTogether(this.#queue.splice(0, end === -1 ? most : Math.min(end, most)))
    if (this.#queue.length > 0) this.#schedule()
  }

  /** False where that has to wait, or cannot be done: whoever waited too long has then been told. */
  #begin(): boolean {
    try {
      this.#writer.control(begin)
      this.#heldUpMs = 0
      return true
    } catch (error) {
      // Another process writes. The driver could wait, but it would stop this whole process meanwhile.
      if (isBusy(error) && (this.#heldUpMs < this.#limits.statementTimeoutMs || this.#queue[0]!.options.patient)) {
        this.#heldUpMs += retryMs
        this.#schedule(retryMs)
        return false
      }
      this.#heldUpMs = 0
      for (const { reject } of this.#queue.splice(0)) reject(meaningOf(error))
      return false
    }
  }

  /** Runs these in the open transaction and commits once; afterwards everyone is answered. */
  #runTogether(group: readonly Waiting[]): void {
    const answers: (() => void)[] = []
    try {
      for (const { program, resolve, reject } of group) {
        // A failure belongs to one program and leaves the others alone.
        try {
          const value = this.#runInSavepoint(program())
          answers.push(() => resolve(value))
        } catch (error) {
          // Some errors, such as a full disk, make SQLite give up the whole transaction.
          if (!this.#writer.inTransaction) throw error
          answers.push(() => reject(error))
        }
      }
      this.#commit()
    } catch (error) {
      this.#abandon()
      for (const { reject } of group) reject(error instanceof Failure ? error : unavailable(error))
      return
    }
    for (const answer of answers) answer()
  }

  /** The savepoint is made before the first statement that writes: many programs find that there is nothing to write. */
  #runInSavepoint<T>(program: Program<T>): T {
    const writer = this.#writer
    let saved = false
    try {
      const value = runNow(program, (bound) => {
        if (!saved && writer.writes(bound.statement)) {
          writer.control(savepoint)
          saved = true
        }
        return writer.execute(bound)
      })
      if (saved) writer.control(release)
      return value
    } catch (error) {
      if (saved && writer.inTransaction) {
        writer.control(undo)
        writer.control(release)
      }
      throw error
    }
  }

  async #runAlone({ program, resolve, reject }: Waiting): Promise<void> {
    try {
      const execute = this.#writer.execute.bind(this.#writer)
      const value = await runPausing(program(), execute, this.#limits.effectTimeoutMs)
      this.#commit()
      resolve(value)
    } catch (error) {
      this.#abandon()
      reject(error)
    }
  }

  #commit(): void {
    try {
      this.#writer.control(commit)
      this.counts.transactions++
    } catch (error) {
      throw unavailable(error)
    }
  }

  #abandon(): void {
    if (this.#writer.inTransaction) this.#writer.control(rollback)
  }
}

function* ping(): Program<void> {
  yield bind(one)
}

const closed = (): Failure => unavailable(new Error('The database is closed.'))
const afterThisTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
