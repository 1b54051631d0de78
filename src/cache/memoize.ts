// Facts about objects, found once and kept as long as the object.

import { getOrInsert } from './get-or-insert.ts'

export function memoize<K extends object, V extends NonNullable<unknown> | null>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>()
  return (key) => getOrInsert(made, key, make)
}

/** The same for each two of them. */
export function memoizePair<K extends object, L extends object, V extends NonNullable<unknown> | null>(
  make: (first: K, second: L) => V,
): (first: K, second: L) => V {
  const ofFirst = memoize((first: K) => memoize((second: L) => make(first, second)))
  return (first, second) => ofFirst(first)(second)
}
