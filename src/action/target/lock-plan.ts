// Plans which records a write locks ahead: holders of kept numbers with the records that they count. Holders are read without a lock
// first; if they differ once locked, the write runs again.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { accountOf } from '../../resource/actor.ts'
import type { ActionModel, LinkRelation, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { guardedLinks, holdingsOf, holdingsOfChange, isHeldLink } from '../../resource/model/number/holding.ts'
import { compareLocks } from '../../resource/model/number/lock-order.ts'
import { hasListRules } from '../../resource/model/rule/guard.ts'
import { decodeValue } from '../../store/sql/text/column-value.ts'
import { boundTo, noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import type { RowValues, StoredRecord } from '../row/load.ts'
import { lockRecords, locksRows, missedLock } from '../row/lock.ts'
import type { ValidInput } from '../valid-input.ts'
import type { WriteScope } from '../write-scope.ts'
import type { Part, Replacement } from './part.ts'

type WrittenPart = Pick<Part, 'action' | 'inputs'>
interface LockWrite extends WrittenPart {
  readonly children: readonly WrittenPart[]
  readonly replacements: readonly Replacement[]
}

/** Ids by resource, locked in the order of locks. */
class LockPlan {
  readonly ids = new Map<ResourceModel, Set<string>>()
  readonly #scope: WriteScope

  constructor(scope: WriteScope) {
    this.#scope = scope
  }

  /** Unless it is null, or not stored yet. */
  add(resource: ResourceModel, id: unknown): void {
    if (typeof id !== 'string' || this.#scope.pending.has(id)) return
    getOrInsert(this.ids, resource, () => new Set<string>()).add(id)
  }

  isOnly(resource: ResourceModel): boolean {
    return [...this.ids.keys()].every((each) => each === resource)
  }

  *lock(): Program<void> {
    for (const [resource, ids] of [...this.ids].sort(([one], [other]) => compareLocks(one, other)))
      yield* lockRecords(resource, ids, 'no key update', this.#scope)
  }
}

/** Null for all fields: effects and the hook may assign any. */
export function writtenFields(
  { kind, effect, set, to, resource }: ActionModel,
  inputs: readonly Pick<ValidInput, 'fields'>[],
  scope: Pick<WriteScope, 'context'> | null = null,
): ReadonlySet<string> | null {
  if (kind === 'delete' || effect !== null || (scope !== null && scope.context.model.onWrite !== null)) return null
  const state = to === null ? [] : [resource.state!.field]
  return new Set([
    ...inputs.flatMap(({ fields }) => Object.keys(fields)),
    ...set.map(({ column }) => column.field),
    ...state,
  ])
}

/** Holders of new records, whether inputs name them or not, such as inherited tenants, and the account that a create links. */
export function holdersOfNew(
  parts: readonly { readonly action: ActionModel; readonly records: readonly Readonly<RowValues>[] }[],
  scope: WriteScope,
): ReadonlyMap<ResourceModel, ReadonlySet<string>> {
  const plan = new LockPlan(scope)
  for (const { action, records } of locksRows(scope) ? parts : []) {
    const { kind, resource, link } = action
    if (kind !== 'create') continue
    for (const { relation } of holdingsOf(resource))
      for (const record of records) plan.add(relation.target, record[relation.field])
    if (link !== null && isHeldLink(link.link)) plan.add(link.target, accountOf(scope.actor)?.id)
  }
  return plan.ids
}

/** Whether other records must be locked before those of the call. */
export function locksAhead({ action, inputs, replacements }: LockWrite, scope: WriteScope): boolean {
  if (!locksRows(scope)) return false
  const { kind, resource, link, unlink } = action
  const written = writtenFields(action, inputs, scope)
  return (
    replacements.length > 0 ||
    holdingsOfChange(resource, written).length > 0 ||
    heldLinksOf(inputs, [link, unlink]).length > 0 ||
    guardedLinks(resource, written).length > 0 ||
    hasListRules(action) ||
    (kind === 'delete' && (endingWith(resource).length > 0 || linksEndingWith(resource, scope).length > 0))
  )
}

export function* lockAhead(write: LockWrite, records: readonly StoredRecord[], scope: WriteScope): Program<void> {
  const { action, inputs, replacements, children } = write
  const { resource, kind, link, unlink } = action
  const plan = new LockPlan(scope)
  const ids = records.map(({ id }) => id)
  const written = writtenFields(action, inputs, scope)
  for (const { relation } of holdingsOfChange(resource, written))
    for (const [index, { record }] of records.entries()) {
      plan.add(relation.target, record[relation.field])
      plan.add(relation.target, inputs[index]?.fields[relation.field])
    }
  for (const relation of guardedLinks(resource, written)) yield* planLinked(plan, relation, ids, scope)
  if (kind === 'delete') yield* planRemoval(plan, resource, ids, scope)
  for (const { target, by } of replacedLists(replacements)) yield* planOthers(plan, target, by, ids, scope)
  for (const { action: child, inputs: own } of children)
    for (const { relation } of holdingsOf(child.resource))
      for (const { fields } of own) plan.add(relation.target, fields[relation.field])
  for (const { lists } of inputs)
    for (const { list, ids: others } of lists.links)
      if (isHeldLink((list.relation as LinkRelation).link)) for (const id of others) plan.add(list.relation.target, id)
  for (const relation of heldLinksOf(inputs, [])) yield* planLinked(plan, relation, ids, scope)
  for (const relation of heldLinksOf([], [link, unlink])) plan.add(relation.target, accountOf(scope.actor)?.id)
  // For a rule about a list: a statement that waits for the lock sees the list before it.
  for (const id of ids) plan.add(resource, id)
  if (plan.isOnly(resource) && !hasListRules(action)) return
  yield* plan.lock()
}

/** For one record whose fields code writes; null for all fields. `values` are the new ones. */
export function* lockHolders(
  resource: ResourceModel,
  id: string,
  fields: ReadonlySet<string> | null,
  values: Readonly<RowValues>,
  scope: WriteScope,
): Program<void> {
  if (!locksRows(scope)) return
  const holdings = holdingsOfChange(resource, fields)
  const links = guardedLinks(resource, fields)
  if (holdings.length + links.length === 0) return
  const plan = new LockPlan(scope)
  for (const relation of links) yield* planLinked(plan, relation, [id], scope)
  const columns = holdings.map(({ relation }) => relation.column)
  const [row] = yield scope.statements.load({ resource, conditions: [], columns, lock: null }, noCaller, [id])
  for (const [at, { relation }] of holdings.entries()) {
    plan.add(relation.target, row?.[2 + at])
    plan.add(relation.target, values[relation.field])
  }
  plan.add(resource, id)
  yield* plan.lock()
}

/** What ends with the record, before its own holders. */
export function* lockForRemoval(resource: ResourceModel, id: string, scope: WriteScope): Program<void> {
  if (!locksRows(scope)) return
  const plan = new LockPlan(scope)
  yield* planRemoval(plan, resource, [id], scope)
  yield* plan.lock()
}

/** Throws LostRace if the holders have changed. */
export function requireHolders(
  resource: ResourceModel,
  records: readonly StoredRecord[],
  fields: ReadonlySet<string> | null,
  scope: WriteScope,
): void {
  if (!locksRows(scope)) return
  const { exclusive } = scope.locks
  for (const { relation } of holdingsOfChange(resource, fields))
    for (const { record } of records) {
      const holder = record[relation.field]
      if (typeof holder === 'string' && !exclusive.has(holder) && !scope.pending.has(holder))
        throw missedLock(relation.target, [holder], 'no key update', scope)
    }
}

function* planRemoval(
  plan: LockPlan,
  resource: ResourceModel,
  ids: readonly string[],
  scope: WriteScope,
): Program<void> {
  for (const { holder, relation } of endingWith(resource)) yield* planOthers(plan, holder, relation, ids, scope)
  for (const relation of linksEndingWith(resource, scope)) yield* planLinked(plan, relation, ids, scope)
}

function* planOthers(
  plan: LockPlan,
  resource: ResourceModel,
  by: OneRelation,
  ids: readonly string[],
  { statements, dialect }: WriteScope,
): Program<void> {
  const others = holdingsOf(resource).filter(({ relation }) => relation !== by)
  if (others.length === 0) return
  const columns = others.map(({ relation }) => relation.column)
  const rows = yield boundTo(statements.holders(resource, by.column, columns), { actor: null, keys: dialect.keys(ids) })
  for (const row of rows)
    for (const [at, { relation }] of others.entries())
      plan.add(relation.target, decodeValue(relation.column, row[at]!, dialect))
}

function* planLinked(
  plan: LockPlan,
  { link, side, target }: LinkRelation,
  ids: readonly string[],
  { statements, dialect }: WriteScope,
): Program<void> {
  const rows = yield boundTo(statements.linked(link, side), { actor: null, keys: dialect.keys(ids) })
  for (const [id] of rows) plan.add(target, id)
}

const replacedLists = (replacements: readonly Replacement[]) =>
  new Set(replacements.filter(({ parent }) => parent === 0).map(({ list }) => list.relation))

const heldLinksOf = (
  inputs: readonly ValidInput[],
  more: readonly (LinkRelation | null)[],
): readonly LinkRelation[] => {
  const sent = inputs.flatMap(({ lists }) => lists.links.map(({ list }) => list.relation as LinkRelation))
  return [...new Set([...sent, ...more])].filter((each) => each !== null && isHeldLink(each.link)) as LinkRelation[]
}

/** Relations whose records are deleted or cleared with a record, and have other holders. */
const endingWith = (resource: ResourceModel): ResourceModel['referrers'] =>
  resource.referrers.filter(
    ({ holder, relation }) =>
      relation.onDelete !== 'restrict' && holdingsOf(holder).some((each) => each.relation !== relation),
  )

function linksEndingWith(resource: ResourceModel, { context }: WriteScope): readonly LinkRelation[] {
  return context.model.links
    .filter(isHeldLink)
    .flatMap((link) =>
      (['source', 'target'] as const).flatMap((side): readonly LinkRelation[] =>
        link[side] === resource
          ? [{ kind: 'manyToMany', field: '', target: link[side === 'source' ? 'target' : 'source'], link, side }]
          : [],
      ),
    )
}
