// Keeps trees: no record is below itself, none is too deep, and each is listed below those above it. Records that enter a tree
// share its lock; those that move exclude all others. (contract 10.3)

import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import { isTrue } from '../../read-plan/print.ts'
import type { ActionModel, LinkRelation, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { words } from '../../resource/naming/casing.ts'
import { boundTo, noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import type { RowScope } from '../write-scope.ts'
import { takeInOrder } from './advisory-lock.ts'
import type { Authored } from './fit.ts'
import type { RowValues } from './load.ts'

interface Tree {
  readonly parent: OneRelation
  readonly above: LinkRelation
}
const treesOf = memoize(({ relations }: ResourceModel) =>
  [...relations.values()].flatMap((above): readonly Tree[] =>
    above.kind === 'manyToMany' && above.link.parent !== null ? [{ parent: above.link.parent, above }] : [],
  ),
)

export const isInTree = (resource: ResourceModel): boolean => treesOf(resource).length > 0

/** What an effect moves is known when it is written. */
export const isMoving = (
  { resource, set }: ActionModel,
  inputs: readonly { readonly fields: Readonly<RowValues> }[],
): boolean =>
  treesOf(resource).some(
    ({ parent: { field } }) =>
      set.some(({ column }) => column.field === field) || inputs.some(({ fields }) => field in fields),
  )

/** Waits only before rows are locked. */
export function* lockToEnter(
  resource: ResourceModel,
  records: readonly Readonly<RowValues>[],
  scope: RowScope,
  isLate = false,
): Program<void> {
  const entering = records.filter((record) => treesOf(resource).some(({ parent }) => record[parent.field] != null))
  const [tenant] = resource.tenants
  yield* lockTrees(
    resource,
    entering.map((record) => (tenant === undefined ? null : record[tenant.field])),
    { isShared: true, isLate },
    scope,
  )
}

/** Moves exclude all others; deletes share the lock, so that none waits for a record that a move waits for. */
export const lockToMove = (resource: ResourceModel, ids: readonly string[], scope: RowScope, isLate = false) =>
  lockStored(resource, ids, { isShared: false, isLate }, scope)
export function* lockToLeave(
  resource: ResourceModel,
  ids: readonly string[],
  scope: RowScope,
  isLate = false,
): Program<void> {
  if (isInTree(resource)) yield* lockStored(resource, ids, { isShared: true, isLate }, scope)
}

function* lockStored(
  resource: ResourceModel,
  ids: readonly string[],
  locking: Locking,
  scope: RowScope,
): Program<void> {
  if (scope.dialect.engine !== 'postgres' || ids.length === 0) return
  const [tenant] = resource.tenants
  const load = { resource, conditions: [], columns: tenant === undefined ? [] : [tenant], lock: null } as const
  const rows = tenant === undefined ? [] : yield scope.statements.load(load, noCaller, ids)
  yield* lockTrees(resource, tenant === undefined ? [null] : rows.map((row) => row[2]), locking, scope)
}

const { treeLevels: levelsMax } = defaultLimits

interface Locking {
  readonly isShared: boolean
  /** It must not wait, even if no stored row is locked. */
  readonly isLate: boolean
}
function* lockTrees(
  resource: ResourceModel,
  tenants: readonly unknown[],
  { isShared, isLate }: Locking,
  { dialect, locks, attempt }: RowScope,
): Program<void> {
  if (dialect.engine !== 'postgres' || locks === undefined || attempt === undefined) return
  for (const name of [...new Set(tenants.map((each) => `tree ${resource.table} ${each ?? ''}`))].sort())
    yield* takeInOrder({ name, isShared }, { locks, attempt }, isLate)
}

interface Written {
  readonly authored?: Authored
}
interface Insert extends Written {
  readonly record: Readonly<RowValues>
}
/** Once they are stored. Fails with BUSINESS_RULE_VIOLATION if one is too deep. */
export function* enterTrees(resource: ResourceModel, inserts: readonly Insert[], scope: RowScope): Program<void> {
  const records = inserts.map(({ record }) => record)
  for (const { parent, above } of treesOf(resource)) {
    yield* lockToEnter(resource, records, scope, true)
    const { enter } = scope.statements.tree(above.link)
    const keys = scope.dialect.keys(records.map((record) => record['id'] as string))
    const levels = new Map<unknown, number>()
    for (const [id] of yield boundTo(enter, { actor: null, keys })) levels.set(id, (levels.get(id) ?? 0) + 1)
    const deep = inserts.find(({ record }) => levels.get(record['id'])! > levelsMax)
    if (deep !== undefined) throw tooDeep(resource, parent, deep)
  }
}

interface Change extends Written {
  readonly id: string
  readonly after: Readonly<RowValues>
  readonly changed: ReadonlySet<string>
}
/**
 * Once they are stored, one after the other, since each may be above the next. Fails with BUSINESS_RULE_VIOLATION if one would
 * be below itself, or too deep.
 */
export function* moveInTrees(resource: ResourceModel, changes: readonly Change[], scope: RowScope): Program<void> {
  for (const { parent, above } of treesOf(resource)) {
    const moves = changes.filter(({ changed }) => changed.has(parent.field))
    if (moves.length === 0) continue
    yield* lockToMove(
      resource,
      moves.map(({ id }) => id),
      scope,
      true,
    )
    const { place, move } = scope.statements.tree(above.link)
    for (const change of moves) {
      const { id, after } = change
      const input = [id, (after[parent.field] as string | null) ?? null]
      if (input[1] !== null) {
        const [row] = yield boundTo(place, { actor: null, input })
        const [isBelow, levels, height] = row!
        if (isTrue(isBelow!)) throw belowItself(resource, parent, change)
        if (Number(levels) + Number(height) > levelsMax) throw tooDeep(resource, parent, change)
      }
      for (const each of move) yield boundTo(each, { actor: null, input })
    }
  }
}

const belowItself = ({ name }: ResourceModel, parent: OneRelation, change: Written): Failure =>
  refusal(parent, `The ${words(parent.field)} is the ${words(name)} itself, or is below it.`, change)

const tooDeep = ({ path }: ResourceModel, parent: OneRelation, written: Written): Failure =>
  refusal(parent, `At most ${levelsMax} levels of ${path.replaceAll('-', ' ')}.`, written)

function refusal({ field }: OneRelation, message: string, { authored }: Written): Failure {
  const detail = authored?.detail?.(field, message)
  return new Failure('BUSINESS_RULE_VIOLATION', { message, ...(detail === undefined ? {} : { details: [detail] }) })
}
