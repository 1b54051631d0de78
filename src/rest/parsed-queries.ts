// Keeps what was asked for before, so that its read plan is found again.

import { type BoundedCache, createBoundedCache } from '../cache/bounded-cache.ts'
import type { Limits } from '../limits.ts'
import type { Root, SortKey, Value } from '../read-plan/selection.ts'
import type { FieldModel } from '../resource/model/model.ts'
import type { Narrowing } from './filter.ts'
import type { Page } from './page.ts'

/** What a query string says, whoever sends it. */
export interface Asked {
  readonly narrowings: readonly Narrowing[]
  readonly sort: readonly SortKey[]
  /** Null for all there are. */
  readonly fields: readonly FieldModel[] | null
  readonly page: Page
  /** Of a query, by the names of its definition; null for other lists. */
  readonly args: Readonly<Record<string, unknown>> | null
  /** The values of the filters, as they are bound. */
  readonly values: readonly Value[]
  /** Made where no cursor has a say in it. */
  root: Extract<Root, { kind: 'list' }> | null
}
export interface Roots {
  /** The root kept under this key; made, and kept, where there is none. */
  get<R extends Root>(key: string, make: () => R): R
  /** What query strings mean, by the list and the query string: many ask for the same. */
  readonly meanings: BoundedCache<Asked>
}

export function createRoots(limits: Pick<Limits, 'plans' | 'queryStrings'>): Roots {
  const kept = createBoundedCache<Root>(limits.plans, Number.POSITIVE_INFINITY)
  return {
    meanings: createBoundedCache(limits.queryStrings, Number.POSITIVE_INFINITY),
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
