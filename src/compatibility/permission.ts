// Compares the promises in descriptions: rules, what must not overlap, and orders inside a reference. (contract 5.4, 9.3, 11.5, 12.2.42)

import { adds, breaks, onlyInNewVersion, type Report, surprises } from './change.ts'

const rule = /(?:Allowed: |Read by |Only for )(?:[^.]|\.(?=\S))*\./g
const rulesIn = (description: unknown): string => sentencesOf(rule, description).join(' ')
const exclusion = /Two with the same (?:[^.]|\.(?=\S))* must not overlap (?:[^.]|\.(?=\S))*\./g
const sentencesOf = (sentence: RegExp, description: unknown): readonly string[] =>
  typeof description === 'string' ? (description.match(sentence) ?? []) : []

/** Reports a changed rule, whose text does not show whether it permits more or less, and each change of an exclusion. */
export function comparePermission(before: unknown, after: unknown, where: string, report: Report): void {
  compareExclusions(before, after, where, report)
  const [from, to] = [rulesIn(before), rulesIn(after)]
  if (from === to) return
  const what = `Who may changed from "${from || 'no rule of its own'}" to "${to || 'no rule of its own'}"`
  const judgement = surprises(
    'Some who could may no longer, or some may who could not.',
    'Check that no caller loses access.',
  )
  report({ where, what: `${what}.`, ...judgement })
}

function compareExclusions(before: unknown, after: unknown, where: string, report: Report): void {
  const [from, to] = [before, after].map((each) => sentencesOf(exclusion, each))
  for (const each of to!)
    if (!from!.includes(each)) report({ where, what: `It refuses what overlaps now: ${each}`, ...refuses })
  for (const each of from!)
    if (!to!.includes(each)) report({ where, what: `It refuses no more what overlaps: ${each}`, ...allows })
}
const refuses = surprises('A write that succeeded can be 409.', 'Check that clients expect it.')
const allows = surprises('Records can overlap that never did.', 'Check that no client relies on it.')

const inside = /By `[^`]+` only with `[^`]+`\./g

/** Of the parameter `sort`. */
export function compareOrders(before: unknown, after: unknown, where: string, report: Report): void {
  const [from, to] = [before, after].map((each) => sentencesOf(inside, each))
  const refusal = breaks('A list that is sorted so without it is refused.', onlyInNewVersion)
  for (const each of to!) if (!from!.includes(each)) report({ where, what: `It sorts less now: ${each}`, ...refusal })
  for (const each of from!)
    if (!to!.includes(each)) report({ where, what: `It sorts more now, without this: ${each}`, ...adds })
}
