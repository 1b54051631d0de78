// Counts in memory until they are written down: no request waits for a database. Bounded: where there are too many
// clients, what the rest of them do is counted together. (contract 9.4.1)

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
  /** Everything counted so far; the tally begins anew. */
  take(): readonly UseCount[]
  readonly size: number
}

/** Who is meant where there are too many to tell apart. */
const others = 'others'

export function createTally(max: number): Tally {
  let counts = new Map<string, UseCount & { count: number }>()
  const keyOf = ({ what, principal, client, day }: Use) => `${day}\n${what}\n${principal}\n${client}`
  function add(use: Use, count = 1): void {
    const key = keyOf(use)
    const entry = counts.get(key)
    if (entry !== undefined) entry.count += count
    // What is deprecated is a short list, so that the rest of its clients always has a place.
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
