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

interface Group {
  readonly name: string
  readonly resource: ResourceModel
  readonly counter: CounterModel
  /** Null if all records are counted together. */
  readonly of: string | null
  readonly members: readonly Uncounted[]
}

/** Nothing that can fail or wait may follow. */
export function* count(
  uncounted: readonly Uncounted[],
  scope: Pick<RowScope, 'statements' | 'dialect' | 'numbers'>,
): Program<void> {
  for (const group of groupsOf(uncounted)) {
    const { resource, counter, of, members } = group
    if (scope.dialect.engine === 'postgres') yield bind(takeLockTogether, group.name)
    const ids = [...new Set(members.map(({ id }) => id))]
    const rows = yield scope.statements.count(resource, counter, of, ids)
    const numbers = new Map(ids.length === 1 ? [[ids[0]!, rows[0]?.[0]]] : rows.map(([number, id]) => [id, number]))
    for (const { id, record } of members) {
      const number = numbers.get(id)
      invariant(typeof number === 'number', `${resource.name}.${counter.column.field} is counted`)
      record[counter.column.field] = number
      noteChanged(resource, id, new Set([counter.column.field]), scope)
    }
  }
}

function groupsOf(uncounted: readonly Uncounted[]): readonly Group[] {
  const groups = new Map<string, Group & { readonly members: Uncounted[] }>()
  for (const each of uncounted) {
    const { resource, counter, record } = each
    const of = counter.within === null ? null : (record[counter.within.field] as string)
    const name = `${resource.table}.${counter.column.name} ${of ?? ''}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { name, resource, counter, of, members: [each] })
    else group.members.push(each)
  }
  return [...groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}
