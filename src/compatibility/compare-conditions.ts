// Compares the fields and operators that `where` accepts. (contract 9.3.1, 12.1.2)

import { adds, breaks, onlyInNewVersion, type Report } from './change.ts'
import { members, type Node, paired } from './openapi-document.ts'

/** Parameters without `x-where` are ignored. */
export function compareConditions(before: Node, after: Node, where: string, report: Report): void {
  const { removed, added, both } = paired(members(before, 'x-where'), members(after, 'x-where'))
  const refusal = breaks('A condition that names it is refused.', onlyInNewVersion)
  for (const path of removed) report({ where, what: `It no longer compares ${path}.`, ...refusal })
  for (const path of added) report({ where, what: `It can compare ${path} now.`, ...adds })
  for (const { name: path, ...each } of both) {
    const [from, to] = [each.before, each.after] as unknown as readonly [readonly string[], readonly string[]]
    for (const operator of from.filter((one) => !to.includes(one)))
      report({ where, what: `It no longer compares ${path} by ${operator}.`, ...refusal })
    for (const operator of to.filter((one) => !from.includes(one)))
      report({ where, what: `It can compare ${path} by ${operator} now.`, ...adds })
  }
}
