// How far back in time pages of searches reach, as those of late did: where a search in the order of creation begins.

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { SearchShape } from '../resource/model/condition.ts'
import type { SearchModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { searchSteps } from '../store/sql/newest-search.ts'
import type { Prepared } from '../store/sql/sql-text.ts'
import type { StoredRow, Value } from '../store/store.ts'

/** How many pages are looked at before it is taken for longer. */
const pagesCounted = 256

/**
 * The shortest of late: where a page reaches further back, more is searched in the end, and words that most records have are not
 * looked up in all of them because other searches were for rare ones.
 */
export class SearchDepth {
  #ms = 0
  #steps = stepsOf(0)
  #shortest = Number.POSITIVE_INFINITY
  #counted = 0

  /** Where a search begins, and how it goes on. */
  steps({ terms }: Pick<SearchShape, 'terms'>): readonly Value[] {
    return this.#steps[terms.some(({ isExcluded, mayGoOn }) => mayGoOn && !isExcluded) ? 'open' : 'whole']
  }

  /** A page reached so many milliseconds back; infinitely many where it was not full. */
  add(ms: number): void {
    this.#shortest = Math.min(this.#shortest, ms)
    if (ms < this.#ms) this.#expect(ms)
    if (++this.#counted < pagesCounted) return
    this.#expect(this.#shortest)
    this.#shortest = Number.POSITIVE_INFINITY
    this.#counted = 0
  }

  #expect(ms: number): void {
    this.#ms = ms
    this.#steps = stepsOf(ms)
  }
}

const stepsOf = (depthMs: number) => ({
  open: searchSteps({ depthMs, isOpen: true }),
  whole: searchSteps({ depthMs, isOpen: false }),
})

const depths = new WeakMap<SearchModel, SearchDepth>()

/** That of the searches of a resource, where this statement asks for it. */
export function depthOf(model: SearchModel, { sources }: Prepared): SearchDepth | null {
  if (!sources.some(({ from }) => from === 'steps')) return null
  return getOrInsert(depths, model, () => new SearchDepth())
}

/** From the first row to the last, by the moments at this place. */
export function depthOfRows(rows: readonly StoredRow[], place: number, dialect: Dialect): number {
  const msOf = (row: StoredRow) => (dialect.decode(row[place]!, 'timestamp') as Date).getTime()
  return msOf(rows[0]!) - msOf(rows.at(-1)!)
}
