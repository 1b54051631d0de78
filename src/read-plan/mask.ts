// Which of the parts that may be hidden somebody sees of a record: answers of one version that differ in it need different
// ETags. (contract 4.11.4)

import type { StoredRow } from '../store/store.ts'
import { isTrue } from './print.ts'

/** Bits, that of the first part the lowest; where a number has not enough of them, a text with 0 or 1 for each part. */
export type Mask = number | string

/** As many as bitwise operators leave positive. */
const bitsMax = 31

/** `places`: whether each part is seen, or where in the row that stands. */
export function maskOf(places: readonly (number | boolean)[], row: StoredRow): Mask {
  const isSeen = (place: number | boolean) => (typeof place === 'boolean' ? place : isTrue(row[place]!))
  if (places.length > bitsMax) return places.map((place) => (isSeen(place) ? '1' : '0')).join('')
  let mask = 0
  places.forEach((place, bit) => {
    if (isSeen(place)) mask |= 1 << bit
  })
  return mask
}

/** Whether a part is seen now that was not seen before; of another definition's parts that cannot be told. */
export function isMoreSeen(now: Mask, before: Mask): boolean {
  if (typeof now === 'number') return typeof before !== 'number' || (now & ~before) !== 0
  return typeof before !== 'string' || [...now].some((bit, part) => bit === '1' && before[part] !== '1')
}
