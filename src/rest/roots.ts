// Keeps what was asked for before, so that its read plan is found again.

import { createBoundedCache } from '../read-plan/bounded-cache.ts'
import type { Root } from '../read-plan/selection.ts'

export interface Roots {
  /** The root kept under this key; made, and kept, where there is none. */
  get<R extends Root>(key: string, make: () => R): R
}

export function createRoots(limits: { readonly plans: number }): Roots {
  const kept = createBoundedCache<Root>(limits.plans, Number.POSITIVE_INFINITY)
  return {
    get<R extends Root>(key: string, make: () => R): R {
      const known = kept.get(key) as R | undefined
      if (known !== undefined) return known
      const root = make()
      // Made of field names, which a query string has only so many of: their number bounds them.
      kept.set(key, root, 0)
      return root
    },
  }
}
