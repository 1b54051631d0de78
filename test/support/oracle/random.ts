// Chance that can be repeated: the same seed gives the same choices on every machine.

export interface Random {
  /** A whole number from 0 on, below `end`. */
  below(end: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  one<T>(of: readonly T[]): T
  /** Some of these, each at most once, in a random order. */
  some<T>(of: readonly T[], most: number): T[]
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    chance: (probability) => next() < probability,
    one: (of) => of[below(of.length)]!,
    some(of, most) {
      const left = [...of]
      const count = Math.min(left.length, 1 + below(most))
      return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]!)
    },
  }
}
