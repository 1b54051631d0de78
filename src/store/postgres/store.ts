// The PostgreSQL adapter: reads share a few connections, a transaction has one of its own, and writes that only add records
// share a transaction.

import { Client, Pool } from 'pg'
import type { Deadline } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import { type Failure, invariant } from '../../failure/failure.ts'
import { type Combine, combined, separate } from '../combine.ts'
import { asBound, LostRace, runAwaiting, runExclusive } from '../program.ts'
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
import { connectionConfig, isConnectionLost, obstacleIn, type PostgresLimits, unavailable } from './connection.ts'
import { GroupCommit } from './group-commit.ts'
import { SharedReaders } from './readers.ts'
import { RowsClient } from './row-parser.ts'
import { TableStatistics } from './statistics.ts'
import { Transaction, type TransactionOptions } from './transaction.ts'

export interface PostgresOptions {
  readonly url: string
  readonly limits: PostgresLimits
  readonly log: StoreLog
  readonly tuning?: Tuning
}

/**
 * Makes a store of a PostgreSQL database; connections are opened as they are needed, and again after they were lost.
 * Writes are read committed, and run again from the start when another transaction got in their way.
 */
export function openPostgres(options: PostgresOptions): Store {
  return new PostgresStore(options)
}

/** How long writes that share a transaction wait for a lock; then each waits alone. Shorter than `deadlock_timeout`. */
const lockWaitMs = 50

const askReadOnly = query(`select current_setting('transaction_read_only')`)

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #limits: PostgresLimits
  readonly #tuning: Tuning
  readonly #combine: Combine
  readonly #pool: Pool
  readonly #readers: SharedReaders
  readonly #groupCommit: GroupCommit
  readonly #statistics: TableStatistics
  readonly #outage: WriteOutage
  readonly #writes = new InFlight()
  #closing = false

  constructor({ url, limits, log, tuning = fullTuning }: PostgresOptions) {
    this.#limits = limits
    this.#tuning = tuning
    this.#combine = tuning.batching ? combined : separate
    this.#outage = new WriteOutage((cause) => (cause instanceof TakesNoWrites ? 'read-only' : obstacleIn(cause)), log)
    const size = Math.max(1, Math.floor(limits.poolSize * 0.4))
    this.#readers = new SharedReaders({ url, size, limits, counts: this.counts, log, combine: this.#combine, tuning })
    this.#pool = new Pool({
      ...connectionConfig(url, limits),
      Client: tuning.rowParser ? RowsClient : Client,
      max: Math.max(1, limits.poolSize - size),
      // A write that waits for connections in use fails sooner than one that waits for a new connection.
      connectionTimeoutMillis: Math.min(limits.connectTimeoutMs, limits.writeWaitMs),
    })
    this.#groupCommit = new GroupCommit({
      limits,
      begin: () => this.#begin({ lockWaitMs }),
      note: (error) => this.#isUseless(error),
      runAlone: (program, deadline) => this.#write(program, { deadline }),
    })
    this.#statistics = new TableStatistics(this.#pool)
    this.#pool.on('error', (error) => log.warn(`A connection to PostgreSQL was lost: ${error.message}`))
    // A transaction learns by itself that its connection is lost; without a listener the event would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    return this.#closing ? Promise.reject(closed()) : this.#readers.read(program, deadline)
  }

  async write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#closing) throw closed()
    this.#writes.begin()
    try {
      // While the database takes no writes, each finds that out by itself.
      const isShared = this.#tuning.groupCommit && options.shareable === true && this.#outage.obstacle === null
      const result = await (isShared ? this.#groupCommit.write(program, options) : this.#write(program, options))
      if (this.#tuning.statistics) this.#statistics.noteCommit()
      return result
    } finally {
      this.#writes.end()
    }
  }

  get waiting(): number {
    return this.#pool.waitingCount + this.#groupCommit.waiting
  }

  async ping(): Promise<Ability> {
    // A session keeps the settings with which it began: only one that writes is sure.
    const isWritable = await this.read(mayWrite())
    if (isWritable && this.#outage.obstacle === null) return 'ok'
    try {
      await this.write(this.#outage.obstacle === 'full' ? requireRoom : requireWritable)
    } catch (error) {
      if (error instanceof HasRoom) this.#outage.end()
      else if (!this.#outage.note(error)) throw error
    }
    return this.#outage.obstacle ?? 'ok'
  }

  /** Waits for the reads and writes that were accepted. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    await this.#writes.settled()
    await this.#statistics.close()
    await Promise.all([this.#pool.end(), this.#readers.close()])
  }

  #begin(options: Pick<TransactionOptions, 'withoutTimeout' | 'deadline' | 'lockWaitMs'>): Transaction {
    return new Transaction({
      pool: this.#pool,
      limits: this.#limits,
      counts: this.counts,
      combine: this.#combine,
      ...options,
    })
  }

  /** Notes why a write has failed. True where another session may be able to write. */
  #isUseless(error: unknown): boolean {
    return this.#outage.note(error) && this.#outage.obstacle === 'read-only'
  }

  async #write<T>(
    program: () => Program<T>,
    { exclusive = false, withoutTimeout = false, deadline }: WriteOptions,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const transaction = this.#begin({ withoutTimeout, deadline })
      try {
        const execute = (bound: Bound) => transaction.execute(bound)
        const result = exclusive
          ? await runExclusive(program(), execute, this.#limits.effectTimeoutMs)
          : await runAwaiting(program(), (step) => execute(asBound(step)))
        // It may have found nothing to write.
        const { obstacle } = this.#outage
        const isBack = obstacle !== null && (await runAwaiting(mayWrite(), (step) => execute(asBound(step))))
        if (isBack) this.#outage.end()
        const isCommitted = await transaction.commit(this.#outage.obstacle === 'read-only')
        invariant(isCommitted, 'no statement of a transaction that is committed has failed')
        return result
      } catch (error) {
        await transaction.abandon(this.#isUseless(error))
        if (!(error instanceof LostRace)) throw error
        const { transactionAttempts, poolSize } = this.#limits
        // Where one connection was lost, the others may have been lost too.
        if (attempt >= (isConnectionLost(error.cause) ? poolSize : transactionAttempts)) throw unavailable(error.cause)
      }
    }
  }
}

function* mayWrite(): Program<boolean> {
  const [[readOnly]] = (yield bind(askReadOnly)) as unknown as [[string]]
  return readOnly === 'off'
}

function* requireWritable(): Program<void> {
  if (!(yield* mayWrite())) throw unavailable(new TakesNoWrites())
}

/** Ends in an error of ours: what is rolled back has needed its room on the disk too, and leaves nothing. */
function* requireRoom(): Program<never> {
  yield bind(makeRoom)
  yield bind(fillRoom)
  throw new HasRoom()
}
const makeRoom = command('create table duet_room (bytes text)')
// Not to be compressed: as long as it says.
const fillRoom = command(
  `insert into duet_room select string_agg(md5(number::text), '') from generate_series(1, 64) page, generate_series(1, 32) number group by page`,
)
class HasRoom extends Error {}

const closed = (): Failure => unavailable(new Error('The database is closed.'))

class TakesNoWrites extends Error {
  constructor() {
    super('its transactions are read-only')
  }
}
