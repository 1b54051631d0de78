// Limits conditions: comparisons, depth and values. (contract 12.1.9)

import type { Limits } from '../../../limits.ts'

export type WhereLimits = Pick<Limits, 'whereTests' | 'whereDepth' | 'whereValues' | 'whereChars'>

/** Counts while a condition is read. Its methods return a problem as a sentence, or null. */
export class WhereMeter {
  readonly limits: WhereLimits
  #tests = 0
  #points = 0

  constructor(limits: WhereLimits) {
    this.limits = limits
  }

  /** A comparison costs 1, through a list 10. */
  get points(): number {
    return this.#points
  }

  test(lists: number): string | null {
    this.#points += lists === 0 ? 1 : 10
    // Reported once.
    return ++this.#tests === this.limits.whereTests + 1 ? `At most ${this.limits.whereTests} comparisons.` : null
  }

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
