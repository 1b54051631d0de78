// The parts of a record that its reader sees: kept with an idempotency key, so that a replay shows no more. (contract 4.7.6)

import type { StoredRow } from '../store/store.ts'
import { isTrue } from './print.ts'

/** Bits, lowest first; a text of 0s and 1s if a number has too few. */
export type Mask = number | string

/** The most that bitwise operators keep positive. */
const bitsMax = 31

/** `places`: the visibility of each part, or its index in the row. */
export function maskOf(places: readonly (number | boolean)[], row: StoredRow): Mask {
  const isSeen = (place: number | boolean) => (typeof place === 'boolean' ? place : isTrue(row[place]!))
  if (places.length > bitsMax) return places.map((place) => (isSeen(place) ? '1' : '0')).join('')
  let mask = 0
  places.forEach((place, bit) => {
    if (isSeen(place)) mask |= 1 << bit
  })
  return mask
}

/** True if a part has become visible, and for masks of different kinds. */
export function isMoreSeen(now: Mask, before: Mask): boolean {
  if (typeof now === 'number') return typeof before !== 'number' || (now & ~before) !== 0
  return typeof before !== 'string' || [...now].some((bit, part) => bit === '1' && before[part] !== '1')
}
