// Counts a list or sums one of its fields, for code.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { readSum } from '../../store/sql/list/sum.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { StoredRow } from '../../store/store.ts'
import type { ListInput, ListRoot } from '../call.ts'

/** One per root, so that its plan is reused. */
export function aggregateInput(input: ListInput, sum: Column | null): ListInput {
  if ('problems' in input) return input
  const ofRoot = getOrInsert(roots, input.root, () => new Map<Column | null, ListRoot>())
  const root = getOrInsert(ofRoot, sum, () => aggregateRoot(input.root, sum))
  return { root, list: input.list }
}
const roots = new WeakMap<ListRoot, Map<Column | null, ListRoot>>()

const aggregateRoot = ({ list, within }: ListRoot, sum: Column | null): ListRoot => ({
  kind: 'list',
  list,
  within,
  parts: { as: 'array', of: { resource: list.resource, parts: [], hidden: 'omit' } },
  total: true,
  ...(sum === null ? {} : { sum }),
})

export const readAggregate = (row: StoredRow, { sum }: ListRoot, dialect: Dialect): unknown =>
  sum === undefined ? Number(row[0]) : readSum(row, sum, dialect)

/** Throws if the field holds no numbers. */
export function summedColumn({ name, column }: ResourceModel, field: string): Column {
  const found = column.get(field)
  if (found !== undefined && numeric.has(found.spec.kind)) return found
  throw new Error(`The service's own code adds up ${name}.${field}, which holds no numbers.`)
}
const numeric: ReadonlySet<string> = new Set(['integer', 'counter', 'bigint', 'float', 'decimal'])
