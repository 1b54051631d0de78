// Compares moves of the clock: they refuse no client, but records change without one. (contract 14.1)

import { type Report, surprises } from './change.ts'
import { paired } from './openapi-document.ts'
import type { Contract } from './snapshot.ts'

export function compareClock(before: Contract['clock'] = {}, after: Contract['clock'] = {}, report: Report): void {
  const { removed, added, both } = paired(before, after)
  const where = (name: string) => `clock ${name}`
  for (const name of added)
    report({
      where: where(name),
      what: `The clock makes it ${after[name]}.`,
      ...surprises('Records change without a request.'),
    })
  for (const name of removed)
    report({
      where: where(name),
      what: 'The clock does not make it any more.',
      ...surprises('Records stay as they are until a request changes them.'),
    })
  for (const { name, before: from, after: to } of both)
    if (from !== to)
      report({
        where: where(name),
        what: `The clock makes it ${to}, before ${from}.`,
        ...surprises('Records change at another time, or others do.'),
      })
}
