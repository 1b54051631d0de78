// Assigns the numbers of counters, last in a transaction, since later transactions wait for the group's lock until it ends. Groups
// are locked in one order. (contract 11.3.5)

import { invariant } from '../../failure/failure.ts'
import type { ActionModel, CounterModel, ResourceModel } from '../../resource/model/model.ts'
import { bind, type Program } from '../../store/store.ts'
import type { RowScope, Uncounted } from '../write-scope.ts'
import { takeLockTogether } from './advisory-lock.ts'
import { noteChanged } from './kept-number.ts'
import type { RowValues } from './load.ts'

/** Counters that these actions trigger. `before` is null for a new record. A number is assigned once. */
export function uncountedBy(
  resource: ResourceModel,
  actions: readonly ActionModel[],
  {
    id,
    before,
    after,
  }: { readonly id: string; readonly before: Readonly<RowValues> | null; readonly after: RowValues },
): readonly Uncounted[] {
  const isDue = ({ on, column }: CounterModel): boolean =>
    on === null ? before === null : actions.some(({ name }) => name === on) && (before?.[column.field] ?? null) === null
  if (resource.counters.length === 0) return nothing
  return resource.counters.filter(isDue).map((counter) => ({ resource, counter, id, record: after }))
}

const nothing: readonly Uncounted[] = []

/** Nothing that can fail or wait may follow. */
export function* count(
  uncounted: readonly Uncounted[],
  scope: Pick<RowScope, 'statements' | 'dialect' | 'numbers'>,
): Program<void> {
  const groups = [...Map.groupBy(uncounted, groupName)].sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [name, members] of groups) {
    const [first] = members as [Uncounted]
    const { resource, counter } = first
    if (scope.dialect.engine === 'postgres') yield bind(takeLockTogether, name)
    const ids = [...new Set(members.map(({ id }) => id))]
    const rows = yield scope.statements.count(resource, counter, groupOf(first), ids)
    const numbers = new Map(ids.length === 1 ? [[ids[0]!, rows[0]?.[0]]] : rows.map(([number, id]) => [id, number]))
    for (const { id, record } of members) {
      const number = numbers.get(id)
      invariant(typeof number === 'number', `${resource.name}.${counter.column.field} is counted`)
      record[counter.column.field] = number
      noteChanged(resource, id, new Set([counter.column.field]), scope)
    }
  }
}

/** Null if all records are counted together. */
const groupOf = ({ counter: { within }, record }: Uncounted): string | null =>
  within === null ? null : (record[within.field] as string)

const groupName = (each: Uncounted): string =>
  `${each.resource.table}.${each.counter.column.name} ${groupOf(each) ?? ''}`
