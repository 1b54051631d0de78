// When what is deprecated may go: a version after its sunset, a part of the GraphQL schema in the fifth month at the
// earliest, after so many days without use. (contract 9.3.2)

import { daysFrom, fifthMonth } from '../resource/deprecation.ts'
import { adds, type Change, surprises } from './change.ts'
import type { Deprecation } from './contract.ts'

/** What is known of the uses of one deprecated thing. */
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
  /** Days without use that are asked for. */
  readonly quietDays: number
  /** Null where nobody said anything about uses. */
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
  const known = uses?.get(what)
  if (known === undefined) {
    const remedy = 'Give what `duet usage --json` printed of the running service with --usage, or its DATABASE_URL.'
    return refuse('Nobody said whether it is used still.', remedy)
  }
  const quietSince = daysFrom(today, -quietDays)
  if (known.lastUsed !== null && known.lastUsed > quietSince) {
    const day = daysFrom(known.lastUsed, quietDays)
    const who = known.clients.slice(0, 5).join(', ')
    return refuse(`It was used on ${known.lastUsed}, lately by ${who}.`, `Keep it until ${day}, and tell them.`)
  }
  if (known.countedSince > quietSince) {
    const why = `Its uses have been counted since ${known.countedSince} only.`
    return refuse(why, `Keep it until ${daysFrom(known.countedSince, quietDays)}.`)
  }
  return { ...change, ...adds, why: `It was deprecated on ${since}, and not used for ${quietDays} days.` }
}
