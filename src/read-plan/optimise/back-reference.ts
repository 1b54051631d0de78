// Reuses the parent's row for a reference back to it. Without this file: the same answers, one more statement per such reference,
// and the list is never read as text (`json-text.ts`).

import type { OneRelation } from '../../resource/model/model.ts'
import type { PartPlan, RecordPlan } from '../plain-plan.ts'
import type { Printer, ReferencePrinter } from '../printing.ts'

/** `isScoped`: whether the root's records are read by the actor's rule. If not, a back reference may lead to a hidden record. */
export function referToParents(record: RecordPlan, isScoped: boolean): RecordPlan {
  return referBack(record, [], isScoped)
}

/** `above`: the back references of the enclosing lists, innermost last; null for none. */
function referBack(record: RecordPlan, above: readonly (OneRelation | null)[], isScoped: boolean): RecordPlan {
  const parts = record.parts.map((part): PartPlan => {
    if (part.kind === 'list') {
      const back = part.relation.kind === 'many' && isScoped ? part.relation.by : null
      return { ...part, of: referBack(part.of, [...above, back], true) }
    }
    if (part.kind === 'self') return { ...part, of: referBack(part.of, above, isScoped) }
    if (part.kind !== 'one') return part
    if (part.relation !== above.at(-1)) return { ...part, of: referBack(part.of, [], true) }
    return { ...part, from: 'parent', of: referBack(part.of, above.slice(0, -1), true) }
  })
  return { ...record, parts }
}

export const parentPrinter = ({ print, fallible }: Printer): ReferencePrinter => ({
  fallible,
  rowOf: (_row, _printing, parent) => parent!.row,
  print: (row, printing, parent) => print(row, printing, parent!.parent),
})
