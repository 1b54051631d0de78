// Connections that many reads share. Reads need no transaction, so each statement is sent without waiting for the
// ones before it: half the CPU of one connection per read, and twice as many.

import { Client } from 'pg'
import {
  connectionConfig,
  isConnectionLost,
  isWornOut,
  meaningOf,
  type PostgresLimits,
  send,
  unavailable,
} from './postgres-connection.ts'
import type { Bound, StoreCounts, StoredRow, StoreLog } from './store.ts'

export interface Reader {
  execute(bound: Bound): Promise<readonly StoredRow[]>
  /** Must be called once. */
  done(): void
}

interface Shared {
  readonly client: Client
  readonly connected: Promise<unknown>
  reads: number
}

export class SharedReaders {
  readonly #url: string
  readonly #most: number
  readonly #limits: PostgresLimits
  readonly #counts: StoreCounts
  readonly #log: StoreLog
  readonly #shared = new Set<Shared>()
  #reads = 0

  constructor(url: string, most: number, limits: PostgresLimits, counts: StoreCounts, log: StoreLog) {
    this.#url = url
    this.#most = most
    this.#limits = limits
    this.#counts = counts
    this.#log = log
  }

  /** The connection with the least to do, for one read. */
  take(): Reader {
    if (this.#reads >= this.#limits.readsWaiting) throw unavailable(new Error('Too many reads are waiting.'))
    this.#reads++
    let shared = this.#hold(this.#leastBusy())
    return {
      execute: async (bound) => {
        await shared.connected
        // A connection may have been lost while nobody used it. Reading twice does no harm.
        try {
          return await this.#send(shared, bound)
        } catch (error) {
          if (!isConnectionLost(error)) throw error
          this.#shared.delete(shared)
          this.#letGo(shared)
          shared = this.#hold(this.#shared.size < this.#most ? this.#connect() : this.#leastBusy())
          await shared.connected
          return await this.#send(shared, bound)
        }
      },
      done: () => {
        this.#reads--
        this.#letGo(shared)
      },
    }
  }

  async close(): Promise<void> {
    const all = [...this.#shared]
    this.#shared.clear()
    await Promise.allSettled(all.map(({ client }) => client.end()))
  }

  #send({ client }: Shared, bound: Bound): Promise<readonly StoredRow[]> {
    // The server ends a statement that takes too long; what was sent after a slow one waits for it as well.
    return send(client, bound, this.#counts, 2 * this.#limits.statementTimeoutMs)
  }

  #leastBusy(): Shared {
    let found: Shared | undefined
    for (const each of this.#shared) if (found === undefined || each.reads < found.reads) found = each
    if (found === undefined || (found.reads > 0 && this.#shared.size < this.#most)) return this.#connect()
    if (!isWornOut(found.client, this.#limits)) return found
    this.#shared.delete(found)
    this.#endUnused(found)
    return this.#connect()
  }

  #hold(shared: Shared): Shared {
    shared.reads++
    return shared
  }

  #letGo(shared: Shared): void {
    shared.reads--
    this.#endUnused(shared)
  }

  /** Ends a connection that was taken out of use, once the last read is done with it. */
  #endUnused(shared: Shared): void {
    if (shared.reads === 0 && !this.#shared.has(shared)) shared.client.end().catch(() => undefined)
  }

  #connect(): Shared {
    const client = new Client(connectionConfig(this.#url, this.#limits))
    const connected = client.connect().catch((error) => {
      this.#shared.delete(shared)
      throw meaningOf(error)
    })
    connected.catch(() => undefined)
    const shared = { client, connected, reads: 0 }
    this.#shared.add(shared)
    client.on('error', (error) => {
      if (this.#shared.delete(shared)) this.#log.warn(`A connection to PostgreSQL was lost: ${error.message}`)
    })
    client.on('end', () => this.#shared.delete(shared))
    return shared
  }
}
