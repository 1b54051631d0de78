// Connections that many reads share. Reads need no transaction, so each statement is pipelined, sent without waiting for the
// answers of those before it: half the CPU of one connection per read, and twice the throughput.

import type { Duplex } from 'node:stream'
import { Client } from 'pg'
import { requireWaiting, type Wait } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Combine, Group } from '../combine.ts'
import { asBound, runAwaiting } from '../program.ts'
import type { Bound, Program, StoreCounts, StoredRow, StoreLog } from '../store.ts'
import type { Tuning } from '../tuning.ts'
import { Cancellation, type Connection, SentRead } from './cancellation.ts'
import { Coalescing } from './coalescing.ts'
import {
  connectionConfig,
  destroy,
  isCancelled,
  isConnectionLost,
  isWornOut,
  meaningOf,
  type PostgresLimits,
  send,
  unavailable,
} from './connection.ts'
import { Pace } from './pace.ts'
import { RowsClient } from './row-parser.ts'

/** A statement that waits to be sent. */
interface QueuedStatement {
  readonly bound: Bound
  readonly deadline: Wait | undefined
  readonly resolve: (rows: readonly StoredRow[]) => void
  readonly reject: (error: unknown) => void
}
interface SharedConnection extends Connection {
  readonly connected: Promise<unknown>
  isConnected: boolean
  /** Statements that use it, or wait until they can. */
  uses: number
  /** When it answered the last time. */
  answeredMs: number
}

export interface SharedReadersOptions {
  readonly url: string
  /** Connections at most. */
  readonly size: number
  readonly limits: PostgresLimits
  readonly counts: StoreCounts
  readonly log: StoreLog
  readonly combine: Combine
  readonly tuning: Pick<Tuning, 'batching' | 'rowParser' | 'cancellation'>
}

export class SharedReaders {
  readonly #options: SharedReadersOptions
  readonly #connections = new Set<SharedConnection>()
  readonly #cancellation: Cancellation
  readonly #reads = new InFlight()
  readonly #pace = new Pace()
  readonly #coalescing = new Coalescing<QueuedStatement>((reads) => this.#requeue(reads))
  #queue: QueuedStatement[] = []

  constructor(options: SharedReadersOptions) {
    this.#options = options
    const { abandonedSweepMs } = options.limits
    this.#cancellation = new Cancellation(this.#connections, (ids) => this.#cancel(ids), abandonedSweepMs)
  }

  /** Runs a program. Once the deadline has ended, its statements fail with what the deadline says. */
  async read<T>(program: Program<T>, deadline?: Wait): Promise<T> {
    if (this.#reads.count >= this.#options.limits.readsWaiting)
      throw unavailable(new Error('Too many reads are waiting.'))
    this.#reads.begin()
    try {
      return await runAwaiting(program, (step) => this.#enqueue(asBound(step), deadline))
    } finally {
      this.#reads.end()
    }
  }

  /** Sent after this turn of the event loop, combined with others where it can be. */
  #enqueue(bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    return new Promise((resolve, reject) => this.#requeue([{ bound, deadline, resolve, reject }]))
  }

  #requeue(statements: readonly QueuedStatement[]): void {
    if (this.#queue.length === 0) setImmediate(() => this.#sendQueue())
    this.#queue.push(...statements)
  }

  #sendQueue(): void {
    const { batching } = this.#options.tuning
    const queue = batching ? this.#queue.filter((each) => !this.#coalescing.postpone(each)) : this.#queue
    this.#queue = []
    const corked = this.#cork()
    this.#answerAll(queue)
    for (const stream of corked) stream.uncork()
  }

  #answerAll(queue: readonly QueuedStatement[]): void {
    const bounds = queue.map(({ bound }) => bound)
    const groups = this.#options.combine(bounds, true, (batching) => this.#pace.isSlow(batching))
    for (const group of groups) void this.#answer(group, queue)
  }

  async #answer({ places, bound, split }: Group, queue: readonly QueuedStatement[]): Promise<void> {
    const members = places.map((place) => queue[place]!)
    const { batching } = members[0]!.bound.statement
    const tell = (ms: number) => batching !== null && this.#pace.add(batching, ms, members.length)
    const end = this.#coalescing.begin(members)
    try {
      const rows = split(await this.#execute(bound, lastOf(members), tell))
      for (const [index, { deadline, resolve, reject }] of members.entries()) {
        const failure = deadline?.ended() ?? null
        if (failure === null) resolve(rows[index]!)
        else reject(failure)
      }
    } catch (error) {
      // A statement that is too slow, or has a value that the database cannot read, fails alone.
      if (bound !== members[0]!.bound && !isConnectionLost(error)) {
        if (batching !== null) this.#pace.fail(batching)
        for (const each of members) this.#answerAll([each])
      } else for (const { reject } of members) reject(error)
    } finally {
      end()
    }
  }

  /** Collects what is sent on open connections until they are uncorked, so that each gets it in one write to its socket. */
  #cork(): readonly Duplex[] {
    const streams = [...this.#connections].filter(({ isConnected }) => isConnected).map(streamOf)
    for (const stream of streams) stream.cork()
    return streams
  }

  /** Tells how long it took by itself. */
  async #execute(bound: Bound, deadline: Wait | undefined, tell: (ms: number) => void): Promise<readonly StoredRow[]> {
    const { size } = this.#options
    let connection = this.#hold(this.#leastBusy())
    try {
      if (!connection.isConnected) await connection.connected
      requireWaiting(deadline)
      // A connection may have been lost while idle, as may the next one, or this statement was cancelled in place of the
      // one before it. Reading twice does no harm.
      for (let attempt = 0; ; attempt++) {
        const { cancellations } = connection
        const begunMs = performance.now()
        try {
          const rows = await this.#send(connection, bound, deadline)
          const nowMs = performance.now()
          // Before that it waited for the one in front of it.
          tell(nowMs - Math.max(begunMs, connection.answeredMs))
          connection.answeredMs = nowMs
          // The client may have gone meanwhile.
          requireWaiting(deadline)
          return rows
        } catch (error) {
          if (attempt === size) throw error
          if (isCancelled(error) && connection.cancellations > cancellations) continue
          if (!isConnectionLost(error)) throw error
          this.#connections.delete(connection)
          this.#letGo(connection)
          connection = this.#hold(this.#connections.size < size ? this.#connect() : this.#leastBusy())
          await connection.connected
        }
      }
    } finally {
      this.#letGo(connection)
    }
  }

  /** Waits for the reads that were accepted. */
  async close(): Promise<void> {
    await this.#reads.settled()
    await this.#cancellation.close()
    const all = [...this.#connections]
    this.#connections.clear()
    for (const { client, inFlight } of all) if (inFlight.size > 0) destroy(client)
    await Promise.allSettled(all.map(({ client }) => client.end()))
  }

  #send(connection: SharedConnection, bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    const { counts, limits, tuning } = this.#options
    if (tuning.cancellation) this.#cancellation.watch()
    // The server ends a statement that takes too long, and those behind it on the connection have waited for it as well.
    const read = new SentRead(connection, deadline, 2 * limits.statementTimeoutMs)
    return send(connection.client, bound, counts, undefined, read)
  }

  #leastBusy(): SharedConnection {
    const { size, limits } = this.#options
    let idlest: SharedConnection | undefined
    for (const each of this.#connections) if (idlest === undefined || load(each) < load(idlest)) idlest = each
    if (idlest === undefined || (load(idlest) > 0 && this.#connections.size < size)) return this.#connect()
    if (!isWornOut(idlest.client, limits)) return idlest
    this.#connections.delete(idlest)
    this.#endUnused(idlest)
    return this.#connect()
  }

  #hold(connection: SharedConnection): SharedConnection {
    connection.uses++
    return connection
  }

  #letGo(connection: SharedConnection): void {
    connection.uses--
    this.#endUnused(connection)
  }

  /** Ends a connection that was taken out of use, once the last read is done with it. */
  #endUnused(connection: SharedConnection): void {
    if (connection.uses === 0 && !this.#connections.has(connection)) connection.client.end().catch(() => undefined)
  }

  #connect(): SharedConnection {
    const { url, limits, log, tuning } = this.#options
    const client = new (tuning.rowParser ? RowsClient : Client)(connectionConfig(url, limits))
    const connected = client.connect().then(
      () => {
        connection.isConnected = true
      },
      (error) => {
        this.#connections.delete(connection)
        throw meaningOf(error)
      },
    )
    connected.catch(() => undefined)
    const connection: SharedConnection = {
      client,
      connected,
      isConnected: false,
      uses: 0,
      answeredMs: 0,
      inFlight: new Set(),
      cancellations: 0,
    }
    this.#connections.add(connection)
    client.on('error', (error) => {
      if (this.#connections.delete(connection)) log.warn(`A connection to PostgreSQL was lost: ${error.message}`)
    })
    client.on('end', () => this.#connections.delete(connection))
    return connection
  }

  /** Over a connection of its own, for all others may be busy. Where that fails, the server's time limit ends the statements. */
  async #cancel(processIds: () => readonly number[]): Promise<void> {
    const { url, limits, log } = this.#options
    const client = new Client(connectionConfig(url, limits))
    client.on('error', () => undefined)
    try {
      await client.connect()
      for (const id of processIds()) await client.query('select pg_cancel_backend($1)', [id])
    } catch (error) {
      log.warn(`An abandoned statement could not be ended: ${(error as Error).message}`)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** Statements that use it, or that it still has to answer although nobody waits for them. */
const load = ({ uses, inFlight }: SharedConnection): number => Math.max(uses, inFlight.size)

const streamOf = ({ client }: SharedConnection): Duplex => client.connection.stream

/** Ends when none of them waits any more. */
function lastOf(members: readonly QueuedStatement[]): Wait | undefined {
  if (members.length === 1) return members[0]!.deadline
  if (members.some(({ deadline }) => deadline === undefined)) return undefined
  return {
    ended() {
      let failure: Failure | null = null
      for (const { deadline } of members) {
        failure = deadline!.ended()
        if (failure === null) return null
      }
      return failure
    },
  }
}
