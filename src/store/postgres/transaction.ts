// One transaction on an exclusive connection to PostgreSQL.

import type { Pool, PoolClient } from 'pg'
import { type Deadline, requireTime, requireWaiting } from '../../budget/deadline.ts'
import type { Combine } from '../combine.ts'
import { LostRace, unavailable } from '../program.ts'
import type { Bound, StoreCounts, StoredRow } from '../store.ts'
import { gather, isConnectionLost, isWornOut, meaningOf, type PostgresLimits, send } from './connection.ts'

export interface TransactionOptions {
  readonly pool: Pool
  readonly limits: PostgresLimits
  readonly counts: StoreCounts
  readonly combine: Combine
  readonly deadline?: Deadline | undefined
  readonly withoutTimeout?: boolean
  readonly lockWaitMs?: number
  /** Whether a session is to be left for a new one. */
  readonly isOutdated: (client: PoolClient) => boolean
}

/** Takes a connection with its first statement. */
export class Transaction {
  readonly #options: TransactionOptions
  readonly #begin: string
  readonly #timeLimitMs: number | undefined
  #client: PoolClient | null = null
  #unanswered = 0
  #isAbandoned = false

  constructor(options: TransactionOptions) {
    const { limits, withoutTimeout = false, lockWaitMs } = options
    this.#options = options
    this.#timeLimitMs = withoutTimeout ? undefined : limits.statementTimeoutMs + 1_000
    this.#begin = [
      begin,
      ...(withoutTimeout ? ['set local statement_timeout = 0'] : []),
      ...(lockWaitMs === undefined ? [] : [`set local lock_timeout = ${lockWaitMs}`]),
    ].join('; ')
  }

  get isOutdated(): boolean {
    return this.#client !== null && this.#options.isOutdated(this.#client)
  }

  execute(bound: Bound): Promise<readonly StoredRow[]> {
    return this.#inside(onlyReads(bound), (client) => this.#send(client, bound))
  }

  /** Pipelined in order, combined where possible. */
  executeAll(bounds: readonly Bound[]): Promise<readonly (readonly StoredRow[])[]> {
    return this.#inside(bounds.every(onlyReads), async (client) => {
      const answers = new Array<readonly StoredRow[]>(bounds.length)
      const groups = this.#options.combine(bounds, false)
      const answered = groups.map(async ({ bound, places, split }) => {
        const rows = split(await this.#send(client, bound))
        for (const [index, place] of places.entries()) answers[place] = rows[index]!
      })
      await Promise.all(answered)
      return answers
    })
  }

  /** False if it was rolled back. Returns the connection to the pool unless `isUseless`. */
  async commit(isUseless: boolean): Promise<boolean> {
    const client = this.#client
    if (client === null) return true
    requireTime(this.#options.deadline)
    const answer = await this.#control(client, 'commit')
    this.#client = null
    client.release(isUseless || isWornOut(client, this.#options.limits))
    if (answer !== 'COMMIT') return false
    this.#options.counts.transactions++
    return true
  }

  /** If it `runsAgain`, ends only when its locks are free: a connection that is closed keeps them until the server notices. */
  async abandon(isUseless: boolean, runsAgain = false): Promise<void> {
    this.#isAbandoned = true
    const client = this.#client
    if (client === null) return
    this.#client = null
    // Closing the connection rolls back too, without waiting for a running statement.
    const timeLimitMs = this.#unanswered > 0 && !runsAgain ? 1 : this.#timeLimitMs
    await this.#control(client, 'rollback', timeLimitMs).then(
      () => client.release(isUseless || isWornOut(client, this.#options.limits)),
      () => client.release(true),
    )
  }

  async #inside<T>(isRead: boolean, run: (client: PoolClient) => Promise<T>): Promise<T> {
    this.#unanswered++
    try {
      if (this.#client !== null) {
        requireTime(this.#options.deadline)
        return await run(this.#client)
      }
      const client = await this.#connect()
      requireWaiting(this.#options.deadline)
      const beginning = this.#control(client, this.#begin)
      // Saves a round trip. Only for reads: if BEGIN failed, the statement would run outside a transaction.
      const first = isRead ? run(client) : null
      first?.catch(() => undefined)
      await beginning.catch((error) => {
        this.#requireOpen()
        // The connection was lost while idle; nothing has been done.
        throw isConnectionLost(error) ? new LostRace(error) : error
      })
      // A statement after the rollback would be a transaction of its own.
      if (first === null) this.#requireOpen()
      return await (first ?? run(client))
    } finally {
      this.#unanswered--
    }
  }

  async #connect(): Promise<PoolClient> {
    const { pool, limits, isOutdated } = this.#options
    if (pool.waitingCount >= limits.writesWaiting) {
      throw unavailable(new Error('Too many transactions are waiting for a connection.'))
    }
    const connect = () =>
      pool.connect().catch((error) => {
        throw meaningOf(error)
      })
    let client = await connect()
    while (isOutdated(client)) {
      client.release(true)
      client = await connect()
    }
    if (this.#isAbandoned) client.release()
    this.#requireOpen()
    this.#client = client
    return client
  }

  #requireOpen(): void {
    if (this.#isAbandoned) throw unavailable(new Error('The transaction ended before its first statement.'))
  }

  #send(client: PoolClient, bound: Bound): Promise<readonly StoredRow[]> {
    return send(client, bound, this.#options.counts, this.#timeLimitMs)
  }

  /** Returns the command tag. */
  async #control(client: PoolClient, sql: string, timeLimitMs = this.#timeLimitMs): Promise<string> {
    const message = { text: sql, query_timeout: timeLimitMs }
    gather(client)
    try {
      const result = await client.query(message as never)
      return (result as unknown as { command: string }).command
    } catch (error) {
      throw meaningOf(error)
    }
  }
}

const begin = 'begin isolation level read committed'
/** Locks are allowed. */
export const onlyReads = ({ statement }: Bound): boolean => /^select\b/i.test(statement.sql)
