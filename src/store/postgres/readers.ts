// Connections that many reads share. Statements are pipelined: half the CPU per read, twice the throughput. Slow statements,
// which would delay others, use other connections. (contract 12.1.18)

import { Client } from 'pg'
import { requireWaiting, type Wait } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Combine, Group } from '../combine.ts'
import { asBound, runAwaiting, unavailable } from '../program.ts'
import type { SlowStatements } from '../slow-statements.ts'
import type { Bound, Program, StoreCounts, StoredRow, StoreLog } from '../store.ts'
import type { Tuning } from '../tuning.ts'
import { Cancellation, type Connection, SentRead } from './cancellation.ts'
import {
  connectionConfig,
  destroy,
  isCancelled,
  isConnectionLost,
  isWornOut,
  leaveUnnamed,
  meaningOf,
  type PostgresLimits,
  send,
} from './connection.ts'
import type { Server } from './hosts.ts'

interface QueuedStatement {
  readonly bound: Bound
  readonly deadline: Wait | undefined
  readonly resolve: (rows: readonly StoredRow[]) => void
  readonly reject: (error: unknown) => void
}
interface SharedConnection extends Connection {
  readonly connected: Promise<unknown>
  isConnected: boolean
  uses: number
  answeredMs: number
}

export interface SharedReadersOptions {
  readonly server: Server
  readonly size: number
  readonly limits: PostgresLimits
  readonly counts: StoreCounts
  readonly log: StoreLog
  readonly combine: Combine
  readonly tuning: Pick<Tuning, 'cancellation'>
  readonly slow: SlowStatements
  /** Receives slow statements; null for itself. */
  readonly questions: SharedReaders | null
}

export class SharedReaders {
  readonly #options: SharedReadersOptions
  readonly #connections = new Set<SharedConnection>()
  readonly #cancellation: Cancellation
  readonly #reads = new InFlight()
  #queue: QueuedStatement[] = []

  constructor(options: SharedReadersOptions) {
    this.#options = options
    const { abandonedSweepMs } = options.limits
    this.#cancellation = new Cancellation(this.#connections, (ids) => this.#cancel(ids), abandonedSweepMs)
  }

  /** After the deadline, statements fail with its failure. */
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

  /** After this turn of the event loop, combined where possible. */
  #enqueue(bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    return new Promise((resolve, reject) => this.#requeue([{ bound, deadline, resolve, reject }]))
  }

  #requeue(statements: readonly QueuedStatement[]): void {
    if (this.#queue.length === 0) setImmediate(() => this.#sendQueue())
    this.#queue.push(...statements)
  }

  #sendQueue(): void {
    const { questions } = this.#options
    let queue = this.#queue
    this.#queue = []
    if (questions !== null) queue = this.#handOver(queue, questions)
    this.#answerAll(queue)
  }

  #handOver(queue: QueuedStatement[], questions: SharedReaders): QueuedStatement[] {
    const takesLong = ({ bound: { statement } }: QueuedStatement) =>
      statement.scanSize === 'walk' || this.#options.slow.isSlow(statement)
    const slow = queue.filter(takesLong)
    if (slow.length === 0) return queue
    questions.#requeue(slow)
    return queue.filter((each) => !takesLong(each))
  }

  #answerAll(queue: readonly QueuedStatement[]): void {
    const bounds = queue.map(({ bound }) => bound)
    const groups = this.#options.combine(bounds, true)
    for (const group of groups) void this.#answer(group, queue)
  }

  async #answer({ places, bound, split }: Group, queue: readonly QueuedStatement[]): Promise<void> {
    const members = places.map((place) => queue[place]!)
    const { slow, questions } = this.#options
    const { statement } = members[0]!.bound
    const noteTime = (ms: number) => slow.add(statement, ms / members.length)
    try {
      const rows = split(await this.#execute(bound, lastOf(members), noteTime))
      for (const [index, { deadline, resolve, reject }] of members.entries()) {
        const failure = deadline?.ended() ?? null
        if (failure === null) resolve(rows[index]!)
        else reject(failure)
      }
    } catch (error) {
      const isLate = questions !== null && isCancelled(error)
      // A combined statement may be slow or hold a rejected value; each should fail alone.
      const isAlone = bound === members[0]!.bound || isConnectionLost(error)
      if (isLate) {
        slow.end(statement)
        questions.#requeue(members)
      } else if (!isAlone) {
        for (const each of members) this.#answerAll([each])
      } else for (const { reject } of members) reject(error)
    }
  }

  /** `tell` receives its own time, without waiting. */
  async #execute(
    bound: Bound,
    deadline: Wait | undefined,
    noteTime: (ms: number) => void,
  ): Promise<readonly StoredRow[]> {
    const { size } = this.#options
    let connection = this.#hold(this.#leastBusy())
    try {
      if (!connection.isConnected) await connection.connected
      requireWaiting(deadline)
      // The connection may have been lost, or this statement cancelled instead of the previous one. Repeating a read is
      // harmless.
      for (let attempt = 0; ; attempt++) {
        const { cancellations } = connection
        const begunMs = performance.now()
        try {
          const rows = await this.#send(connection, bound, deadline)
          const nowMs = performance.now()
          // Before that it waited for the previous statement.
          noteTime(nowMs - Math.max(begunMs, connection.answeredMs))
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

  async close(): Promise<void> {
    await this.#reads.settled()
    await this.#cancellation.close()
    const all = [...this.#connections]
    this.#connections.clear()
    for (const { client, inFlight } of all) if (inFlight.size > 0) destroy(client)
    await Promise.allSettled(all.map(({ client }) => client.end()))
  }

  /** Ends every connection at once; statements in flight are sent again by new ones. */
  reconnect(): void {
    for (const { client } of this.#connections) destroy(client)
    this.#connections.clear()
  }

  #send(connection: SharedConnection, bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    const { counts, limits, server, tuning } = this.#options
    if (tuning.cancellation && server.pooling.lends === 'nothing') this.#cancellation.watch()
    // The server ends a slow statement, which those behind it have waited for as well.
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

  #endUnused(connection: SharedConnection): void {
    if (connection.uses === 0 && !this.#connections.has(connection)) connection.client.end().catch(() => undefined)
  }

  #connect(): SharedConnection {
    const { server, limits, log, questions } = this.#options
    const { readBlockingMs, statementTimeoutMs } = limits
    const timeLimitMs = questions === null ? statementTimeoutMs : Math.min(readBlockingMs, statementTimeoutMs)
    const config = connectionConfig(server.hosts.url, { ...limits, statementTimeoutMs: timeLimitMs })
    const client = new Client(config)
    if (server.pooling.mixesStatements) leaveUnnamed(client)
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

  /** Over a new connection, since others may be busy. If that fails, the server's time limit ends the statements. */
  async #cancel(processIds: () => readonly number[]): Promise<void> {
    const { server, limits, log } = this.#options
    const client = new Client(connectionConfig(server.hosts.url, limits))
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

/** Abandoned statements still occupy the connection. */
const load = ({ uses, inFlight }: SharedConnection): number => Math.max(uses, inFlight.size)

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
