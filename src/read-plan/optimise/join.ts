// Joins referenced records. Without this file, a page of 20 posts with their authors takes 1.3 times as long.

import type { Column } from '../../resource/model/column.ts'
import type { OneRelation } from '../../resource/model/model.ts'
import type { Columns } from '../columns.ts'
import type { RecordPlan, ReferencePlan } from '../plain-plan.ts'
import type { Printer, ReferencePrinter } from '../printing.ts'

/** Beyond this, planning costs more than separate statements. */
const joinsMax = 8

export interface Joins {
  readonly of: Map<OneRelation, Joins>
  readonly statement: { count: number }
}
export const noJoins = (): Joins => ({ of: new Map(), statement: { count: 0 } })

/**
 * Joins only below the root's records, of which there is one page. Records of nested lists often refer to the same few. Records of
 * one root share `joins`.
 */
export function joinReferences(record: RecordPlan, joins: Joins): RecordPlan {
  return joinBelow(record, joins, [])
}

/** `above`: the joins of the enclosing lists' records, innermost last; null if their statement has none. */
function joinBelow(record: RecordPlan, joins: Joins | null, above: readonly (Joins | null)[]): RecordPlan {
  const parts = record.parts.map((part) => {
    if (part.kind === 'list') return { ...part, of: joinBelow(part.of, null, [...above, joins]) }
    if (part.kind === 'self') return { ...part, of: joinBelow(part.of, joins, above) }
    return part.kind === 'one' ? joinOne(part, joins, above) : part
  })
  return { ...record, parts }
}

function joinOne(part: ReferencePlan, joins: Joins | null, above: readonly (Joins | null)[]): ReferencePlan {
  if (part.from === 'parent') return { ...part, of: joinBelow(part.of, above.at(-1) ?? null, above.slice(0, -1)) }
  const joined = joins === null ? null : join(part.relation, joins)
  return { ...part, from: joined === null ? 'statement' : 'join', of: joinBelow(part.of, joined, []) }
}

function join(relation: OneRelation, { of, statement }: Joins): Joins | null {
  const existing = of.get(relation)
  if (existing !== undefined) return existing
  if (statement.count === joinsMax) return null
  statement.count++
  const joined: Joins = { of: new Map(), statement }
  of.set(relation, joined)
  return joined
}

/** `joined`: its columns in the referring record's row. */
export function joinedPrinter(
  { column }: OneRelation,
  id: Column,
  { columns, joined }: { readonly columns: Columns; readonly joined: Columns },
  printer: Printer,
): ReferencePrinter {
  const presence = joined.presence(id)
  if (!column.nullable) return { ...printer, rowOf: (row) => (row[presence] === null ? undefined : row) }
  const place = columns.place(column)
  return {
    ...printer,
    rowOf: (row) => (row[place] === null ? null : row[presence] === null ? undefined : row),
  }
}
