// Wakes other instances with NOTIFY; polling covers lost notifications. Sent after the commit, because notifying transactions
// commit one at a time across all instances. (contract 6.1.2)

import { randomUUID } from 'node:crypto'
import type { Log } from '../observation/log.ts'
import { bind, type Program, query, type Store } from '../store/store.ts'

export const eventChannel = 'duet_event'

/** Does nothing on SQLite, which has one instance. */
export function createAnnouncer(store: Store, pauseMs: number, log: Pick<Log, 'warn'>) {
  const self = randomUUID()
  let sending: Promise<void> | null = null
  let isPending = false

  async function send(): Promise<void> {
    // Shares a connection with reads, as it changes nothing.
    await store.read(notify(self)).catch((error: unknown) => {
      log.warn('Other instances could not be notified of an event; they will find it by polling.', { err: error })
    })
    await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref())
  }
  function announce(): void {
    if (store.engine === 'sqlite') return
    isPending = true
    sending ??= sendAll().finally(() => {
      sending = null
    })
  }
  async function sendAll(): Promise<void> {
    while (isPending) {
      isPending = false
      await send()
    }
  }
  return {
    /** Notifies now, or after a pause since the last time. */
    announce,
    /** False for this instance's own notifications. */
    isNews: (payload: string | undefined): boolean => payload !== self,
    async settled(): Promise<void> {
      await sending
    },
    async close(): Promise<void> {
      isPending = false
      await sending
    },
  }
}

const statement = query(`select pg_notify('${eventChannel}', $1)`)
function* notify(self: string): Program<void> {
  yield bind(statement, self)
}
