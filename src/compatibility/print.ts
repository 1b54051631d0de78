// Prints changes, one line for each and a summary.

import type { Change } from './change.ts'

/** Groups equal changes in different places. */
export function printChanges(changes: readonly Change[]): string {
  const groups = Map.groupBy(changes, ({ verdict, what, why, where }) =>
    [verdict, what, why, firstWord(where), lastWord(where)].join('\n'),
  )
  const lines = [...groups.values()].map(printGroup)
  return [...lines, summary(changes)].join('\n')
}

/** The parts of a place that equal changes share: version, and parameter, header or field. */
const firstWord = (where: string): string => where.split(' ', 1)[0]!
const lastWord = (where: string): string => where.split(' ').at(-1)!

function printGroup([first, ...others]: readonly Change[]): string {
  const { verdict, where, what, why, remedy } = first!
  const places = others.length === 0 ? where : `${where} and ${others.length} more`
  return [`${verdict.padEnd(9)}  ${places}: ${what}`, why, remedy === '' ? '' : `→ ${remedy}`]
    .filter((part) => part !== '')
    .join(' ')
}

function summary(changes: readonly Change[]): string {
  if (changes.length === 0) return 'The contract is as it was.'
  const count = (verdict: Change['verdict']) => changes.filter((each) => each.verdict === verdict).length
  const counts = (['breaking', 'dangerous', 'additive'] as const).map((verdict) => `${count(verdict)} ${verdict}`)
  return `${changes.length} differences: ${counts.join(', ')}.`
}
