// The PostgreSQL adapter: reads share a few connections, each transaction has its own, writes that only add records share a
// transaction.

import { Client, Pool, type PoolClient } from 'pg'
import type { Deadline } from '../../budget/deadline.ts'
import { memoize } from '../../cache/memoize.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import { Failure, invariant, isUnavailable } from '../../failure/failure.ts'
import { type Combine, combined, separate } from '../combine.ts'
import { asBound, closed, LostRace, runAwaiting, runExclusive, unavailable } from '../program.ts'
import { SlowStatements } from '../slow-statements.ts'
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
import {
  connectionConfig,
  destroy,
  isConnectionLost,
  leaveUnnamed,
  meaningOf,
  obstacleIn,
  type PostgresLimits,
} from './connection.ts'
import { GroupCommit } from './group-commit.ts'
import type { Server } from './hosts.ts'
import { SharedReaders } from './readers.ts'
import { TableStatistics } from './statistics.ts'
import { Transaction, type TransactionOptions } from './transaction.ts'

export interface PostgresOptions {
  readonly server: Server
  readonly limits: PostgresLimits
  readonly log: StoreLog
  readonly tuning?: Tuning
}

/** Connections are opened on demand and reopened after a loss. Writes are read committed, and run again after a lost race. */
export function openPostgres(options: PostgresOptions): Store {
  return new PostgresStore(options)
}

function sharesOf(poolSize: number): { readonly short: number; readonly questions: number; readonly writes: number } {
  const short = Math.max(1, Math.floor(poolSize * 0.4))
  const questions = Math.max(1, Math.floor(poolSize * 0.2))
  return { short, questions, writes: Math.max(1, poolSize - short - questions) }
}

/** How long a shared transaction waits for a lock. Shorter than `deadlock_timeout`. */
const lockWaitMs = 50

/** Of a write whose runs find more to lock each time, which its code may do without end. */
const runsMax = 500

const readOnlyQuery = query(`select current_setting('transaction_read_only')`)

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #limits: PostgresLimits
  readonly #tuning: Tuning
  readonly #combine: Combine
  readonly #server: Server
  readonly #log: StoreLog
  #pool: Pool
  readonly #readers: SharedReaders
  readonly #questions: SharedReaders
  readonly #groupCommit: GroupCommit
  readonly #statistics: TableStatistics
  readonly #outage: WriteOutage
  readonly #writes = new InFlight()
  #closing = false

  constructor({ server, limits, log, tuning = fullTuning }: PostgresOptions) {
    this.#server = server
    this.#log = log
    this.#limits = limits
    this.#tuning = tuning
    this.#combine = tuning.batching ? combined : separate
    this.#outage = new WriteOutage((cause) => (cause instanceof TakesNoWrites ? 'read-only' : obstacleIn(cause)), log)
    const { short, questions } = sharesOf(limits.poolSize)
    const shared = {
      server,
      limits,
      counts: this.counts,
      log,
      combine: this.#combine,
      tuning,
      slow: new SlowStatements(limits.readBlockingMs),
    }
    this.#questions = new SharedReaders({ ...shared, size: questions, questions: null })
    this.#readers = new SharedReaders({ ...shared, size: short, questions: this.#questions })
    this.#pool = this.#createPool()
    server.hosts.onMove(() => this.#move())
    this.#groupCommit = new GroupCommit({
      limits,
      begin: () => this.#begin({ lockWaitMs }),
      note: (error, transaction) => this.#isUseless(error, transaction),
      runAlone: (program, deadline) => this.#write(program, { deadline }),
    })
    this.#statistics = new TableStatistics(() => this.#pool)
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    if (this.#closing) return Promise.reject(closed())
    const reading = this.#readers.read(program, deadline)
    return this.#server.hosts.isSeveral ? this.#watchHost(reading) : reading
  }

  async write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#closing) throw closed()
    this.#writes.begin()
    try {
      // Each write must find out itself when the database takes writes again.
      const isShared = this.#tuning.groupCommit && options.shareable === true && this.#outage.obstacle === null
      const writing = isShared ? this.#groupCommit.write(program, options) : this.#write(program, options)
      const result = await (this.#server.hosts.isSeveral ? this.#watchHost(writing) : writing)
      if (this.#tuning.statistics) this.#statistics.noteCommit()
      return result
    } finally {
      this.#writes.end()
    }
  }

  async runAlone(statement: string, signal?: AbortSignal): Promise<void> {
    const { hosts, pooling, direct } = this.#server
    if (pooling.lends === 'transactions' && direct === null)
      throw new Error('Indexes are not built through a pooler: DATABASE_LISTEN_URL has to name the server itself.')
    const client = new Client({ ...connectionConfig((direct ?? hosts).url, this.#limits), statement_timeout: 0 })
    client.on('error', () => undefined)
    // The server notices within a second, and gives up.
    const end = () => destroy(client)
    signal?.addEventListener('abort', end)
    try {
      await client.connect()
      signal?.throwIfAborted()
      await client.query(statement)
    } catch (error) {
      throw meaningOf(error)
    } finally {
      signal?.removeEventListener('abort', end)
      await client.end().catch(() => undefined)
    }
  }

  get waiting(): number {
    return this.#pool.waitingCount + this.#groupCommit.waiting
  }

  async ping(): Promise<Ability> {
    // Sessions keep their initial settings, so only a write is conclusive.
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

  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    await this.#writes.settled()
    await this.#statistics.close()
    await Promise.all([this.#pool.end(), this.#readers.close()])
    await this.#questions.close()
  }

  #createPool(): Pool {
    const { hosts, pooling } = this.#server
    const { connectTimeoutMs, poolSize, writeWaitMs } = this.#limits
    const pool = new Pool({
      ...connectionConfig(hosts.url, this.#limits),
      max: sharesOf(poolSize).writes,
      // A write that waits for a free connection fails sooner than one that waits for a new connection.
      connectionTimeoutMillis: Math.min(connectTimeoutMs, writeWaitMs),
    })
    pool.on('error', (error) => {
      this.#log.warn(`A connection to PostgreSQL was lost: ${error.message}`)
      hosts.failed()
    })
    pool.on('connect', (client) => {
      beginningOf(client)
      // An unhandled event would end the process.
      client.on('error', () => undefined)
      if (pooling.mixesStatements) leaveUnnamed(client)
    })
    return pool
  }

  /** To another host: what is in flight at the former one fails there. */
  #move(): void {
    if (this.#closing) return
    const former = this.#pool
    this.#pool = this.#createPool()
    former.end().catch(() => undefined)
    for (const readers of [this.#readers, this.#questions]) readers.reconnect()
  }

  async #watchHost<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (isUnavailable(error)) this.#server.hosts.failed()
      throw error
    }
  }

  #begin(options: Pick<TransactionOptions, 'withoutTimeout' | 'deadline' | 'lockWaitMs'>): Transaction {
    return new Transaction({
      pool: this.#pool,
      limits: this.#limits,
      counts: this.counts,
      combine: this.#combine,
      isOutdated: (client) => beginningOf(client) < this.#outage.endedMs,
      ...options,
    })
  }

  /** True if another session may be able to write. */
  #isUseless(error: unknown, transaction: Transaction): boolean {
    if (transaction.isOutdated) return true
    return this.#outage.note(error) && this.#outage.obstacle === 'read-only'
  }

  async #write<T>(
    program: () => Program<T>,
    { exclusive = false, withoutTimeout = false, deadline, lockWaitMs }: WriteOptions,
  ): Promise<T> {
    let attempt = 1
    for (let run = 1; ; run++) {
      const transaction = this.#begin({ withoutTimeout, deadline, ...(lockWaitMs === undefined ? {} : { lockWaitMs }) })
      try {
        const execute = (bound: Bound) => transaction.execute(bound)
        const result = exclusive
          ? await runExclusive(program(), execute, this.#limits.effectTimeoutMs)
          : await runAwaiting(program(), (step) => execute(asBound(step)))
        // It may have had nothing to write.
        const { obstacle } = this.#outage
        const isBack = obstacle !== null && (await runAwaiting(mayWrite(), (step) => execute(asBound(step))))
        if (isBack) this.#outage.end()
        const isCommitted = await transaction.commit(this.#outage.obstacle === 'read-only')
        invariant(isCommitted, 'no statement of a transaction that is committed has failed')
        return result
      } catch (error) {
        await transaction.abandon(this.#isUseless(error, transaction))
        if (!(error instanceof LostRace)) throw error
        if (error.isNearer && run < runsMax) continue
        const { transactionAttempts, poolSize } = this.#limits
        // If one connection was lost, others may be, too.
        if (attempt++ < (isConnectionLost(error.cause) ? poolSize : transactionAttempts)) continue
        throw error.cause instanceof Failure ? error.cause : unavailable(error.cause)
      }
    }
  }
}

const beginningOf = memoize((_: PoolClient) => performance.now())

function* mayWrite(): Program<boolean> {
  const [[readOnly]] = (yield bind(readOnlyQuery)) as unknown as [[string]]
  return readOnly === 'off'
}

function* requireWritable(): Program<void> {
  if (!(yield* mayWrite())) throw unavailable(new TakesNoWrites())
}

/** Ends in an error: the rollback frees the space. */
function* requireRoom(): Program<never> {
  yield bind(makeRoom)
  yield bind(fillRoom)
  throw new HasRoom()
}
const makeRoom = command('create table duet_room (bytes text)')
// Incompressible.
const fillRoom = command(
  `insert into duet_room select string_agg(md5(number::text), '') from generate_series(1, 64) page, generate_series(1, 32) number group by page`,
)
class HasRoom extends Error {}

class TakesNoWrites extends Error {
  constructor() {
    super('its transactions are read-only')
  }
}
