// Compares two contracts. (contract 9.3)

import { adds, breaks, type Change } from './change.ts'
import { compareClock } from './compare-clock.ts'
import { compareDocuments } from './compare-document.ts'
import { compareSchemaTexts } from './compare-graphql.ts'
import { compareLimits } from './compare-limits.ts'
import { paired } from './openapi-document.ts'
import { type Evidence, judgeRemoval } from './removal.ts'
import type { Contract } from './snapshot.ts'

/** Breaking differences first. Removing a part is allowed after a sufficient deprecation without uses. */
export function compareContracts(before: Contract, after: Contract, evidence: Evidence): readonly Change[] {
  const changes: Change[] = []
  const report = (change: Change) => void changes.push(change)
  const { removed, added, both } = paired(before.documents, after.documents)
  for (const version of removed) {
    const loss = breaks('Its callers get 404.', 'Deprecate it first, and keep it until its sunset.')
    report({ where: version, what: 'The version was removed.', ...loss, removed: version })
  }
  // A new version may differ in any way.
  for (const version of added) report({ where: version, what: 'A version was added.', ...adds })
  for (const { name, before: from, after: to } of both) compareDocuments(name, from, to, report)
  compareSchemaTexts(before.schema, after.schema, report)
  compareLimits(before.limits, after.limits, report)
  compareClock(before.clock, after.clock, report)

  const deprecations = new Map(before.deprecations.map((each) => [each.what, each]))
  const verdicts = changes.map((each) => judgeRemoval(each, deprecations.get(each.removed ?? ''), evidence))
  return inOrder(withoutEchoes(verdicts))
}

/** Lists return whole or partial records; a change to both is reported for the whole. */
function withoutEchoes(changes: readonly Change[]): readonly Change[] {
  const reports = new Set(changes.map(({ where, what }) => `${where} ${what}`))
  return changes.filter(({ where, what }) => {
    const whole = where.replace(/ answers Some(?=[A-Z])/, ' answers ')
    return whole === where || !reports.has(`${whole} ${what}`)
  })
}

const order = ['breaking', 'dangerous', 'additive']
const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
