// What `Map.prototype.getOrInsertComputed` does, which the oldest Node that Duet runs on lacks.

/** The value of this key; where there is none, the one that is made of the key, which the map then has. */
export function getOrInsert<K, V extends NonNullable<unknown> | null>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  makeValue: (key: K) => V,
): V {
  const value = map.get(key)
  if (value !== undefined) return value
  const made = makeValue(key)
  map.set(key, made)
  return made
}
