// A cache by text, bounded by count and by bytes: the entry that was used least recently is evicted.

export interface BoundedCache<T> {
  get(key: string): T | undefined
  /** `bytes`: about how much memory the entry takes. One that alone exceeds the bound is not cached. */
  set(key: string, value: T, bytes: number): void
  delete(key: string): void
  readonly counts: CacheCounts
}
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  /** At this moment. */
  readonly entries: number
  readonly bytes: number
}
/** Called with every cache that is made, and its name. */
export type TellCache = (name: string, counts: CacheCounts) => void

export function createBoundedCache<T>(countMax: number, bytesMax: number): BoundedCache<T> {
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>()
  let bytesHeld = 0
  let hits = 0
  let misses = 0
  const remove = (key: string) => {
    bytesHeld -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) {
        misses++
        return undefined
      }
      hits++
      // A Map iterates in the order of insertion, so an entry that is used moves to the end. Below half of both bounds no
      // eviction is near, and the order is left alone: that costs less.
      if (entries.size * 2 > countMax || bytesHeld * 2 > bytesMax) {
        entries.delete(key)
        entries.set(key, entry)
      }
      return entry.value
    },
    set(key, value, bytes) {
      remove(key)
      if (bytes > bytesMax || countMax === 0) return
      entries.set(key, { value, bytes })
      bytesHeld += bytes
      while (entries.size > countMax || bytesHeld > bytesMax) remove(entries.keys().next().value!)
    },
    delete: remove,
    counts: {
      get hits() {
        return hits
      },
      get misses() {
        return misses
      },
      get entries() {
        return entries.size
      },
      get bytes() {
        return bytesHeld
      },
    },
  }
}
