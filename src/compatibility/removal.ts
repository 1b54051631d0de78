// Judges removals of deprecated parts: a version may be removed after its sunset, a part of the GraphQL schema from the fifth month
// after enough days without use. (contract 9.3.2)

import { daysFrom, fifthMonth } from '../resource/deprecation.ts'
import { adds, type Change, surprises } from './change.ts'
import type { Deprecation } from './snapshot.ts'

export interface Uses {
  /** `2026-11-20`. */
  readonly countedSince: string
  /** Null if it never was. */
  readonly lastUsed: string | null
  /** Who used it during the quiet days, most frequent first. */
  readonly clients: readonly string[]
}
export interface Evidence {
  /** `2026-11-20`. */
  readonly today: string
  /** Days without use required for a removal. */
  readonly quietDays: number
  /** Null if unknown. */
  readonly uses: ReadonlyMap<string, Uses> | null
}

/** Whether the removal of a deprecated part is allowed, with the reason. */
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
    return refuse('Its use is not known.', remedy)
  }
  const quietSince = daysFrom(today, -quietDays)
  if (record.lastUsed !== null && record.lastUsed > quietSince) {
    const day = daysFrom(record.lastUsed, quietDays)
    const who = record.clients.slice(0, 5).join(', ')
    return refuse(`It was used on ${record.lastUsed}, lately by ${who}.`, `Keep it until ${day}, and notify them.`)
  }
  if (record.countedSince > quietSince) {
    const why = `Its uses have been counted since ${record.countedSince} only.`
    return refuse(why, `Keep it until ${daysFrom(record.countedSince, quietDays)}.`)
  }
  return { ...change, ...adds, why: `It was deprecated on ${since}, and not used for ${quietDays} days.` }
}
