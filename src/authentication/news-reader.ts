// What an instance does again and again: learn what others have done, tell what it has seen, sweep what has expired.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { Program, Store } from '../store/store.ts'
import type { ApiKeys } from './api-keys.ts'
import type { DenialStore, Notice } from './denial-store.ts'
import type { KeyRing } from './key-ring.ts'

export interface NewsGiven {
  readonly store: Store
  readonly denials: DenialStore
  readonly keys: Pick<KeyRing, 'reload'>
  readonly apiKeys: Pick<ApiKeys, 'flush'>
  readonly sweeps: readonly { sweep(now: Date): Program<void> }[]
  readonly take: (notice: Notice, now: Date) => void
  readonly limits: Pick<Limits, 'sweepSeconds'>
  readonly log: Pick<Log, 'warn' | 'info'>
}
export interface NewsReader {
  /** Learns everything that still counts. Rejects where the database does not answer. */
  start(now: Date): Promise<void>
  /** Never rejects. One at a time: while one runs, another asks for nothing more. */
  refresh(now: Date): Promise<void>
  /** Waits for what runs, and writes down the last uses of API keys. */
  close(now: Date): Promise<void>
}

export function createNewsReader(given: NewsGiven): NewsReader {
  const { store, denials, keys, apiKeys, sweeps, take, limits, log } = given
  let mark: string | null = null
  let running: Promise<void> | null = null
  let sweptAt = new Date(0)
  let isLost = false

  async function read(now: Date): Promise<void> {
    const news = await store.read(denials.since(mark, now))
    for (const notice of news.notices) take(notice, now)
    mark = news.mark
    await keys.reload(now)
  }

  async function sweep(now: Date): Promise<void> {
    if (now.getTime() - sweptAt.getTime() < limits.sweepSeconds * 1000) return
    sweptAt = now
    for (const each of sweeps) await store.write(() => each.sweep(now))
  }

  async function work(now: Date): Promise<void> {
    try {
      await read(now)
      await apiKeys.flush(now)
      await sweep(now)
      if (isLost) log.info('News of other instances are read again.')
      isLost = false
    } catch (error) {
      // Said once: the database may be gone for long, and whoever needs it learns so from it.
      if (!isLost) log.warn('News of other instances could not be read.', { err: error })
      isLost = true
    }
  }

  return {
    start: read,
    refresh(now) {
      running ??= work(now).finally(() => {
        running = null
      })
      return running
    },
    async close(now) {
      await running
      await apiKeys.flush(now)
    },
  }
}
