// What became of each clause: it is broken if one of its tests failed, and skipped if all of them were.

import type { TestEvent } from 'node:test/reporters'

export type Verdict = 'kept' | 'broken' | 'skipped'

export interface Result {
  readonly clause: string
  readonly text: string
  readonly verdict: Verdict
  /** What was expected, sent and received, or why it was skipped. */
  readonly problem: string
}

const rank: Readonly<Record<Verdict, number>> = { skipped: 0, kept: 1, broken: 2 }

export class Results {
  readonly #results = new Map<string, Result>()

  add(event: TestEvent): void {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') return
    const { name, skip, details } = event.data
    const [, clause, text] = /^(\d+\.\d+\.\d+) (.*)$/s.exec(name) ?? []
    if (clause === undefined) return
    const verdict = event.type === 'test:fail' ? 'broken' : skip === undefined ? 'kept' : 'skipped'
    const error = 'error' in details ? (details.error as Error & { cause?: Error }) : undefined
    const problem = String(error?.cause?.stack ?? error?.message ?? skip ?? '')
    const result = this.#results.get(clause)
    if (result === undefined || rank[result.verdict] < rank[verdict])
      this.#results.set(clause, { clause, text: text!, verdict, problem })
  }

  all(): readonly Result[] {
    return [...this.#results.values()].toSorted((one, other) => compareClauses(one.clause, other.clause))
  }

  broken(): readonly Result[] {
    return this.all().filter(({ verdict }) => verdict === 'broken')
  }

  count(verdict: Verdict): number {
    return this.all().filter((each) => each.verdict === verdict).length
  }

  skippedByReason(): ReadonlyMap<string, readonly string[]> {
    const clauses = new Map<string, string[]>()
    for (const { verdict, problem, clause } of this.all())
      if (verdict === 'skipped') clauses.set(problem, [...(clauses.get(problem) ?? []), clause])
    return clauses
  }
}

function compareClauses(one: string, other: string): number {
  const [first, second] = [one, other].map((clause) => clause.split('.').map(Number))
  for (const at of [0, 1, 2]) if (first![at] !== second![at]) return first![at]! - second![at]!
  return 0
}
