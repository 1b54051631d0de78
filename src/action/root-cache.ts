// Keeps the roots that faces make, so that the read plan of the same question is found again.

import { createBoundedCache } from '../cache/bounded-cache.ts'
import type { Limits } from '../limits.ts'
import type { Root } from '../read-plan/selection.ts'
import type { SummaryShape } from '../read-plan/summary.ts'

export interface RootCache {
  /** The root kept under this key; made, and kept, where there is none. */
  get<R extends Root | SummaryShape>(key: string, make: () => R): R
}

export function createRootCache({ plans }: Pick<Limits, 'plans'>): RootCache {
  const roots = createBoundedCache<Root | SummaryShape>(plans, Number.POSITIVE_INFINITY)
  return {
    get<R extends Root | SummaryShape>(key: string, make: () => R): R {
      const root = roots.get(key) as R | undefined
      if (root !== undefined) return root
      const fresh = make()
      // A key is made of names of fields and filters: the number of roots bounds their memory.
      roots.set(key, fresh, 0)
      return fresh
    },
  }
}
