// Deletes records and everything that requires them, in the same transaction. (contract 2.5.3)

import { Failure } from '../failure/failure.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { boundTo, type Prepared } from '../store/sql/sql-text.ts'
import type { Bound, Program, StoredRow } from '../store/store.ts'
import type { OtherChange } from './context.ts'
import { noteDeleted, noteLinks, noteRecord, recordsBefore } from './kept-number.ts'
import type { WriteScope } from './write-scope.ts'

type Referrer = ResourceModel['referrers'][number]
/** Records of one resource that are deleted, and whose referrers are still to be looked at. */
interface Deletion {
  readonly resource: ResourceModel
  readonly ids: readonly string[]
}

/** So many records go in one statement. */
const chunk = 1_000

/**
 * Soft-deletes the records and, level by level, what requires them; clears optional relations to them; removes links.
 * Answers what else was deleted.
 * Fails with BUSINESS_RULE_VIOLATION where something that must stay refers to one of them.
 */
export function* remove(
  resource: ResourceModel,
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly OtherChange[]> {
  const rows = yield about(scope.statements.remove(resource, resource.column.get('id')!), ids, scope)
  yield* noteDeleted(resource, rows, scope)
  const others: OtherChange[] = []
  const deletions: Deletion[] = [{ resource, ids }]
  for (let next = deletions.shift(); next !== undefined; next = deletions.shift()) {
    for (const referrer of next.resource.referrers) {
      const removed = yield* settleReferrer(referrer, next.ids, scope)
      for (const id of removed) others.push({ resource: referrer.holder, id, change: null })
      for (let at = 0; at < removed.length; at += chunk) {
        deletions.push({ resource: referrer.holder, ids: removed.slice(at, at + chunk) })
      }
    }
    yield* removeLinks(next, scope)
  }
  return others
}

/** Does what a relation says of its records once those that they refer to are gone; answers the ids of those that go too. */
function* settleReferrer(
  { holder, relation }: Referrer,
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly string[]> {
  const { statements } = scope
  switch (relation.onDelete) {
    case 'restrict': {
      const [first] = yield about(statements.refers(holder, relation.column), ids, scope)
      if (first === undefined) return []
      const message = `Some ${holder.path.replaceAll('-', ' ')} still need this record.`
      throw new Failure('BUSINESS_RULE_VIOLATION', { message })
    }
    case 'clear':
      yield* clear(holder, relation, ids, scope)
      return []
    case 'cascade': {
      const rows = yield about(statements.remove(holder, relation.column), ids, scope)
      yield* noteDeleted(holder, rows, scope)
      emitEnds(holder, rows, scope)
      return rows.map(([id]) => id as string)
    }
  }
}

/** What ends because it required something tells of it as by a delete of its own. (contract 13.8.1) */
function emitEnds(resource: ResourceModel, rows: readonly StoredRow[], { sideEffects }: WriteScope): void {
  const emit = resource.actions.get('delete')?.emit ?? null
  if (emit === null) return
  for (const row of rows) {
    const by = emit.by === null ? null : (row.at(-1) as string)
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
): Program<void> {
  const records = yield* recordsBefore(holder, column, ids, scope)
  yield about(scope.statements.clear(holder, column), ids, scope)
  for (const each of records) yield* noteRecord(holder, each, { ...each, [field]: null }, scope)
}

function* removeLinks({ resource, ids }: Deletion, scope: WriteScope): Program<void> {
  const { statements, context } = scope
  for (const link of context.model.links) {
    for (const end of ['source', 'target'] as const)
      if (link[end] === resource)
        noteLinks({ link }, yield about(statements.unlinkAll(link, end), ids, scope), -1n, scope)
  }
}

/** Binds a statement to these records and to the time of the write. */
const about = (prepared: Prepared, ids: readonly string[], { dialect, now }: WriteScope): Bound =>
  boundTo(prepared, { actor: null, now: dialect.encode(now, 'timestamp'), keys: dialect.keys(ids) })
