// The SQLite adapter: one connection that writes behind a queue, another that reads what is committed.
// Only an exclusive write may await between BEGIN and COMMIT: others would read or write inside its transaction.

import type Database from 'better-sqlite3'
import { type Deadline, requireTime, requireWaiting } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { runExclusive, runNow } from '../program.ts'
import {
  type Ability,
  type Bound,
  bind,
  command,
  type Program,
  query,
  type Store,
  type StoreCounts,
  type StoredRow,
  type StoreLog,
  type WriteOptions,
} from '../store.ts'
import { WriteOutage } from '../write-outage.ts'
import { IdleCheckpoint } from './checkpoint.ts'
import { isBusy, meaningOf, obstacleIn, openReader, openWriter, SqliteConnection, unavailable } from './connection.ts'
import { SqliteDamage } from './damage.ts'
import { SqliteFile } from './file.ts'
import { SqliteReads } from './read-batch.ts'

export interface SqliteOptions {
  /** A file, made when missing; null for a database in memory that nobody else sees. */
  readonly path: string | null
  readonly limits: Pick<
    Limits,
    'writesPerCommit' | 'writesWaiting' | 'effectTimeoutMs' | 'statementTimeoutMs' | 'checkpointIdleMs'
  >
  readonly log: StoreLog
}

/**
 * Opens a SQLite database. Writes that arrive in one turn of the event loop share one commit, each undone alone when it
 * fails, and none is answered before the commit is on disk. Throws SQLite's own error when the file cannot be opened.
 */
export function openSqlite(options: SqliteOptions): Store {
  const { path } = options
  const writer = openWriter(path)
  if (path === null) return new SqliteStore(writer, options, null)
  const damage = new SqliteDamage(path, options.log)
  return new SqliteStore(writer, options, { path, place: new SqliteFile(path), damage })
}

/** Opens a file that is there, for a process that only looks at it: a write fails with SERVICE_UNAVAILABLE. */
export function openSqliteForReading(options: SqliteOptions & { readonly path: string }): Store {
  return new SqliteStore(openReader(options.path), options, null)
}

/** A database that others see too. */
interface File {
  readonly path: string
  readonly place: SqliteFile
  readonly damage: SqliteDamage
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
  readonly #outage: WriteOutage
  #writer: SqliteConnection
  /** Null where another connection would not see the same database, or this one only reads. */
  readonly #file: File | null
  readonly #reads: SqliteReads
  readonly #checkpoint: IdleCheckpoint
  readonly #queue: Waiting[] = []
  #scheduled = false
  /** Programs that changed something, since the start. */
  #changes = 0
  /** Milliseconds for which another process has kept us from beginning. */
  #heldUpMs = 0
  /** Settles when the exclusive write has ended. */
  #exclusive: Promise<void> | null = null
  #closing = false

  constructor(writer: Database.Database, { limits, log }: SqliteOptions, file: File | null) {
    this.#limits = limits
    this.#outage = new WriteOutage(obstacleIn, log)
    this.#file = file
    this.#writer = new SqliteConnection(writer, this.counts)
    this.#reads = new SqliteReads({
      open: () => (file === null ? this.#writer : new SqliteConnection(openReader(file.path), this.counts)),
      isApart: file !== null,
      // In memory there is one connection, and what a write has not committed must not be seen.
      blocked: () => (file === null ? this.#exclusive : null),
      damage: file?.damage ?? null,
    })
    this.#checkpoint = new IdleCheckpoint(() => this.#writer.checkpoint(), limits.checkpointIdleMs)
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    return this.#closing ? Promise.reject(closed()) : this.#reads.read(program, deadline)
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

  get waiting(): number {
    return this.#queue.length
  }

  async ping(): Promise<Ability> {
    await this.read(ping())
    if (await this.#isDamaged()) return 'damaged'
    try {
      this.#requireFile()
      if (this.#outage.obstacle === 'full') for (const program of [takeRoom, giveRoomBack]) await this.write(program)
      else if (this.#outage.obstacle !== null) await this.write(touch)
    } catch (error) {
      if (!this.#outage.note(error)) throw error
    }
    return this.#outage.obstacle ?? 'ok'
  }

  /** Reads again what could not be read. */
  async #isDamaged(): Promise<boolean> {
    const damage = this.#file?.damage
    if (!damage?.isOn || damage.failed === null) return damage?.isOn ?? false
    try {
      this.#reads.reopen()
      await this.read(again(damage.failed))
    } catch {
      return true
    }
    damage.end()
    if (!this.#writer.inTransaction) this.#replaceWriter()
    return false
  }

  /** Throws where what is written would be lost with this process. */
  #requireFile(): void {
    try {
      this.#file?.place.requireInPlace()
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** Waits for the reads and writes that were accepted. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    while (this.#queue.length + this.#reads.waiting > 0 || this.#exclusive !== null)
      await (this.#exclusive ?? afterThisTurn())
    this.#checkpoint.close()
    this.#reads.close()
    this.#writer.close()
  }

  /** Begins after this turn of the event loop, so that all that it brought can share a commit. */
  #schedule(afterMs = 0): void {
    if (this.#scheduled || this.#exclusive !== null) return
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
    if (this.#queue[0]!.options.exclusive) {
      this.#exclusive = this.#runExclusive(this.#queue.shift()!).finally(() => {
        this.#exclusive = null
        this.#schedule()
      })
      return
    }
    const end = this.#queue.findIndex((each) => each.options.exclusive)
    const most = this.#limits.writesPerCommit
    this.#runGroup(this.#queue.splice(0, end === -1 ? most : Math.min(end, most)))
    if (this.#queue.length > 0) this.#schedule()
  }

  /** False where that has to wait, or cannot be done: whoever waited too long has then been told. */
  #begin(): boolean {
    // Left open where it could not be rolled back.
    this.#abandon()
    try {
      // Known to be gone; that it goes now is found after the commit.
      if (this.#outage.obstacle === 'gone') this.#requireFile()
      this.#writer.control(begin)
      this.#heldUpMs = 0
      return true
    } catch (error) {
      // Another process writes. The driver could wait, but it would stop this whole process meanwhile.
      if (
        isBusy(error) &&
        (this.#heldUpMs < this.#limits.statementTimeoutMs || this.#queue[0]!.options.withoutTimeout)
      ) {
        this.#heldUpMs += retryMs
        this.#schedule(retryMs)
        return false
      }
      this.#heldUpMs = 0
      const reason = this.#writer.inTransaction ? unavailable(error) : meaningOf(error)
      this.#outage.note(reason)
      for (const { reject } of this.#queue.splice(0)) reject(reason)
      return false
    }
  }

  /** Runs these in the open transaction and commits once; afterwards everyone is answered. */
  #runGroup(group: readonly Waiting[]): void {
    const answers: (() => void)[] = []
    const changes = this.#changes
    try {
      for (const { program, options, resolve, reject } of group) {
        // A failure belongs to one program and leaves the others alone.
        try {
          requireWaiting(options.deadline)
          const value = this.#runInSavepoint(program(), options.deadline)
          answers.push(() => resolve(value))
        } catch (error) {
          // Some errors, such as a full disk, make SQLite give up the whole transaction.
          if (!this.#writer.inTransaction) throw error
          this.#outage.note(error)
          answers.push(() => reject(error))
        }
      }
      this.#commit()
      if (this.#changes > changes) this.#outage.end()
    } catch (error) {
      this.#abandon()
      const reason = error instanceof Failure ? error : unavailable(error)
      this.#outage.note(reason)
      for (const { reject } of group) reject(reason)
      return
    }
    for (const answer of answers) answer()
  }

  /** The savepoint is made before the first statement that writes: many programs find that there is nothing to write. */
  #runInSavepoint<T>(program: Program<T>, deadline: Deadline | undefined): T {
    const writer = this.#writer
    let saved = false
    try {
      const value = runNow(program, (bound) => {
        requireTime(deadline)
        if (!saved && writer.writes(bound.statement)) {
          writer.control(savepoint)
          saved = true
        }
        return this.#execute(bound)
      })
      if (saved) {
        writer.control(release)
        this.#changes++
      }
      return value
    } catch (error) {
      if (saved && writer.inTransaction) this.#undo()
      throw error
    }
  }

  /** What cannot be undone alone is undone with the whole transaction, for nobody may see it committed. */
  #undo(): void {
    try {
      this.#writer.control(undo)
      this.#writer.control(release)
    } catch {
      this.#abandon()
    }
  }

  async #runExclusive({ program, options, resolve, reject }: Waiting): Promise<void> {
    try {
      requireWaiting(options.deadline)
      const execute = (bound: Bound) => {
        requireTime(options.deadline)
        return this.#execute(bound)
      }
      const value = await runExclusive(program(), execute, this.#limits.effectTimeoutMs)
      this.#commit()
      resolve(value)
    } catch (error) {
      this.#abandon()
      this.#outage.note(error)
      reject(error)
    }
  }

  #execute(bound: Bound): readonly StoredRow[] {
    try {
      return this.#writer.execute(bound)
    } catch (error) {
      this.#file?.damage.note(error, bound, this.#writer.writes(bound.statement))
      throw error
    }
  }

  /** Throws where what was committed does not outlive this process. */
  #commit(): void {
    try {
      this.#writer.control(commit)
      this.counts.transactions++
    } catch (error) {
      throw unavailable(error)
    }
    this.#requireFile()
    if (this.#file !== null) this.#checkpoint.committed()
  }

  /** Never throws: behind it there is only the process. A connection that cannot roll back is closed, which does. */
  #abandon(): void {
    if (!this.#writer.inTransaction) return
    try {
      this.#writer.control(rollback)
    } catch {
      this.#replaceWriter()
    }
  }

  #replaceWriter(): void {
    if (this.#file === null) return
    // As above: where no other can be opened now, the next write tries again. Where the file is gone, none is made.
    try {
      this.#file.place.requireInPlace()
      const writer = new SqliteConnection(openWriter(this.#file.path), this.counts)
      this.#writer.close()
      this.#writer = writer
    } catch {}
  }
}

function* ping(): Program<void> {
  yield bind(one)
}

/** Writes what is there already, to find out whether that can be done. */
function* touch(): Program<void> {
  const [[version]] = (yield bind(query('pragma user_version'))) as unknown as [[number]]
  yield bind(command(`pragma user_version = ${version}`))
}

/** Takes as much room as a large record needs. Committed, for SQLite needs none for what it only has in memory. */
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

const closed = (): Failure => unavailable(new Error('The database is closed.'))
const afterThisTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
