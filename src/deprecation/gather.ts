// Aggregates rows of uses per deprecated part.

/** Uses of one part by one client. */
export interface UseGroup {
  readonly what: string
  readonly principal: string
  readonly client: string
  /** `2026-11-20`. */
  readonly firstDay: string
  /** Null if there was none. */
  readonly lastDay: string | null
  readonly count: number
}
export interface ThingUsed {
  readonly countedSince: string
  readonly lastUsed: string | null
  /** Those with a use on or after the requested day, most frequent first. */
  readonly clients: readonly UseGroup[]
}

/** By part. `since`: the first day of `clients`. */
export function gatherUses(groups: readonly UseGroup[], since: string): ReadonlyMap<string, ThingUsed> {
  const byThing = Map.groupBy(groups, ({ what }) => what)
  return new Map([...byThing].map(([what, own]) => [what, gathered(own, since)]))
}

function gathered(groups: readonly UseGroup[], since: string): ThingUsed {
  const lastDays = groups.flatMap(({ lastDay }) => lastDay ?? [])
  return {
    countedSince: groups.map(({ firstDay }) => firstDay).sort()[0]!,
    lastUsed: lastDays.sort().at(-1) ?? null,
    clients: groups
      .filter(({ lastDay }) => lastDay !== null && lastDay >= since)
      .toSorted((one, other) => other.count - one.count),
  }
}

/** `usr_… (web)`. */
export const clientText = ({ principal, client }: UseGroup): string => `${principal} (${client})`
