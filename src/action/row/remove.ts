// Deletes records and everything that requires them, in one transaction. (contract 2.5.3)

import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { compareLocks } from '../../resource/model/number/lock-order.ts'
import { always } from '../../resource/model/rule/condition.ts'
import { boundTo, type Prepared } from '../../store/sql/text/sql-text.ts'
import { stepRows } from '../../store/sql/write/write.ts'
import type { Bound, Program, StoredRow } from '../../store/store.ts'
import type { OtherChange } from '../context.ts'
import type { WriteScope } from '../write-scope.ts'
import { noteExclusions } from './exclusion.ts'
import { noteChanged, noteDeleted, noteLinks, noteRecords, recordsBefore } from './kept-number.ts'
import { isLate, lockRecords, noteLock } from './lock.ts'
import { lockToLeave } from './tree.ts'

type Referrer = ResourceModel['referrers'][number]
interface Deletion {
  readonly resource: ResourceModel
  readonly ids: readonly string[]
}

/** A long delete gets its own transaction, so that others are served between its steps. */
export class LongDelete extends Error {}

/** Soft-deletes the records, without what refers to them. */
export function* removeRows(resource: ResourceModel, ids: readonly string[], scope: WriteScope): Program<void> {
  yield* lockToLeave(resource, ids, scope, true)
  const rows = yield about(scope.statements.remove(resource, resource.column.get('id')!), ids, scope)
  yield* noteDeleted(resource, rows, scope)
}

/**
 * Level by level: deletes what requires deleted records, clears optional relations, removes links. Returns what else was
 * deleted. Fails with BUSINESS_RULE_VIOLATION if a record that must stay refers to one of them, or too many do.
 */
export function* settleReferrers(
  resource: ResourceModel,
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly OtherChange[]> {
  const others: OtherChange[] = []
  const { dependants: max } = scope.context.limits
  let count = 0
  const deletions: Deletion[] = [{ resource, ids }]
  for (let next = deletions.shift(); next !== undefined; next = deletions.shift()) {
    for (const referrer of inLockOrder(next.resource)) {
      const { holder: resource, relation } = referrer
      let written: number
      do {
        yield* lockLate(referrer, next.ids, scope)
        const ids = yield* settleReferrer(referrer, next.ids, scope)
        count += ids.length
        if (count > max) throw tooManyDependants(max)
        if (relation.onDelete === 'cascade') {
          for (const id of ids) others.push({ resource, id, change: null })
          for (let at = 0; at < ids.length; at += stepRows)
            deletions.push({ resource, ids: ids.slice(at, at + stepRows) })
        }
        written = ids.length
      } while (isMore(written, scope))
    }
    yield* removeLinks(next, scope)
  }
  return others
}

const inLockOrder = memoize(({ referrers }: ResourceModel): readonly Referrer[] =>
  referrers.toSorted((one, other) => compareLocks(one.holder, other.holder)),
)

/** Those that come after all locked records are locked by the statement that writes them. */
function* lockLate({ holder, relation }: Referrer, ids: readonly string[], scope: WriteScope): Program<void> {
  const isWritten = relation.onDelete === 'cascade' || relation.onDelete === 'clear'
  if (!isWritten || !isLate(holder, '', scope)) return
  const which = { condition: always, limit: scope.context.limits.dependants + 1 }
  const rows = yield about(scope.statements.children(holder, relation.column, which), ids, scope)
  yield* lockRecords(
    holder,
    rows.map(([id]) => id as string),
    'no key update',
    scope,
  )
}

function isMore(rows: number, { dialect, isExclusive }: WriteScope): boolean {
  if (rows < stepRows || dialect.engine !== 'sqlite') return false
  if (!isExclusive) throw new LongDelete()
  return true
}

export const tooManyDependants = (max: number): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', {
    message: `More than ${max} records refer to this one, directly or through others: delete some of these first.`,
  })

/** Returns the ids of the records written. */
function* settleReferrer(
  { holder, relation }: Referrer,
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly string[]> {
  const { statements } = scope
  switch (relation.onDelete) {
    case 'leave':
      return []
    case 'restrict': {
      const [first] = yield about(statements.refers(holder, relation.column), ids, scope)
      if (first === undefined) return []
      const message = `Some ${holder.path.replaceAll('-', ' ')} still need this record.`
      throw new Failure('BUSINESS_RULE_VIOLATION', { message })
    }
    case 'clear':
      return yield* clear(holder, relation, ids, scope)
    case 'cascade': {
      const rows = yield about(statements.remove(holder, relation.column), ids, scope)
      yield* noteDeleted(holder, rows, scope)
      emitEnds(holder, rows, scope)
      return idsOf(holder, rows, scope)
    }
  }
}

/** Emits the events of a delete, for records deleted because they required another. (contract 13.8.1) */
function emitEnds(resource: ResourceModel, rows: readonly StoredRow[], { sideEffects }: WriteScope): void {
  const emit = resource.actions.get('delete')?.emit ?? null
  if (emit === null) return
  for (const row of rows) {
    const ids = emit.by === null ? [] : row.slice(-emit.by.branches.length)
    const by = (ids.find((each) => each !== null) ?? null) as string | null
    sideEffects.events.push({
      name: emit.name,
      resource: resource.name,
      id: row[0] as string,
      by,
      tokens: null,
      previous: null,
    })
  }
}

function* clear(
  holder: ResourceModel,
  { field, column }: Referrer['relation'],
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly string[]> {
  const records = yield* recordsBefore(holder, column, ids, scope)
  const rows = yield about(scope.statements.clear(holder, column), ids, scope)
  const changes = records.map((before) => ({ before, after: { ...before, [field]: null } }))
  yield* noteRecords(holder, changes, scope)
  for (const [id] of rows) {
    noteExclusions(holder, id as string, [field], scope)
    noteChanged(holder, id as string, new Set([field]), scope)
  }
  return idsOf(holder, rows, scope)
}

function idsOf(resource: ResourceModel, rows: readonly StoredRow[], scope: WriteScope): readonly string[] {
  const ids = rows.map(([id]) => id as string)
  noteLock(resource, ids, 'no key update', scope)
  return ids
}

function* removeLinks({ resource, ids }: Deletion, scope: WriteScope): Program<void> {
  const { statements, context } = scope
  for (const link of context.model.links) {
    for (const end of ['source', 'target'] as const)
      if (link[end] === resource) {
        let rows: readonly StoredRow[]
        do {
          rows = yield about(statements.unlinkAll(link, end), ids, scope)
          noteLinks({ link }, rows, -1n, scope)
        } while (isMore(rows.length, scope))
      }
  }
}

const about = (prepared: Prepared, ids: readonly string[], { dialect, now }: WriteScope): Bound =>
  boundTo(prepared, { actor: null, now: dialect.encode(now, 'timestamp'), keys: dialect.keys(ids) })
