// Writes what was decided: the record, and its links. (contract 4.5)

import { invariant } from '../failure/failure.ts'
import type { ActionModel, LinkRelation } from '../resource/model/model.ts'
import { boundTo, type Prepared } from '../store/sql/sql-text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Bound, Program } from '../store/store.ts'
import type { WriteCall } from './call.ts'
import type { RunnerContext } from './context.ts'
import { changeRecord, insertRecord } from './record.ts'
import type { CheckedWrite, TargetState } from './target-state.ts'

/** Fails with BUSINESS_RULE_VIOLATION where a result fits no column; a value that is taken is a UniqueViolation. */
export function* commit(
  target: TargetState,
  index: number,
  { call, now }: CheckedWrite,
  { dialect }: RunnerContext,
  statements: WriteStatements,
): Program<void> {
  const { resource } = call.action
  const { id, before, after, changed, secrets } = target
  const authored = {
    fields: authoredFields(target),
    detail: (field: string, message: string) => ({ field: call.vocabulary.name(resource, field), message }),
  }
  writing.set(call, index)
  if (before === null) yield* insertRecord(resource, after, secrets.hashes, statements, dialect, authored)
  else if (changed.size + secrets.hashes.size > 0)
    yield* changeRecord(resource, id, { after, changed, hashes: secrets.hashes, authored }, now, statements, dialect)
  for (const action of target.actions) yield* writeLinks(action, id, call.actor?.id ?? null, statements)
}
/** Which target of a call is being written, for a unique violation that the database reports. */
export const writing = new WeakMap<WriteCall, number>()

/** The fields that `to`, `set` and effects wrote: what was sent has been checked. */
export const authoredFields = ({
  changed,
  after,
  callbackArguments,
}: Pick<TargetState, 'changed' | 'after' | 'callbackArguments'>) =>
  [...changed].filter((field) => after[field] !== callbackArguments.input[field])

/** Puts the actor into the relation that an action links, and takes them out of the one that it unlinks. */
export function* writeLinks(
  { name, resource, link, unlink }: ActionModel,
  id: string,
  actorId: string | null,
  statements: WriteStatements,
): Program<void> {
  if (link === null && unlink === null) return
  invariant(actorId !== null, `somebody asks for ${resource.name}.${name}, which links whoever does`)
  if (link !== null) yield linkOf(link, id, actorId, statements.link(link.link))
  if (unlink !== null) yield linkOf(unlink, id, actorId, statements.unlink(unlink.link))
}

/** Binds a statement that links or unlinks the record with this id and another. */
export function linkOf(relation: LinkRelation, id: string, other: string, prepared: Prepared): Bound {
  const input = relation.side === 'source' ? [id, other] : [other, id]
  return boundTo(prepared, { actor: null, input })
}
