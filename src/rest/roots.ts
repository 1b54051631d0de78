// Keeps what was asked for before, so that its read plan is found again. Bounded: what was not asked for longest goes.

import type { Root } from '../read-plan/selection.ts'

export interface Roots {
  /** The root kept under this key; made, and kept, where there is none. */
  get<R extends Root>(key: string, make: () => R): R
}

export function createRoots(limits: { readonly plans: number }): Roots {
  const roots = new Map<string, Root>()
  return {
    get<R extends Root>(key: string, make: () => R): R {
      const known = roots.get(key) as R | undefined
      // Far from the bound nothing has to go soon, and nobody needs to know what was used last.
      if (known !== undefined && roots.size * 2 < limits.plans) return known
      const root = known ?? make()
      // A Map keeps the order of insertion: what is used moves to the end, what is first goes.
      if (known !== undefined) roots.delete(key)
      else if (roots.size >= limits.plans) roots.delete(roots.keys().next().value!)
      roots.set(key, root)
      return root
    },
  }
}
