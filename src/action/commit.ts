// Writes what was decided: the record, and its links. (contract 4.5)

import type { LinkRelation } from '../resource/model.ts'
import { boundTo, type Prepared } from '../store/sql/text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Bound, Program } from '../store/store.ts'
import type { WriteCall } from './call.ts'
import type { RunnerContext } from './context.ts'
import { changeRecord } from './effect.ts'
import { requireRange } from './range.ts'
import { insertRecord } from './record.ts'
import type { CheckedWrite, Subject } from './subject.ts'

/** Fails with BUSINESS_RULE_VIOLATION where a result fits no column; a value that is taken is a UniqueViolation. */
export function* commit(
  subject: Subject,
  index: number,
  { call, now }: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
): Program<void> {
  const { resource } = call.action
  const { dialect } = context
  const written = Object.fromEntries([...subject.changed].map((field) => [field, subject.after[field]]))
  requireRange(resource, written, (field, message) => ({ field: call.vocabulary.name(resource, field), message }))
  writing.set(call, index)
  if (subject.before === null) yield* insertRecord(resource, subject.after, subject.secrets.hashes, statements, dialect)
  else if (subject.changed.size + subject.secrets.hashes.size > 0) {
    const change = { ...written, ...Object.fromEntries(subject.secrets.hashes) }
    yield* changeRecord(resource, subject.id, change, now, context, statements)
  }
  for (const action of subject.actions) {
    if (action.link !== null) yield linkOf(action.link, subject.id, call.actor!.id, statements.link(action.link.link))
    if (action.unlink !== null)
      yield linkOf(action.unlink, subject.id, call.actor!.id, statements.unlink(action.unlink.link))
  }
}
/** Which target of a call is being written, for a unique violation that the database reports. */
export const writing = new WeakMap<WriteCall, number>()

/** Binds a statement that links or unlinks the record with this id and another. */
export function linkOf(relation: LinkRelation, id: string, other: string, prepared: Prepared): Bound {
  const input = relation.side === 'source' ? [id, other] : [other, id]
  return boundTo(prepared, { actor: null, input })
}
