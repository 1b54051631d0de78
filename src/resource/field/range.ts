// Inclusive numeric ranges and their messages, shared by all kinds that compare with `<`.

import type { Contradiction, Problem } from './field.ts'

export interface Range<T extends number | bigint> {
  readonly least: T
  readonly most: T
}

export function inRange<T extends number | bigint>({ least, most }: Range<T>, value: T, problem: Problem): unknown {
  if (value < least) return problem('', `At least ${least}.`)
  if (value > most) return problem('', `At most ${most}.`)
  return value
}

/** Null if it is in range. */
export function excessOf<T extends number | bigint>({ least, most }: Range<T>, value: T): string | null {
  if (value > most) return `The result is larger than ${most}.`
  return value < least ? `The result is smaller than ${least}.` : null
}

export const rangeContradiction = <T extends number | bigint>({ least, most }: Range<T>): Contradiction | null =>
  least <= most ? null : [`its min ${least} is more than its max ${most}`, 'lower one or raise the other']
