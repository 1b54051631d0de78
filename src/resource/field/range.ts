// The two ends between which a number lies, each of which is allowed: the same sentences for every kind whose values `<` compares.

import type { Contradiction, Problem } from './field.ts'

export interface Range<T extends number | bigint> {
  readonly least: T
  readonly most: T
}

/** The value, or what a client is told of one that is outside. */
export function inRange<T extends number | bigint>({ least, most }: Range<T>, value: T, problem: Problem): unknown {
  if (value < least) return problem('', `At least ${least}.`)
  if (value > most) return problem('', `At most ${most}.`)
  return value
}

/** How the result of a computation is outside, or null. */
export function excessOf<T extends number | bigint>({ least, most }: Range<T>, value: T): string | null {
  if (value > most) return `The result is larger than ${most}.`
  return value < least ? `The result is smaller than ${least}.` : null
}

/** What is wrong with ends that leave nothing between them. */
export const rangeContradiction = <T extends number | bigint>({ least, most }: Range<T>): Contradiction | null =>
  least <= most ? null : [`its min ${least} is more than its max ${most}`, 'lower one or raise the other']
