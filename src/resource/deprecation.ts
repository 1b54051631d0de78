// Deprecations: since when, until when it works, and the replacement. (contract 9.2.1)

import type { Requester } from './actor.ts'

export interface Deprecation {
  readonly since: string
  /** Null if only usage decides when it may be removed. */
  readonly sunset: string | null
  /** Null without a replacement. */
  readonly use: string | null
}

type Day = `${number}-${number}-${number}`
/** Headers, documents, the schema and usage counts follow from it. */
export interface Deprecating {
  /** The date of deprecation: `2026-11-20`. */
  readonly since: Day
  /** The date until which REST supports it. */
  readonly sunset: Day
  /** The replacement, by its name in the definition. */
  readonly use?: string
}
/** Marks a field, argument or filter as deprecated: `deprecated(text({ max: 9 }), { since: …, sunset: …, use: 'title' })`. */
export const deprecated = <T extends object>(of: T, why: Deprecating): T => ({ ...of, deprecated: why })

/** What a JSON Schema reports of it: empty unless deprecated. */
export const leavingOf = (deprecation: Deprecating | null | undefined): object =>
  deprecation === undefined || deprecation === null
    ? {}
    : { deprecated: true, 'x-deprecated': deprecation.since, 'x-sunset': deprecation.sunset }

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

const dayMs = 86_400_000
export const daysFrom = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs))

/** 20 January gives 20 May, 31 October the last of February. (contract 9.3.2) */
export function fifthMonth(since: string): string {
  const [year, month, date] = since.split('-').map(Number) as [number, number, number]
  const lastDate = new Date(Date.UTC(year, month + 4, 0)).getUTCDate()
  return dayOf(new Date(Date.UTC(year, month + 3, Math.min(date, lastDate))))
}

/** The first day it may be removed, if last used (or first monitored) on this day. (contract 9.3.2) */
export function removableAfter({ since, sunset }: Deprecation, day: string, quietDays: number): string {
  // Parts of the GraphQL schema have no sunset.
  if (sunset !== null) return sunset
  const [earliest, quiet] = [fifthMonth(since), daysFrom(day, quietDays)]
  return earliest < quiet ? quiet : earliest
}

/** Counts uses of deprecated names; `clientName` is as the client sent it. */
export type NoteUse = (
  uses: readonly string[],
  actor: Requester,
  clientName: string | readonly string[] | undefined,
) => void
