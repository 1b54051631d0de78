// Compares moves of the clock: they refuse no client, but records change without one. (contract 14.1)

import { type Report, surprises } from './change.ts'
import { paired } from './openapi-document.ts'
import type { Contract } from './snapshot.ts'

export function compareClock(before: Contract['clock'] = {}, after: Contract['clock'] = {}, report: Report): void {
  const { removed, added, both } = paired(before, after)
  const note = (name: string, what: string, why: string) => report({ where: `clock ${name}`, what, ...surprises(why) })
  for (const name of added) note(name, `The clock makes it ${after[name]}.`, 'Records change without a request.')
  for (const name of removed)
    note(name, 'The clock does not make it any more.', 'Records stay as they are until a request changes them.')
  for (const { name, before: from, after: to } of both)
    if (from !== to)
      note(name, `The clock makes it ${to}, before ${from}.`, 'Records change at another time, or others do.')
}
