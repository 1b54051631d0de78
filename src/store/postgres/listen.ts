// Waits for what other instances tell through the database. A wake may come twice or be lost: whoever is woken looks for
// himself, and looks from time to time without being woken.

import type { ClientConfig } from 'pg'
import type { Limits } from '../../limits.ts'
import { holdSchema } from '../migration/instance-lock.ts'
import type { StoreLog } from '../store.ts'

export interface ListenOptions {
  readonly channel: string
  /** Given what was said with a notification; nothing where one may have been missed. */
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
  let stopped = false
  let end: (() => void) | null = null
  const begun = Promise.withResolvers<void>()
  /** Said once: the database may be gone for long. */
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
      // As long as this connection lives, nobody changes the database so that this version could not bear it.
      await client.query(holdSchema)
      // What was told while nobody listened.
      wake()
      begun.resolve()
      await lost
    } finally {
      client.removeAllListeners('notification')
      client.on('error', () => {})
      await client.end().catch(() => {})
    }
  }
  async function keepListening(): Promise<void> {
    while (!stopped) {
      try {
        await connectOnce()
      } catch (error) {
        // Events go on to arrive, a little later: whoever listens also polls.
        if (!stopped && !isLost) log.warn(`PostgreSQL cannot be listened to: ${(error as Error).message}`)
        isLost = true
        begun.resolve()
      }
      if (!stopped) await new Promise<void>((resolve) => pause(resolve))
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
    begun: begun.promise,
    async stop() {
      stopped = true
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
