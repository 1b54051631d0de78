// Reads nothing for a reference that leads back to the record whose list it is in: its row is there already. Without this file:
// the same answers, one statement more for each such reference, and its list is never text (`json-text.ts`).

import type { OneRelation } from '../../resource/model/model.ts'
import type { PartPlan, RecordPlan } from '../plain-plan.ts'
import type { Printer, ReferencePrinter } from '../printing.ts'

/**
 * Takes the references of a list's records that lead back to its parent from the parent's row. `isScoped`: whether the root's
 * records are read only if the actor may read them; where not, a reference to one may lead to what is hidden.
 */
export function referToParents(record: RecordPlan, isScoped: boolean): RecordPlan {
  return referBack(record, [], isScoped)
}

/** `above`: the relations that lead back to the records whose lists these are, the innermost last; null for none. */
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

/** Prints the parent's row. */
export const parentPrinter = ({ print, fallible }: Printer): ReferencePrinter => ({
  fallible,
  rowOf: (_row, _printing, parent) => parent!.row,
  print: (row, printing, parent) => print(row, printing, parent!.parent),
})
