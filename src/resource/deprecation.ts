// What clients are asked to leave: since when, until when it is promised to work, and what to use instead. (contract 9.2.1)

import type { Requester } from './actor.ts'

export interface Deprecation {
  /** `2026-11-20`. */
  readonly since: string
  /** Null where only its uses decide when it goes. */
  readonly sunset: string | null
  /** Null where there is nothing to use instead. */
  readonly use: string | null
}

type Day = `${number}-${number}-${number}`
/** As an author says it, once; headers, documents, the schema and counts follow. */
export interface Deprecating {
  /** Since when clients are asked to leave it: `2026-11-20`. */
  readonly since: Day
  /** Until when it is promised to work in REST. */
  readonly sunset: Day
  /** What to use instead, as the definition calls it. */
  readonly use?: string
}
/** Asks clients to leave a field, an argument or a filter: `deprecated(text({ max: 9 }), { since: …, sunset: …, use: 'title' })`. */
export const deprecated = <T extends object>(of: T, why: Deprecating): T => ({ ...of, deprecated: why })

/** `2026-11-20`, in UTC. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

const dayMs = 86_400_000
/** So many days before or after a day. */
export const daysFrom = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs))

/** The day on which the fifth month begins: 20 January gives 20 May, and 31 October the last of February. (contract 9.3.2) */
export function fifthMonth(since: string): string {
  const [year, month, date] = since.split('-').map(Number) as [number, number, number]
  const lastDate = new Date(Date.UTC(year, month + 4, 0)).getUTCDate()
  return dayOf(new Date(Date.UTC(year, month + 3, Math.min(date, lastDate))))
}

/** The first day on which it may go when it was last used, or first watched, on this day. (contract 9.3.2) */
export function removableAfter({ since, sunset }: Deprecation, day: string, quietDays: number): string {
  // After a sunset nothing is promised; a part of the GraphQL schema has none.
  if (sunset !== null) return sunset
  const [earliest, quiet] = [fifthMonth(since), daysFrom(day, quietDays)]
  return earliest < quiet ? quiet : earliest
}

/** Counts a use of what is deprecated, by its names; `clientName` is what the client said. */
export type NoteUse = (
  uses: readonly string[],
  actor: Requester,
  clientName: string | readonly string[] | undefined,
) => void
