// Judges removals of deprecated parts: a version may go after its sunset, a part of the GraphQL schema in the fifth month
// at the earliest, after enough days without use. (contract 9.3.2)

import { daysFrom, fifthMonth } from '../resource/deprecation.ts'
import { adds, type Change, surprises } from './change.ts'
import type { Deprecation } from './snapshot.ts'

/** The recorded uses of one deprecated part. */
export interface Uses {
  /** Since when they are counted: `2026-11-20`. */
  readonly countedSince: string
  /** The last day on which it was used; null where it never was. */
  readonly lastUsed: string | null
  /** Who used it on or after the first of the quiet days, most often first. */
  readonly clients: readonly string[]
}
export interface Evidence {
  /** `2026-11-20`. */
  readonly today: string
  /** Days without use that a removal requires. */
  readonly quietDays: number
  /** Null if no uses were passed. */
  readonly uses: ReadonlyMap<string, Uses> | null
}

/** The change, and why it is allowed or not, where something was removed that was deprecated before. */
export function judgeRemoval(change: Change, deprecation: Deprecation | undefined, evidence: Evidence): Change {
  const sunset = change.sunset ?? deprecation?.sunset ?? undefined
  if (change.verdict !== 'breaking') return change
  if (sunset !== undefined && (deprecation === undefined || isVersion(deprecation))) {
    return afterSunset(change, sunset, evidence)
  }
  if (deprecation === undefined) return change
  return withoutUse(change, deprecation, evidence)
}

const isVersion = ({ what }: Deprecation): boolean => /^v\d+$/.test(what)

function afterSunset(change: Change, sunset: string, { today, uses }: Evidence): Change {
  if (today < sunset) {
    const remedy = `Keep it until ${sunset}.`
    return { ...change, why: `It was promised to work until ${sunset}.`, remedy }
  }
  const clients = uses?.get(change.removed ?? '')?.clients ?? []
  const still = `Its sunset was on ${sunset}, and it is used still, by ${clients.slice(0, 5).join(', ')}.`
  return clients.length === 0
    ? { ...change, ...adds, why: `Its sunset was on ${sunset}.` }
    : { ...change, ...surprises(still) }
}

function withoutUse(change: Change, { what, since }: Deprecation, { today, quietDays, uses }: Evidence): Change {
  const refuse = (why: string, remedy: string): Change => ({ ...change, why, remedy })
  const earliest = fifthMonth(since)
  if (today < earliest) {
    return refuse(
      `It was deprecated on ${since}, so its fifth month begins on ${earliest}.`,
      `Keep it until ${earliest}.`,
    )
  }
  const record = uses?.get(what)
  if (record === undefined) {
    const remedy = 'Give what `duet usage --json` printed of the running service with --usage, or its DATABASE_URL.'
    return refuse('Nobody said whether it is used still.', remedy)
  }
  const quietSince = daysFrom(today, -quietDays)
  if (record.lastUsed !== null && record.lastUsed > quietSince) {
    const day = daysFrom(record.lastUsed, quietDays)
    const who = record.clients.slice(0, 5).join(', ')
    return refuse(`It was used on ${record.lastUsed}, lately by ${who}.`, `Keep it until ${day}, and tell them.`)
  }
  if (record.countedSince > quietSince) {
    const why = `Its uses have been counted since ${record.countedSince} only.`
    return refuse(why, `Keep it until ${daysFrom(record.countedSince, quietDays)}.`)
  }
  return { ...change, ...adds, why: `It was deprecated on ${since}, and not used for ${quietDays} days.` }
}
