// The PostgreSQL adapter: reads share a few connections, every write has one of its own for its transaction.

import { Pool, type PoolClient } from 'pg'
import { type Deadline, requireTime, requireWaiting } from '../failure/deadline.ts'
import { invariant } from '../failure/failure.ts'
import {
  connectionConfig,
  isConnectionLost,
  isReadOnly,
  isWornOut,
  meaningOf,
  type PostgresLimits,
  send,
  unavailable,
} from './postgres-connection.ts'
import { type Reader, SharedReaders } from './postgres-readers.ts'
import { asBound, LostRace, runAwaiting, runPausing } from './program.ts'
import {
  type Ability,
  type Bound,
  bind,
  type Program,
  query,
  type Store,
  type StoreCounts,
  type StoredRow,
  type StoreLog,
  type WriteOptions,
} from './store.ts'
import { WriteOutage } from './write-outage.ts'

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

const askReadOnly = query(`select current_setting('transaction_read_only')`)

class PostgresStore implements Store {
  readonly engine = 'postgres'
  readonly counts: StoreCounts = { statements: 0, rows: 0, transactions: 0 }
  readonly #limits: PostgresLimits
  readonly #pool: Pool
  readonly #readers: SharedReaders
  readonly #outage: WriteOutage
  #running = 0
  #closing = false
  readonly #idle = Promise.withResolvers<void>()

  constructor({ url, limits, log }: PostgresOptions) {
    this.#limits = limits
    this.#outage = new WriteOutage((cause) => cause instanceof TakesNoWrites || isReadOnly(cause), log)
    const readers = Math.max(1, Math.floor(limits.poolSize * 0.4))
    this.#readers = new SharedReaders(url, readers, limits, this.counts, log)
    this.#pool = new Pool({
      ...connectionConfig(url, limits),
      max: Math.max(1, limits.poolSize - readers),
      // Whoever waits for a connection of others is told to come back sooner than for one of their own.
      connectionTimeoutMillis: Math.min(limits.connectTimeoutMs, limits.writeWaitMs),
    })
    this.#pool.on('error', (error) => log.warn(`A connection to PostgreSQL was lost: ${error.message}`))
    // A connection that is lost while a transaction uses it says so there; without a listener it would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  read<T>(program: Program<T>, deadline?: Deadline): Promise<T> {
    return this.#whileOpen(() => this.#read(program, deadline))
  }

  write<T>(program: () => Program<T>, options: WriteOptions = {}): Promise<T> {
    return this.#whileOpen(() => this.#write(program, options))
  }

  get waiting(): number {
    return this.#pool.waitingCount
  }

  async ping(): Promise<Ability> {
    // A session keeps what it was told when it began: only one that writes knows.
    const isWritable = await this.read(mayWrite())
    if (isWritable && !this.#outage.isOn) return 'ok'
    try {
      await this.write(requireWritable)
    } catch (error) {
      if (!this.#outage.note(error)) throw error
    }
    return this.#outage.isOn ? 'read-only' : 'ok'
  }

  /** Waits for the reads and writes that were accepted. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    if (this.#running > 0) await this.#idle.promise
    await Promise.all([this.#pool.end(), this.#readers.close()])
  }

  async #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw unavailable(new Error('The database is closed.'))
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      if (this.#closing && this.#running === 0) this.#idle.resolve()
    }
  }

  async #read<T>(program: Program<T>, deadline: Deadline | undefined): Promise<T> {
    const taken: { reader: Reader | null } = { reader: null }
    try {
      return await runAwaiting(program, (asked) => {
        taken.reader ??= this.#readers.take(deadline)
        return taken.reader.execute(asBound(asked))
      })
    } finally {
      taken.reader?.done()
    }
  }

  async #write<T>(program: () => Program<T>, { alone = false, patient = false, deadline }: WriteOptions): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const transaction = new Transaction(this.#pool, this.#limits, this.counts, patient, deadline)
      try {
        const execute = (bound: Bound) => transaction.execute(bound)
        const result = alone
          ? await runPausing(program(), execute, this.#limits.effectTimeoutMs)
          : await runAwaiting(program(), (asked) => execute(asBound(asked)))
        // It may have found nothing to write.
        const isBack = this.#outage.isOn && (await runAwaiting(mayWrite(), (asked) => execute(asBound(asked))))
        if (isBack) this.#outage.end()
        await transaction.commit(this.#outage.isOn)
        return result
      } catch (error) {
        // Another session may be told otherwise.
        await transaction.abandon(this.#outage.note(error))
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

class TakesNoWrites extends Error {
  constructor() {
    super('its transactions are read-only')
  }
}

/** One transaction on a connection of its own, which it takes with its first statement. */
class Transaction {
  readonly #pool: Pool
  readonly #limits: PostgresLimits
  readonly #counts: StoreCounts
  readonly #patient: boolean
  readonly #deadline: Deadline | undefined
  #client: PoolClient | null = null
  #unanswered = 0
  #abandoned = false

  constructor(
    pool: Pool,
    limits: PostgresLimits,
    counts: StoreCounts,
    patient: boolean,
    deadline: Deadline | undefined,
  ) {
    this.#pool = pool
    this.#limits = limits
    this.#counts = counts
    this.#patient = patient
    this.#deadline = deadline
  }

  async execute(bound: Bound): Promise<readonly StoredRow[]> {
    this.#unanswered++
    try {
      if (this.#client !== null) {
        requireTime(this.#deadline)
        return await this.#send(this.#client, bound)
      }
      const client = await this.#connect()
      requireWaiting(this.#deadline)
      const begun = this.#control(client, this.#patient ? `${begin}; set local statement_timeout = 0` : begin)
      // One round trip less. Only for what changes nothing: if BEGIN failed, it would run outside a transaction.
      const first = onlyReads.test(bound.statement.sql) ? this.#send(client, bound) : null
      first?.catch(() => undefined)
      await begun.catch((error) => {
        // It was lost while nobody used it, and nothing has been done yet.
        throw isConnectionLost(error) ? new LostRace(error) : error
      })
      return await (first ?? this.#send(client, bound))
    } finally {
      this.#unanswered--
    }
  }

  /** Commits, and gives the connection back unless nobody should use it any more. */
  async commit(isUseless: boolean): Promise<void> {
    const client = this.#client
    if (client === null) return
    requireTime(this.#deadline)
    const answer = await this.#control(client, 'commit')
    invariant(answer === 'COMMIT', 'no statement of a transaction that is committed has failed')
    this.#counts.transactions++
    this.#client = null
    client.release(isUseless || isWornOut(client, this.#limits))
  }

  /** Rolls back, and gives back as above. */
  async abandon(isUseless: boolean): Promise<void> {
    this.#abandoned = true
    const client = this.#client
    if (client === null) return
    this.#client = null
    // Losing the connection rolls back too, and need not wait for a statement that is still running.
    const timeLimitMs = this.#unanswered > 0 ? 1 : this.#timeLimitMs
    await this.#control(client, 'rollback', timeLimitMs).then(
      () => client.release(isUseless || isWornOut(client, this.#limits)),
      () => client.release(true),
    )
  }

  async #connect(): Promise<PoolClient> {
    if (this.#pool.waitingCount >= this.#limits.writesWaiting) {
      throw unavailable(new Error('Too many transactions are waiting for a connection.'))
    }
    const client = await this.#pool.connect().catch((error) => {
      throw meaningOf(error)
    })
    if (this.#abandoned) {
      client.release()
      throw unavailable(new Error('The transaction ended before it got a connection.'))
    }
    this.#client = client
    return client
  }

  #send(client: PoolClient, bound: Bound): Promise<readonly StoredRow[]> {
    return send(client, bound, this.#counts, this.#timeLimitMs)
  }

  /** Runs what opens or ends transactions; answers what PostgreSQL says it did. */
  async #control(client: PoolClient, sql: string, timeLimitMs = this.#timeLimitMs): Promise<string> {
    const question = { text: sql, query_timeout: timeLimitMs }
    try {
      const result = await client.query(question as never)
      return (result as unknown as { command: string }).command
    } catch (error) {
      throw meaningOf(error)
    }
  }

  get #timeLimitMs(): number | undefined {
    return this.#patient ? undefined : this.#limits.statementTimeoutMs + 1_000
  }
}

const begin = 'begin isolation level read committed'
const onlyReads = /^select\b/i
