// Counts in memory until stored, so that no request waits for the database. Bounded: further clients share a counter. (contract
// 9.4.1)

export interface Use {
  readonly what: string
  readonly principal: string
  readonly client: string
  /** `2026-11-20`. */
  readonly day: string
}
export interface UseCount extends Use {
  readonly count: number
}

export interface Tally {
  add(use: Use, count?: number): void
  /** Returns all counts and resets. */
  take(): readonly UseCount[]
  readonly size: number
}

/** The shared counter of further clients. */
const others = 'others'

export function createTally(max: number): Tally {
  let counts = new Map<string, UseCount & { count: number }>()
  const keyOf = ({ what, principal, client, day }: Use) => `${day}\n${what}\n${principal}\n${client}`
  function add(use: Use, count = 1): void {
    const key = keyOf(use)
    const entry = counts.get(key)
    if (entry !== undefined) entry.count += count
    // Bounded by the number of deprecated parts.
    else if (counts.size < max || use.principal === others) counts.set(key, { ...use, count })
    else add({ ...use, principal: others, client: others }, count)
  }
  return {
    add,
    take() {
      const entries = [...counts.values()]
      counts = new Map()
      return entries
    },
    get size() {
      return counts.size
    },
  }
}
