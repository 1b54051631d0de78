// Listens to notifications of other instances. They may be lost: an instance also polls periodically.

import type { ClientConfig } from 'pg'
import type { Limits } from '../../limits.ts'
import { hostUrls } from '../host-urls.ts'
import type { StoreLog } from '../store.ts'

export interface ListenOptions {
  readonly channel: string
  /** Called without a payload if a notification may have been missed. */
  readonly wake: (payload?: string) => void
  readonly log: Pick<StoreLog, 'warn'>
  readonly limits: Pick<Limits, 'connectTimeoutMs' | 'listenRetryMs'>
}
export interface Listener {
  /** Resolves when it listens, or after its first attempt failed. */
  readonly begun: Promise<void>
  stop(): Promise<void>
}

/**
 * Calls `wake` for every notification, over a connection of its own, and once after each loss. SQLite has one instance and
 * needs none; null listens to nothing.
 */
export function listen(databaseUrl: string | null, options: ListenOptions): Listener {
  if (databaseUrl === null || !/^postgres(ql)?:/.test(databaseUrl))
    return { begun: Promise.resolve(), stop: async () => {} }
  const { channel, wake, log, limits } = options
  let isStopped = false
  let end: (() => void) | null = null
  const start = Promise.withResolvers<void>()
  /** Logged once: the database may be away for long. */
  let isLost = false
  const urls = hostUrls(databaseUrl)
  /** A standby cannot be listened to. */
  let host = 0
  /** In a row: one of each host is an outage. */
  let failures = 0

  async function connectOnce(): Promise<void> {
    const { Client } = await import('pg')
    const client = new Client(listenerConfig(urls[host % urls.length]!, limits))
    const lost = new Promise<void>((resolve) => {
      client.once('error', () => resolve())
      client.once('end', () => resolve())
      end = resolve
    })
    client.on('notification', ({ payload }) => wake(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      failures = 0
      isLost = false
      // For notifications from before it listened.
      wake()
      start.resolve()
      await lost
    } finally {
      client.removeAllListeners('notification')
      client.on('error', () => {})
      await client.end().catch(() => {})
    }
  }
  async function keepListening(): Promise<void> {
    while (!isStopped) {
      try {
        await connectOnce()
      } catch (error) {
        host++
        if (++failures % urls.length !== 0 && !isStopped) continue
        // Events then arrive by polling, a little later.
        if (!isStopped && !isLost) log.warn(`PostgreSQL cannot be listened to: ${(error as Error).message}`)
        isLost = true
        start.resolve()
      }
      if (!isStopped) await new Promise<void>((resolve) => pause(resolve))
    }
  }
  const pause = (resume: () => void) => {
    const timer = setTimeout(resume, limits.listenRetryMs).unref()
    end = () => {
      clearTimeout(timer)
      resume()
    }
  }
  const listening = keepListening()
  return {
    begun: start.promise,
    async stop() {
      isStopped = true
      end?.()
      await listening
    },
  }
}

const listenerConfig = (connectionString: string, limits: ListenOptions['limits']): ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: limits.connectTimeoutMs,
  fallback_application_name: 'duet listener',
  keepAlive: true,
})
