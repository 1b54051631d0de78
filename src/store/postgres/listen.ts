// Listens to notifications that other instances send through PostgreSQL. One may come twice or be lost: whoever is woken
// polls, and also polls from time to time without a notification.

import type { ClientConfig } from 'pg'
import type { Limits } from '../../limits.ts'
import { holdSchema } from '../migration/instance-lock.ts'
import type { StoreLog } from '../store.ts'

export interface ListenOptions {
  readonly channel: string
  /** Called with a notification's payload; without one where a notification may have been missed. */
  readonly wake: (payload?: string) => void
  readonly log: Pick<StoreLog, 'warn'>
  readonly limits: Pick<Limits, 'connectTimeoutMs' | 'listenRetryMs'>
}
export interface Listener {
  /** Resolves once it listens, or could not at its first try. */
  readonly begun: Promise<void>
  stop(): Promise<void>
}

/**
 * Calls `wake` for every notification of the channel, over a connection of its own that is opened again when it is lost,
 * and once whenever it was. On SQLite there is one instance and nothing to wait for.
 */
export function listen(databaseUrl: string, options: ListenOptions): Listener {
  if (!/^postgres(ql)?:/.test(databaseUrl)) return { begun: Promise.resolve(), stop: async () => {} }
  const { channel, wake, log, limits } = options
  let isStopped = false
  let end: (() => void) | null = null
  const start = Promise.withResolvers<void>()
  /** Logged once: the database may be away for long. */
  let isLost = false

  async function connectOnce(): Promise<void> {
    const { Client } = await import('pg')
    const client = new Client(listenerConfig(databaseUrl, limits))
    const lost = new Promise<void>((resolve) => {
      client.once('error', () => resolve())
      client.once('end', () => resolve())
      end = resolve
    })
    client.on('notification', ({ payload }) => wake(payload))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      isLost = false
      // While this connection lives, no other version changes the database in a way that would break this one.
      await client.query(holdSchema)
      // For notifications that were sent before it listened.
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
        // Events still arrive, a little later, because everybody also polls.
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
