// Which of several hosts takes writes: found at the start, and again when the one in use fails. (contract 0.1.12)

import { Client } from 'pg'
import type { StoreLog } from '../store.ts'
import { connectionConfig, type PostgresLimits } from './connection.ts'
import { noPooler, type Pooling } from './pooler.ts'

export interface Hosts {
  /** Of the host in use. */
  readonly url: string
  readonly isSeveral: boolean
  /** Looks for another host in the background; `moved` is called if it takes writes. */
  failed(): void
  onMove(moved: () => void): void
}

export const singleHost = (url: string): Hosts => ({ url, isSeveral: false, failed: () => {}, onMove: () => {} })

/** The server of a service: its hosts, and what stands before them. */
export interface Server {
  readonly hosts: Hosts
  readonly pooling: Pooling
  /** Past a pooler, for what a transaction of one cannot do; null if there is no other way. */
  readonly direct: Hosts | null
}

export const directServer = (url: string): Server => ({ hosts: singleHost(url), pooling: noPooler, direct: null })

export interface HostsOptions {
  readonly limits: PostgresLimits
  readonly log: Pick<StoreLog, 'warn'>
}

/** A host that does not answer must not delay the others. */
const tryMaxMs = 2_000
const pauseMs = 250

/** Rejects with the error of the last host if none takes writes. */
export async function findHost(urls: readonly string[], { limits, log }: HostsOptions): Promise<Hosts> {
  if (urls.length === 1) return singleHost(urls[0]!)
  let url = await find()
  let isSearching = false
  const listeners: (() => void)[] = []
  return {
    get url() {
      return url
    },
    isSeveral: true,
    onMove: (moved) => void listeners.push(moved),
    failed() {
      if (isSearching) return
      isSearching = true
      const found = find().then(move, () => undefined)
      void found.then(() => setTimeout(() => (isSearching = false), pauseMs).unref())
    },
  }

  async function find(): Promise<string> {
    let problem: unknown
    for (const each of urls) {
      try {
        if (await takesWrites(each, limits)) return each
        problem ??= new Error('none of its hosts takes writes')
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }
  function move(other: string): void {
    if (other === url) return
    url = other
    log.warn(`The database is used at ${new URL(url).host} now.`)
    for (const moved of listeners) moved()
  }
}

async function takesWrites(url: string, limits: PostgresLimits): Promise<boolean> {
  const connectTimeoutMs = Math.min(limits.connectTimeoutMs, tryMaxMs)
  const client = new Client(connectionConfig(url, { ...limits, connectTimeoutMs }))
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query({
      text: 'show transaction_read_only',
      query_timeout: connectTimeoutMs,
    } as never)
    return (rows as readonly { readonly transaction_read_only: string }[])[0]!.transaction_read_only === 'off'
  } finally {
    await client.end().catch(() => undefined)
  }
}
