// Rules as descriptions tell them: nothing else in a description is a promise. (contract 5.4, 9.3)

import { type Report, surprises } from './change.ts'

const rule = /(?:Allowed: |Read by |Only for )(?:[^.]|\.(?=\S))*\./g
const rulesIn = (description: unknown): string =>
  typeof description === 'string' ? (description.match(rule) ?? []).join(' ') : ''

/** Reports where the sentence that says who may is another one. Nobody can tell from it whether fewer or more may. */
export function comparePermission(before: unknown, after: unknown, where: string, report: Report): void {
  const [from, to] = [rulesIn(before), rulesIn(after)]
  if (from === to) return
  const what = `Who may changed from "${from || 'no rule of its own'}" to "${to || 'no rule of its own'}"`
  const judgement = surprises(
    'Some who could may no longer, or some may who could not.',
    'See that nobody loses what they use.',
  )
  report({ where, what: `${what}.`, ...judgement })
}
