// Compiles exclusions: records whose intervals must not overlap.

import type { Definition } from '../../language/definition.ts'
import type { Column, ExclusionModel } from '../column.ts'
import { fieldsRead } from '../rule/comparison.ts'
import { tenantOf } from './compile-unique.ts'

export function compileExclusions({ exclude = [] }: Definition, columns: readonly Column[]): readonly ExclusionModel[] {
  const columnOf = (field: string) => columns.find((column) => column.field === field)!
  return exclude.map(({ fields, overlap, where = null, per }) => {
    const own = fields.map(columnOf)
    const [start, end] = overlap.map(columnOf) as [Column, Column]
    const tenant = tenantOf(per, columns).filter((each) => !own.includes(each))
    const stored = [...tenant, ...own]
    const compared = [...stored, start, end].map(({ field }) => field)
    const read = where === null ? compared : [...compared, ...fieldsRead(where)]
    return { columns: own, stored, start, end, where, fields: new Set(read) }
  })
}
