// The PostgreSQL adapter: reads share a few connections, every transaction has one of its own; writes that only add share one.

import { Pool } from 'pg'
import type { Deadline } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import { type Failure, invariant } from '../../failure/failure.ts'
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
import { WriteOutage } from '../write-outage.ts'
import { connectionConfig, isConnectionLost, obstacleIn, type PostgresLimits, unavailable } from './connection.ts'
import { SharedWrites } from './group-commit.ts'
import { SharedReaders } from './readers.ts'
import { RowsClient } from './row-parser.ts'
import { Transaction, type TransactionOptions } from './transaction.ts'

export interface PostgresOptions {
  readonly url: string
  readonly limits: PostgresLimits
  readonly log: StoreLog
}

/**
 * Makes a store of a PostgreSQL database; connections are opened as they are needed, and again after they were lost.
 * Writes are read committed, and run again from the start when another transaction got in their way.
 */
export function openPostgres(options: PostgresOptions): Store {
  return new PostgresStore(options)
}

/** How long writes that share a transaction wait for a lock; then each waits alone. Sooner than a deadlock is looked for. */
const lockWaitMs = 50

const askReadOnly = query(`select current_setting('transaction_read_only')`)

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #limits: PostgresLimits
  readonly #pool: Pool
  readonly #readers: SharedReaders
  readonly #shared: SharedWrites
  readonly #outage: WriteOutage
  readonly #writes = new InFlight()
  #closing = false

  constructor({ url, limits, log }: PostgresOptions) {
    this.#limits = limits
    this.#outage = new WriteOutage((cause) => (cause instanceof TakesNoWrites ? 'read-only' : obstacleIn(cause)), log)
    const readers = Math.max(1, Math.floor(limits.poolSize * 0.4))
    this.#readers = new SharedReaders(url, readers, limits, this.counts, log)
    this.#pool = new Pool({
      ...connectionConfig(url, limits),
      Client: RowsClient,
      max: Math.max(1, limits.poolSize - readers),
      // Whoever waits for a connection of others is told to come back sooner than for one of their own.
      connectionTimeoutMillis: Math.min(limits.connectTimeoutMs, limits.writeWaitMs),
    })
    this.#shared = new SharedWrites({
      limits,
      begin: () => this.#begin({ lockWaitMs }),
      note: (error) => this.#isUseless(error),
      alone: (program, deadline) => this.#write(program, { deadline }),
    })
    this.#pool.on('error', (error) => log.warn(`A connection to PostgreSQL was lost: ${error.message}`))
    // A connection that is lost while a transaction uses it says so there; without a listener it would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    return this.#closing ? Promise.reject(closed()) : this.#readers.read(program, deadline)
  }

  async write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#closing) throw closed()
    this.#writes.begin()
    try {
      // While it takes no writes, each learns that by itself.
      const isShared = options.shareable === true && this.#outage.obstacle === null
      return await (isShared ? this.#shared.write(program, options.deadline) : this.#write(program, options))
    } finally {
      this.#writes.end()
    }
  }

  get waiting(): number {
    return this.#pool.waitingCount + this.#shared.waiting
  }

  async ping(): Promise<Ability> {
    // A session keeps what it was told when it began: only one that writes knows.
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
    await Promise.all([this.#pool.end(), this.#readers.close()])
  }

  #begin(options: Pick<TransactionOptions, 'withoutTimeout' | 'deadline' | 'lockWaitMs'>): Transaction {
    return new Transaction({ pool: this.#pool, limits: this.#limits, counts: this.counts, ...options })
  }

  /** Notes why a write has failed. True where another session may be told otherwise. */
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

/** Ends in an error of ours: what is rolled back took its room on the disk as anything would, and leaves nothing. */
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
