// The SQLite adapter: one connection writes behind a queue, another reads committed data.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { type Deadline, questionTooSlow } from '../../budget/deadline.ts'
import type { Limits } from '../../limits.ts'
import { closed } from '../program.ts'
import {
  type Ability,
  type Bound,
  bind,
  command,
  type Program,
  query,
  type Store,
  type StoreCounts,
  type StoreLog,
  type WriteOptions,
} from '../store.ts'
import { fullTuning, type Tuning } from '../tuning.ts'
import { WriteOutage } from '../write-outage.ts'
import { obstacleIn, openReader, openWriter, SqliteConnection } from './connection.ts'
import { SqliteDamage } from './damage.ts'
import { SqliteFile } from './file.ts'
import { type QuestionLimits, QuestionThread } from './question-thread.ts'
import { ReadBatch, takesLong } from './read-batch.ts'
import { type StatementLimit, StopWatch } from './statement-watch.ts'
import { WriteQueue, type WriteQueueOptions } from './write-queue.ts'
import { type FileParts, SqliteWriter, type WriterLimits } from './writer.ts'

export interface SqliteOptions {
  /** A file, created if missing; null for a database in memory. */
  readonly path: string | null
  readonly limits: WriteQueueOptions['limits'] & WriterLimits & QuestionLimits & Pick<Limits, 'questionBlockingMs'>
  readonly log: StoreLog
  readonly tuning?: Tuning
}

/**
 * Writes of one event-loop turn share a commit; each is undone alone if it fails, none is answered before the commit is on
 * disk. Throws SQLite's own error if the file cannot be opened.
 */
export function openSqlite(options: SqliteOptions): Store {
  const { path, log } = options
  const database = openWriter(path)
  if (path === null) return new SqliteStore(database, options, null)
  return new SqliteStore(database, options, { place: new SqliteFile(path), damage: new SqliteDamage(path, log) })
}

/** Opens an existing file read-only: writes fail with SERVICE_UNAVAILABLE. */
export function openSqliteForReading(options: SqliteOptions & { readonly path: string }): Store {
  return new SqliteStore(openReader(options.path), options, null)
}

class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #outage: WriteOutage
  /** Null for a database in memory, or read-only. */
  readonly #file: FileParts | null
  readonly #writer: SqliteWriter
  readonly #writes: WriteQueue
  readonly #reads: ReadBatch
  readonly #thread: QuestionThread | null
  #isClosing = false

  constructor(database: Database.Database, options: SqliteOptions, file: FileParts | null) {
    const { limits, log, tuning = fullTuning } = options
    this.#outage = new WriteOutage(obstacleIn, log)
    this.#file = file
    this.#writer = new SqliteWriter(database, file, this.counts, limits)
    this.#writes = new WriteQueue({
      limits,
      writer: this.#writer,
      outage: this.#outage,
      sharesCommits: tuning.sharedCommit,
    })
    this.#thread = file === null ? null : new QuestionThread(file.place.path, { limits, counts: this.counts, log })
    this.#reads = new ReadBatch({
      open: () =>
        file === null
          ? this.#writer.connection
          : new SqliteConnection(
              openReader(file.place.path),
              this.counts,
              new StopWatch(limitOf(this.#thread!, limits)),
            ),
      isApart: file !== null,
      // In memory there is one connection, whose uncommitted writes must not be visible.
      blocked: () => (file === null ? this.#writes.exclusive : null),
      damage: file?.damage ?? null,
      thread: this.#thread,
      isBatching: tuning.readBatch,
      blockingMs: limits.questionBlockingMs,
    })
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    return this.#isClosing ? Promise.reject(closed()) : this.#reads.read(program, deadline)
  }

  write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    return this.#isClosing ? Promise.reject(closed()) : this.#writes.write(program, options)
  }

  runAlone(statement: string): Promise<void> {
    return this.write(() => again(bind(command(statement))), { withoutTimeout: true })
  }

  get waiting(): number {
    return this.#writes.waiting
  }

  async ping(): Promise<Ability> {
    await this.read(ping())
    if (await this.#isDamaged()) return 'damaged'
    try {
      this.#writer.requireFile()
      if (this.#outage.obstacle === 'full') for (const program of [takeRoom, giveRoomBack]) await this.write(program)
      else if (this.#outage.obstacle !== null) await this.write(touch)
    } catch (error) {
      if (!this.#outage.note(error)) throw error
    }
    return this.#outage.obstacle ?? 'ok'
  }

  /** Repeats the failed read. */
  async #isDamaged(): Promise<boolean> {
    const damage = this.#file?.damage
    if (!damage?.isOn || damage.failed === null) return damage?.isOn ?? false
    try {
      this.#reads.reopen()
      await this.#thread?.close()
      await this.read(again(damage.failed))
    } catch {
      return true
    }
    damage.end()
    if (!this.#writer.inTransaction) this.#writer.replace()
    return false
  }

  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    while (this.#writes.waiting + this.#reads.waiting > 0 || this.#writes.exclusive !== null) {
      await this.#thread?.drained()
      await (this.#writes.exclusive ?? nextTurn())
    }
    await this.#thread?.close()
    this.#reads.close()
    this.#writer.close()
  }
}

/** Without the thread, slow statements must run here. */
const limitOf = (thread: QuestionThread, { questionBlockingMs, whereBlockingMs }: SqliteOptions['limits']) => {
  const handed: StatementLimit = { ms: questionBlockingMs, error: takesLong }
  const alone: StatementLimit = { ms: whereBlockingMs, error: questionTooSlow }
  return () => (thread.isThere ? handed : alone)
}

const one = query('select 1')

function* ping(): Program<void> {
  yield bind(one)
}

/** Rewrites an existing value, to test whether writing works. */
function* touch(): Program<void> {
  const [[version]] = (yield bind(query('pragma user_version'))) as unknown as [[number]]
  yield bind(command(`pragma user_version = ${version}`))
}

/** Committed, because SQLite needs none before. */
function* takeRoom(): Program<void> {
  yield* giveRoomBack()
  yield bind(command('create table duet_room (bytes blob)'))
  yield bind(command('insert into duet_room values (zeroblob(65536))'))
}
function* giveRoomBack(): Program<void> {
  yield bind(command('drop table if exists duet_room'))
}

function* again(failed: Bound): Program<void> {
  yield failed
}
