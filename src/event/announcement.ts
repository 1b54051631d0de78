// Wakes the other instances with NOTIFY; polling covers notifications that are lost. Sent after the commit, because
// transactions that notify commit one by one, over all instances. (contract 6.1.2)

import { randomUUID } from 'node:crypto'
import type { Log } from '../observation/log.ts'
import { bind, type Program, query, type Store } from '../store/store.ts'

/** What a waiting instance listens to. */
export const eventChannel = 'duet_event'

export interface Announcer {
  /** Says it now, or soon where it was said a moment ago. */
  announce(): void
  /** False for what this instance said itself. */
  isNews(payload: string | undefined): boolean
  /** Resolves once everything has been said. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** On SQLite there is nobody to tell. */
export function createAnnouncer(store: Store, pauseMs: number, log: Pick<Log, 'warn'>): Announcer {
  const self = randomUUID()
  let saying: Promise<void> | null = null
  let isAsked = false

  async function say(): Promise<void> {
    // Not on a connection of its own: it changes nothing, so it may share one with reads.
    await store.read(notify(self)).catch((error: unknown) => {
      log.warn('Other instances could not be told of an event; they will find it.', { err: error })
    })
    await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref())
  }
  function announce(): void {
    if (store.engine === 'sqlite') return
    isAsked = true
    saying ??= sayAll().finally(() => {
      saying = null
    })
  }
  async function sayAll(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await say()
    }
  }
  return {
    announce,
    isNews: (payload) => payload !== self,
    async settled() {
      await saying
    },
    async close() {
      isAsked = false
      await saying
    },
  }
}

const statement = query(`select pg_notify('${eventChannel}', $1)`)
function* notify(self: string): Program<void> {
  yield bind(statement, self)
}
