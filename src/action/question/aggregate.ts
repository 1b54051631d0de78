// Counts a list, or makes one value of one of its fields, for code.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { memoize } from '../../cache/memoize.ts'
import { isWord } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Aggregate, readAggregateValue } from '../../store/sql/list/aggregate.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import type { StoredRow } from '../../store/store.ts'
import type { ListInput, ListRoot } from '../call.ts'

export type { Aggregate } from '../../store/sql/list/aggregate.ts'

/** One per root, so that its plan is reused. Null: a count. */
export function aggregateInput(input: ListInput, aggregate: Aggregate | null): ListInput {
  if ('problems' in input) return input
  const key = aggregate === null ? '' : `${aggregate.make} ${aggregate.column.field}`
  const root = getOrInsert(rootsOf(input.root), key, () => aggregateRoot(input.root, aggregate))
  return { root, list: input.list }
}
const rootsOf = memoize((_: ListRoot) => new Map<string, ListRoot>())

const aggregateRoot = ({ list, within }: ListRoot, aggregate: Aggregate | null): ListRoot => ({
  kind: 'list',
  list,
  within,
  parts: { as: 'array', of: { resource: list.resource, parts: [], hidden: 'omit' } },
  total: true,
  ...(aggregate === null ? {} : { aggregate }),
})

export const readAggregate = (row: StoredRow, { aggregate }: ListRoot, dialect: Dialect): unknown =>
  aggregate === undefined ? Number(row[0]) : readAggregateValue(row, aggregate, dialect)

/** Throws if the field has no such values. */
export function aggregateOf({ name, column }: ResourceModel, make: Aggregate['make'], field: string): Aggregate {
  const found = column.get(field)
  if (found !== undefined && !found.secret && aggregated[make](found)) return { make, column: found }
  const [does, values] = sentences[make]
  throw new Error(`The service's own code ${does} ${name}.${field}, which holds no ${values}.`)
}
const numeric: ReadonlySet<string> = new Set(['integer', 'counter', 'bigint', 'float', 'decimal'])
const moments: ReadonlySet<string> = new Set(['date', 'timestamp'])
const aggregated: Readonly<Record<Aggregate['make'], (column: Column) => boolean>> = {
  sum: ({ spec }) => numeric.has(spec.kind),
  max: ({ spec }) => numeric.has(spec.kind) || moments.has(spec.kind),
  distinct: ({ spec }) => spec.kind === 'one' || spec.kind === 'state' || isWord(spec),
}
const sentences: Readonly<Record<Aggregate['make'], readonly [does: string, values: string]>> = {
  sum: ['adds up', 'numbers'],
  max: ['looks for the greatest', 'numbers, dates or times'],
  distinct: ['counts different values of', 'single values'],
}
