// What an operation asks of the groups of a summary: only that is worked out.

import type { SummaryParts } from '../../action/summary-request.ts'
import type { Measurement } from '../../read-plan/summary.ts'
import type { SortModel } from '../../resource/model/model.ts'
import type { Meaning } from '../schema/meaning.ts'

/** A field of the operation, as far as it matters here. */
interface AskedField {
  readonly meaning: Meaning | undefined
  readonly below: readonly Branch[]
}
interface Branch {
  readonly fields: readonly AskedField[]
}

/** `connection` is the branch of the summary itself. */
export function summaryParts({ fields }: Branch): SummaryParts {
  const measures = new Map<SortModel, Set<Measurement>>()
  const distinct = new Set<SortModel>()
  for (const group of fields.flatMap(groupsBelow))
    for (const { meaning, below } of group.fields)
      for (const { meaning: inner } of below[0]?.fields ?? []) {
        if (inner?.is === 'difference') distinct.add(inner.path)
        if (inner?.is !== 'measure') continue
        const of = measures.get(inner.path) ?? new Set()
        measures.set(inner.path, of.add(meaning!.is as Measurement))
      }
  return { measures: [...measures].map(([path, of]) => ({ path, of: [...of] })), distinct: [...distinct] }
}

/** The groups below a field of the connection: its nodes, or those of its edges. */
function groupsBelow({ meaning, below }: AskedField): readonly Branch[] {
  if (meaning?.is === 'nodes') return below
  if (meaning?.is !== 'edges') return []
  return below.flatMap(({ fields }) => fields.flatMap((each) => (each.meaning?.is === 'node' ? each.below : [])))
}
