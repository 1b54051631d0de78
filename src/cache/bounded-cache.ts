// A cache bounded by count and bytes, with eviction of the least recently used.

export interface BoundedCache<T> {
  get(key: string): T | undefined
  /** `bytes`: the approximate size. An entry above the bound is not cached. */
  set(key: string, value: T, bytes: number): void
  delete(key: string): void
  readonly counts: CacheCounts
}
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly entries: number
  readonly bytes: number
}
/** Called with every cache that is created. */
export type ObserveCache = (name: string, counts: CacheCounts) => void

export function createBoundedCache<T>(countMax: number, bytesMax: number): BoundedCache<T> {
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>()
  const counts = {
    hits: 0,
    misses: 0,
    bytes: 0,
    get entries() {
      return entries.size
    },
  }
  const remove = (key: string) => {
    counts.bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) {
        counts.misses++
        return undefined
      }
      counts.hits++
      // A Map iterates in insertion order, so a used entry is moved to the end. Skipped below half of both bounds, as no eviction
      // is near.
      if (entries.size * 2 > countMax || counts.bytes * 2 > bytesMax) {
        entries.delete(key)
        entries.set(key, entry)
      }
      return entry.value
    },
    set(key, value, bytes) {
      remove(key)
      if (bytes > bytesMax || countMax === 0) return
      entries.set(key, { value, bytes })
      counts.bytes += bytes
      while (entries.size > countMax || counts.bytes > bytesMax) remove(entries.keys().next().value!)
    },
    delete: remove,
    counts,
  }
}
