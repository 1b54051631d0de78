// How much a question may ask: so many comparisons, so deep, and of so many values. (contract 12.1.9)

import type { Limits } from '../../limits.ts'

export type WhereLimits = Pick<Limits, 'whereTests' | 'whereDepth' | 'whereValues' | 'whereChars'>

/** Counts while a question is read. What it answers is what is wrong, as a sentence; null for nothing. */
export class WhereMeter {
  readonly limits: WhereLimits
  #tests = 0
  #points = 0

  constructor(limits: WhereLimits) {
    this.limits = limits
  }

  /** A test costs a point, through a list ten. */
  get points(): number {
    return this.#points
  }

  /** Counts a comparison of a record that so many lists lead to. */
  test(lists: number): string | null {
    this.#points += lists === 0 ? 1 : 10
    // Told once.
    return ++this.#tests === this.limits.whereTests + 1 ? `At most ${this.limits.whereTests} comparisons.` : null
  }

  /** Looks at what stands within so many groups, negations and lists. */
  depth(levels: number): string | null {
    return levels > this.limits.whereDepth
      ? `At most ${this.limits.whereDepth} levels of and, or, not, some and none.`
      : null
  }

  values(count: number): string | null {
    if (count === 0) return 'At least 1 in the list.'
    return count > this.limits.whereValues ? `At most ${this.limits.whereValues} in the list.` : null
  }
}
