// Keeps what was made from the same text before. Bounded by count and by bytes: what was not asked for longest goes.

export interface BoundedCache<T> {
  get(key: string): T | undefined
  /** `bytes`: about how much memory the value holds on to. What alone exceeds the bound is not kept. */
  set(key: string, value: T, bytes: number): void
  readonly counts: CacheCounts
}
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  /** At this moment. */
  readonly entries: number
  readonly bytes: number
}
/** Told of every cache that is made, with its name. */
export type TellCache = (name: string, counts: CacheCounts) => void

export function createBoundedCache<T>(countMax: number, bytesMax: number): BoundedCache<T> {
  const kept = new Map<string, { readonly value: T; readonly bytes: number }>()
  let bytesKept = 0
  let hits = 0
  let misses = 0
  const drop = (key: string) => {
    bytesKept -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) {
        misses++
        return undefined
      }
      hits++
      // A Map keeps the order of insertion: what is used moves to the end, what is first goes. Far from the bounds nothing
      // has to go soon, and nobody needs to know what was used last.
      if (kept.size * 2 > countMax || bytesKept * 2 > bytesMax) {
        kept.delete(key)
        kept.set(key, found)
      }
      return found.value
    },
    set(key, value, bytes) {
      drop(key)
      if (bytes > bytesMax || countMax === 0) return
      kept.set(key, { value, bytes })
      bytesKept += bytes
      while (kept.size > countMax || bytesKept > bytesMax) drop(kept.keys().next().value!)
    },
    counts: {
      get hits() {
        return hits
      },
      get misses() {
        return misses
      },
      get entries() {
        return kept.size
      },
      get bytes() {
        return bytesKept
      },
    },
  }
}
