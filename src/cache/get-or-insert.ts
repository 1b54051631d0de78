// `Map.prototype.getOrInsertComputed`, which the oldest supported Node lacks.

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
