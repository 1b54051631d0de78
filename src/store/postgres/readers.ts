// Connections that many reads share. Reads need no transaction, so each statement is sent without waiting for the
// ones before it: half the CPU of one connection per read, and twice as many.

import type { Duplex } from 'node:stream'
import { Client } from 'pg'
import { requireWaiting, type Wait } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import type { Failure } from '../../failure/failure.ts'
import { asBound, runAwaiting } from '../program.ts'
import type { Bound, Program, StoreCounts, StoredRow, StoreLog } from '../store.ts'
import { type Group, groupsOf } from './batching.ts'
import { AbandonedReads, type Lane, SentRead } from './cancellation.ts'
import {
  connectionConfig,
  hangUp,
  isCancelled,
  isConnectionLost,
  isWornOut,
  meaningOf,
  type PostgresLimits,
  send,
  unavailable,
} from './connection.ts'
import { RowsClient } from './row-parser.ts'

/** A read that waits to be sent. */
interface Gathered {
  readonly bound: Bound
  readonly deadline: Wait | undefined
  readonly resolve: (rows: readonly StoredRow[]) => void
  readonly reject: (error: unknown) => void
}
interface Shared extends Lane {
  readonly connected: Promise<unknown>
  isConnected: boolean
  /** Statements that use it, or wait until they can. */
  uses: number
}

export class SharedReaders {
  readonly #url: string
  readonly #most: number
  readonly #limits: PostgresLimits
  readonly #counts: StoreCounts
  readonly #log: StoreLog
  readonly #shared = new Set<Shared>()
  readonly #abandoned: AbandonedReads
  readonly #reads = new InFlight()
  #gathered: Gathered[] = []

  constructor(url: string, most: number, limits: PostgresLimits, counts: StoreCounts, log: StoreLog) {
    this.#url = url
    this.#most = most
    this.#limits = limits
    this.#counts = counts
    this.#log = log
    this.#abandoned = new AbandonedReads(this.#shared, (ids) => this.#cancel(ids), limits.abandonedSweepMs)
  }

  /** Runs a program, whose statements fail with what the deadline says, once it ends. */
  async read<T>(program: Program<T>, deadline?: Wait): Promise<T> {
    if (this.#reads.count >= this.#limits.readsWaiting) throw unavailable(new Error('Too many reads are waiting.'))
    this.#reads.begin()
    try {
      return await runAwaiting(program, (step) => this.#gather(asBound(step), deadline))
    } finally {
      this.#reads.end()
    }
  }

  /** Sent after this turn of the event loop, with what others ask alike. */
  #gather(bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    if (this.#gathered.length === 0) setImmediate(() => this.#sendGathered())
    return new Promise((resolve, reject) => this.#gathered.push({ bound, deadline, resolve, reject }))
  }

  #sendGathered(): void {
    const gathered = this.#gathered
    this.#gathered = []
    const corked = this.#cork()
    this.#answerAll(gathered)
    for (const stream of corked) stream.uncork()
  }

  #answerAll(gathered: readonly Gathered[]): void {
    const bounds = gathered.map(({ bound }) => bound)
    for (const group of groupsOf(bounds, true)) void this.#answer(group, gathered)
  }

  async #answer({ places, bound, divide }: Group, gathered: readonly Gathered[]): Promise<void> {
    const members = places.map((place) => gathered[place]!)
    try {
      const rows = divide(await this.#execute(bound, lastOf(members)))
      for (const [index, { deadline, resolve, reject }] of members.entries()) {
        const failure = deadline?.ended() ?? null
        if (failure === null) resolve(rows[index]!)
        else reject(failure)
      }
    } catch (error) {
      // Whoever takes too long, or asks what the database cannot read, takes nobody along.
      if (bound !== members[0]!.bound && !isConnectionLost(error)) for (const each of members) this.#answerAll([each])
      else for (const { reject } of members) reject(error)
    }
  }

  /** Until they are uncorked, what is sent on the connections that are open goes out at once, in one write for each. */
  #cork(): readonly Duplex[] {
    const streams = [...this.#shared].filter(({ isConnected }) => isConnected).map(streamOf)
    for (const stream of streams) stream.cork()
    return streams
  }

  async #execute(bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    let shared = this.#hold(this.#leastBusy())
    try {
      if (!shared.isConnected) await shared.connected
      requireWaiting(deadline)
      // A connection may have been lost while nobody used it, as may the next one, or a statement ended in place of the
      // one before it. Reading twice does no harm.
      for (let attempt = 0; ; attempt++) {
        const { cancels } = shared
        try {
          const rows = await this.#send(shared, bound, deadline)
          // What would be made of them is for nobody.
          requireWaiting(deadline)
          return rows
        } catch (error) {
          if (attempt === this.#most) throw error
          if (isCancelled(error) && shared.cancels > cancels) continue
          if (!isConnectionLost(error)) throw error
          this.#shared.delete(shared)
          this.#letGo(shared)
          shared = this.#hold(this.#shared.size < this.#most ? this.#connect() : this.#leastBusy())
          await shared.connected
        }
      }
    } finally {
      this.#letGo(shared)
    }
  }

  /** Waits for the reads that were accepted. */
  async close(): Promise<void> {
    await this.#reads.settled()
    await this.#abandoned.close()
    const all = [...this.#shared]
    this.#shared.clear()
    for (const { client, sent } of all) if (sent.size > 0) hangUp(client)
    await Promise.allSettled(all.map(({ client }) => client.end()))
  }

  #send(shared: Shared, bound: Bound, deadline: Wait | undefined): Promise<readonly StoredRow[]> {
    // The server ends a statement that takes too long; what was sent after a slow one waits for it as well.
    this.#abandoned.watch()
    const sent = new SentRead(shared, deadline, 2 * this.#limits.statementTimeoutMs)
    return send(shared.client, bound, this.#counts, undefined, sent)
  }

  #leastBusy(): Shared {
    let found: Shared | undefined
    for (const each of this.#shared) if (found === undefined || load(each) < load(found)) found = each
    if (found === undefined || (load(found) > 0 && this.#shared.size < this.#most)) return this.#connect()
    if (!isWornOut(found.client, this.#limits)) return found
    this.#shared.delete(found)
    this.#endUnused(found)
    return this.#connect()
  }

  #hold(shared: Shared): Shared {
    shared.uses++
    return shared
  }

  #letGo(shared: Shared): void {
    shared.uses--
    this.#endUnused(shared)
  }

  /** Ends a connection that was taken out of use, once the last read is done with it. */
  #endUnused(shared: Shared): void {
    if (shared.uses === 0 && !this.#shared.has(shared)) shared.client.end().catch(() => undefined)
  }

  #connect(): Shared {
    const client = new RowsClient(connectionConfig(this.#url, this.#limits))
    const connected = client.connect().then(
      () => {
        shared.isConnected = true
      },
      (error) => {
        this.#shared.delete(shared)
        throw meaningOf(error)
      },
    )
    connected.catch(() => undefined)
    const shared: Shared = { client, connected, isConnected: false, uses: 0, sent: new Set(), cancels: 0 }
    this.#shared.add(shared)
    client.on('error', (error) => {
      if (this.#shared.delete(shared)) this.#log.warn(`A connection to PostgreSQL was lost: ${error.message}`)
    })
    client.on('end', () => this.#shared.delete(shared))
    return shared
  }
  /** Over a connection of its own: all others may be waiting for what shall end. Where it fails, time ends it. */
  async #cancel(processIds: () => readonly number[]): Promise<void> {
    const client = new Client(connectionConfig(this.#url, this.#limits))
    client.on('error', () => undefined)
    try {
      await client.connect()
      for (const id of processIds()) await client.query('select pg_cancel_backend($1)', [id])
    } catch (error) {
      this.#log.warn(`An abandoned statement could not be ended: ${(error as Error).message}`)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** Statements that use it, or that it still has to answer, whoever waits for them. */
const load = ({ uses, sent }: Shared): number => Math.max(uses, sent.size)

const streamOf = ({ client }: Shared): Duplex => client.connection.stream

/** Ends when nobody of them waits any more. */
function lastOf(members: readonly Gathered[]): Wait | undefined {
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
