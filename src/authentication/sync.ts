// Polls revocations of other instances, stores last uses of API keys, and deletes expired rows.

import { Outage } from '../observation/outage.ts'
import type { Program } from '../store/store.ts'
import type { ApiKeys } from './api-key/api-keys.ts'
import type { KeyRing } from './key/key-ring.ts'
import type { Parts } from './parts.ts'
import type { DenialStore } from './token/denial-store.ts'

interface RevocationSyncDependencies extends Pick<Parts, 'store' | 'apply' | 'limits' | 'log'> {
  readonly denials: DenialStore
  readonly keys: Pick<KeyRing, 'reload'>
  readonly apiKeys: Pick<ApiKeys, 'flush'>
  readonly sweeps: readonly { sweep(now: Date): Program<void> }[]
  readonly afterSweep: () => void
}
export interface RevocationSync {
  /** Reads every unexpired notice. Rejects if the database does not respond. */
  start(now: Date): Promise<void>
  /** Never rejects. A call during a run shares that run. */
  refresh(now: Date): Promise<void>
  /** Waits for the current run, then stores last uses of API keys. */
  close(now: Date): Promise<void>
}

export function createRevocationSync(dependencies: RevocationSyncDependencies): RevocationSync {
  const { store, denials, keys, apiKeys, sweeps, apply: take, limits, log } = dependencies
  let position: string | null = null
  let currentRun: Promise<void> | null = null
  let sweptAt = new Date(0)
  const outage = new Outage(
    log,
    'News of other instances could not be read.',
    'News of other instances are read again.',
  )

  async function read(now: Date): Promise<void> {
    const page = await store.read(denials.since(position, now))
    for (const notice of page.notices) take(notice, now)
    position = page.position
    await keys.reload(now)
  }

  async function sweep(now: Date): Promise<void> {
    if (now.getTime() - sweptAt.getTime() < limits.sweepSeconds * 1000) return
    sweptAt = now
    for (const each of sweeps) await store.write(() => each.sweep(now))
    dependencies.afterSweep()
  }

  async function work(now: Date): Promise<void> {
    try {
      await read(now)
      await apiKeys.flush(now)
      await sweep(now)
      outage.succeeded()
    } catch (error) {
      outage.failed(error)
    }
  }

  return {
    start: read,
    refresh(now) {
      currentRun ??= work(now).finally(() => {
        currentRun = null
      })
      return currentRun
    },
    async close(now) {
      await currentRun
      await apiKeys.flush(now)
    },
  }
}
