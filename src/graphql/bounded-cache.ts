// Keeps what was made from the same text before. Bounded by count and by bytes: what was not asked for longest goes.

export interface BoundedCache<T> {
  get(key: string): T | undefined
  /** `bytes`: about how much memory the value holds on to. What alone exceeds the bound is not kept. */
  set(key: string, value: T, bytes: number): void
}

export function createBoundedCache<T>(countMax: number, bytesMax: number): BoundedCache<T> {
  const kept = new Map<string, { readonly value: T; readonly bytes: number }>()
  let bytesKept = 0
  const drop = (key: string) => {
    bytesKept -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      // A Map keeps the order of insertion: what is used moves to the end, what is first goes.
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    set(key, value, bytes) {
      drop(key)
      if (bytes > bytesMax || countMax === 0) return
      kept.set(key, { value, bytes })
      bytesKept += bytes
      while (kept.size > countMax || bytesKept > bytesMax) drop(kept.keys().next().value!)
    },
  }
}
