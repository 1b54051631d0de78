// Connections that many reads share. Reads need no transaction, so each statement is sent without waiting for the
// ones before it: half the CPU of one connection per read, and twice as many.

import { Client } from 'pg'
import {
  connectionConfig,
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
    const shared = this.#leastBusy()
    const { client, connected } = shared
    shared.reads++
    this.#reads++
    // The server ends a statement that takes too long; what is sent after a slow one waits for it as well.
    const timeLimitMs = 2 * this.#limits.statementTimeoutMs
    return {
      execute: async (bound) => {
        await connected
        return send(client, bound, this.#counts, timeLimitMs)
      },
      done: () => {
        shared.reads--
        this.#reads--
        if (shared.reads === 0 && !this.#shared.has(shared)) client.end().catch(() => undefined)
      },
    }
  }

  async close(): Promise<void> {
    const all = [...this.#shared]
    this.#shared.clear()
    await Promise.allSettled(all.map(({ client }) => client.end()))
  }

  #leastBusy(): Shared {
    let found: Shared | undefined
    for (const each of this.#shared) if (found === undefined || each.reads < found.reads) found = each
    if (found !== undefined && isWornOut(found.client, this.#limits)) {
      this.#shared.delete(found)
      if (found.reads === 0) found.client.end().catch(() => undefined)
      return this.#connect()
    }
    return found === undefined || (found.reads > 0 && this.#shared.size < this.#most) ? this.#connect() : found
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
