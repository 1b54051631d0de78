// Compares limits that affect clients: lower ones refuse what was accepted. (contract 8.1)

import { adds, breaks, type Judgement, onlyInNewVersion, type Report, surprises } from './change.ts'
import { type Node, paired } from './openapi-document.ts'

/** Rate limits, on which clients cannot rely; 0 is none. */
const rates = ['ipPerMinute', 'userPerHour', 'loginPerMinute', 'flowPerMinute', 'forgotPasswordPerMinute']

export function compareLimits(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  report: Report,
): void {
  // A limit in only one contract was added or removed by Duet, not by the service.
  for (const { name, before: from, after: to } of paired(before, after).both) {
    if (from !== to)
      report({ where: `limit ${name}`, what: `It changed from ${from} to ${to}.`, ...judge(name, from, to) })
  }
}

/** The records of a write by condition, which depends on limits and on the action. (contract 13.7.5) */
export function compareRecordsMax(before: Node, after: Node, where: string, report: Report): void {
  const [from, to] = [before, after].map(({ 'x-records-max': max }) => max)
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return
  const refusal = breaks('A condition that holds for more is refused.', onlyInNewVersion)
  report({ where, what: `It writes at most ${to} records at once, before ${from}.`, ...(to < from ? refusal : adds) })
}

function judge(name: string, from: number, to: number): Judgement {
  if (name === 'defaultPageSize') return surprises('Clients that omit the size get pages of another size.')
  if (rates.includes(name)) {
    return (to || Number.POSITIVE_INFINITY) < (from || Number.POSITIVE_INFINITY)
      ? surprises('Clients that call often are refused sooner.')
      : adds
  }
  return to < from ? breaks('A request that was accepted is refused.', 'Leave the limit where it was.') : adds
}
