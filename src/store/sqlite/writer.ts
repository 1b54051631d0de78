// Transactions of the connection that writes to a SQLite database. A connection that cannot roll back is replaced.

import type Database from 'better-sqlite3'
import { type Deadline, questionTooSlow, requireTime } from '../../budget/deadline.ts'
import type { Limits } from '../../limits.ts'
import { runNow, unavailable } from '../program.ts'
import { type Bound, command, type Program, type StoreCounts, type StoredRow } from '../store.ts'
import { IdleCheckpoint } from './checkpoint.ts'
import { openWriter, SqliteConnection } from './connection.ts'
import type { SqliteDamage } from './damage.ts'
import type { SqliteFile } from './file.ts'
import { StopWatch } from './statement-watch.ts'

export interface FileParts {
  readonly place: SqliteFile
  readonly damage: SqliteDamage
}

const begin = command('begin immediate')
const commit = command('commit')
const rollback = command('rollback')
const savepoint = command('savepoint program')
const release = command('release program')
const undo = command('rollback to program')

export type WriterLimits = Pick<Limits, 'checkpointIdleMs' | 'whereBlockingMs'>

export class SqliteWriter {
  readonly #file: FileParts | null
  readonly #counts: StoreCounts
  readonly #checkpoint: IdleCheckpoint
  #connection: SqliteConnection
  readonly #limits: WriterLimits
  #changes = 0

  constructor(database: Database.Database, file: FileParts | null, counts: StoreCounts, limits: WriterLimits) {
    this.#file = file
    this.#counts = counts
    this.#limits = limits
    this.#connection = this.#connectionTo(database)
    this.#checkpoint = new IdleCheckpoint(() => this.#connection.checkpoint(), limits.checkpointIdleMs)
  }

  #connectionTo(database: Database.Database): SqliteConnection {
    const limit = { ms: this.#limits.whereBlockingMs, error: questionTooSlow }
    return new SqliteConnection(database, this.#counts, new StopWatch(() => limit))
  }

  get connection(): SqliteConnection {
    return this.#connection
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction
  }

  get changes(): number {
    return this.#changes
  }

  /** Throws SQLite's own error; SQLITE_BUSY if another process writes. */
  begin(): void {
    this.#connection.control(begin)
  }

  /** Throws if a commit does not outlive this process. */
  commit(): void {
    try {
      this.#connection.control(commit)
      this.#counts.transactions++
    } catch (error) {
      throw unavailable(error)
    }
    this.requireFile()
    if (this.#file !== null) this.#checkpoint.committed()
  }

  /** Must not throw. A connection that cannot roll back is closed, which rolls back. */
  abandon(): void {
    if (!this.#connection.inTransaction) return
    try {
      this.#connection.control(rollback)
    } catch {
      this.replace()
    }
  }

  /** Throws SERVICE_UNAVAILABLE if writes would be lost with this process. */
  requireFile(): void {
    try {
      this.#file?.place.requireInPlace()
    } catch (error) {
      throw unavailable(error)
    }
  }

  execute(bound: Bound): readonly StoredRow[] {
    try {
      return this.#connection.execute(bound)
    } catch (error) {
      this.#file?.damage.note(error, bound, this.#connection.writes(bound.statement))
      throw error
    }
  }

  /** Makes it possible to roll back one program alone. Begins at the first statement that writes. */
  runInSavepoint<T>(program: Program<T>, deadline: Deadline | undefined): T {
    const connection = this.#connection
    let hasSavepoint = false
    try {
      const value = runNow(program, (bound) => {
        requireTime(deadline)
        if (!hasSavepoint && connection.writes(bound.statement)) {
          connection.control(savepoint)
          hasSavepoint = true
        }
        return this.execute(bound)
      })
      if (hasSavepoint) {
        connection.control(release)
        this.#changes++
      }
      return value
    } catch (error) {
      if (hasSavepoint && connection.inTransaction) this.#undo()
      throw error
    }
  }

  /** Rolls back the program, otherwise everything: a part must not be committed. */
  #undo(): void {
    try {
      this.#connection.control(undo)
      this.#connection.control(release)
    } catch {
      this.abandon()
    }
  }

  /** Never throws: if it fails, the next write tries again. Opens nothing if the file is gone. */
  replace(): void {
    if (this.#file === null) return
    try {
      this.#file.place.requireInPlace()
      const connection = this.#connectionTo(openWriter(this.#file.place.path))
      this.#connection.close()
      this.#connection = connection
    } catch {}
  }

  close(): void {
    this.#checkpoint.close()
    this.#connection.close()
  }
}
