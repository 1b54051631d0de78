// Caches the roots that faces make, so that read plans are reused.

import { createBoundedCache } from '../cache/bounded-cache.ts'
import type { Limits } from '../limits.ts'
import type { Root } from '../read-plan/selection.ts'
import type { SummaryRoot } from '../read-plan/summary.ts'

export interface RootCache {
  get<R extends Root | SummaryRoot>(key: string, make: () => R): R
}

export function createRootCache({ plans, planBytes }: Pick<Limits, 'plans' | 'planBytes'>): RootCache {
  const roots = createBoundedCache<Root | SummaryRoot>(plans, planBytes)
  return {
    get<R extends Root | SummaryRoot>(key: string, make: () => R): R {
      const root = roots.get(key) as R | undefined
      if (root !== undefined) return root
      const fresh = make()
      roots.set(key, fresh, memoryOf(key))
      return fresh
    },
  }
}

/** An estimate for the plans of a root: one per class of actors, with SQL that grows with the key. (contract 8.4.5) */
const memoryOf = (key: string): number => 8_000 + 200 * key.length
