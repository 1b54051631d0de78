// Finds environment variables that were meant for us and are not read: misspelt ones would change nothing, silently.

import { instead, nearest } from '../resource/contradiction/report.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const limitPrefix = 'LIMIT_'

/** Why a variable that sets a limit cannot be; null where each is one of `names`. Nobody else's begin like that. */
export function unknownLimit(environment: Environment, names: ReadonlySet<string>): string | null {
  const limits = [...names].filter((name) => name.startsWith(limitPrefix))
  const unknown = Object.keys(environment).find((name) => name.startsWith(limitPrefix) && !names.has(name))
  return unknown === undefined ? null : `${unknown} is no limit of Duet: ${instead(unknown, limits)}.`
}

/**
 * A sentence for each other variable that is nearly one of `names`, where that one is not set. Others than we read such
 * variables too, so that it can only be a warning.
 */
export function nearMisses(environment: Environment, names: ReadonlySet<string>): readonly string[] {
  const unset = [...names].filter((name) => (environment[name] ?? '') === '')
  return Object.keys(environment).flatMap((name) => {
    const near = names.has(name) ? null : nearest(name, unset.filter(sharesPrefix(name)))
    return near === null ? [] : [`${name} is set and not read by Duet: was ${near} meant?`]
  })
}

/** `DATABASE_URI` and `DATABASE_URL`. A name of one word says too little to be taken for another. */
const sharesPrefix = (name: string) => {
  const [prefix, rest] = name.split('_')
  return (other: string) => rest !== undefined && other.startsWith(`${prefix}_`)
}
