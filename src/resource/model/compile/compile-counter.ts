// Compiles counter fields.

import type { CounterSpec } from '../../field/counter.ts'
import type { Column } from '../column.ts'
import type { CounterModel } from '../model.ts'

export function compileCounters(columns: readonly Column[]): readonly CounterModel[] {
  return columns.flatMap((column) => {
    if (column.spec.kind !== 'counter') return []
    const { within, on = null } = column.spec as CounterSpec
    return [{ column, within: columns.find(({ field }) => field === within) ?? null, on }]
  })
}
