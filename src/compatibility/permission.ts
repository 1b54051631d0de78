// Compares the rules in descriptions, the only promises there. (contract 5.4, 9.3)

import { type Report, surprises } from './change.ts'

const rule = /(?:Allowed: |Read by |Only for )(?:[^.]|\.(?=\S))*\./g
const rulesIn = (description: unknown): string =>
  typeof description === 'string' ? (description.match(rule) ?? []).join(' ') : ''

/** Reports a changed rule. The text does not show whether it permits more or less. */
export function comparePermission(before: unknown, after: unknown, where: string, report: Report): void {
  const [from, to] = [rulesIn(before), rulesIn(after)]
  if (from === to) return
  const what = `Who may changed from "${from || 'no rule of its own'}" to "${to || 'no rule of its own'}"`
  const judgement = surprises(
    'Some who could may no longer, or some may who could not.',
    'Check that no caller loses access.',
  )
  report({ where, what: `${what}.`, ...judgement })
}
