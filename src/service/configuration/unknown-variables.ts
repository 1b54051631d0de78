// Finds misspelt environment variables, which would silently have no effect.

import { instead, nearest } from '../../resource/contradiction/report/report.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const limitPrefix = 'LIMIT_'

/** Null if every `LIMIT_` variable is known. No other program uses this prefix. */
export function unknownLimit(environment: Environment, names: ReadonlySet<string>): string | null {
  const limits = [...names].filter((name) => name.startsWith(limitPrefix))
  const unknown = Object.keys(environment).find((name) => name.startsWith(limitPrefix) && !names.has(name))
  return unknown === undefined ? null : `${unknown} is no limit of Duet: ${instead(unknown, limits)}.`
}

/** A sentence for each variable that resembles an unset one of `names`. Only a warning, as it may belong to another program. */
export function nearMisses(environment: Environment, names: ReadonlySet<string>): readonly string[] {
  const unset = [...names].filter((name) => (environment[name] ?? '') === '')
  return Object.keys(environment).flatMap((name) => {
    const near = names.has(name) ? null : nearest(name, unset.filter(sharesPrefix(name)))
    return near === null ? [] : [`${name} is set and not read by Duet: was ${near} meant?`]
  })
}

/** `DATABASE_URI` and `DATABASE_URL`. Single words are too short to compare. */
const sharesPrefix = (name: string) => {
  const [prefix, rest] = name.split('_')
  return (other: string) => rest !== undefined && other.startsWith(`${prefix}_`)
}
