// Answers a repeated idempotency key: its records as the caller may see them now. (contract 4.7)

import { Failure, invariant } from '../../failure/failure.ts'
import { isMoreSeen } from '../../read-plan/mask.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import { type Caller, credentialRefusal, replaying } from '../../resource/actor.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { Write, WriteOutcome } from '../call.ts'
import { linkNames } from '../record-selection.ts'
import { linksIn, type Replayed } from '../row/idempotency.ts'
import type { Answered } from '../row/stored-answer.ts'
import { forEachTarget } from '../target/for-each-target.ts'
import type { WriteScope } from '../write-scope.ts'
import { readWritten, scopedRoot } from './read-written.ts'

/**
 * A guest gets the first answer. For others, fails with NOT_FOUND if a record is gone, with INSUFFICIENT_SCOPE if it now shows
 * more than was answered and the caller has no scope to read.
 */
export function* replay(
  { records: before, created, answer: first }: Replayed,
  call: Write,
  scope: WriteScope,
): Program<WriteOutcome> {
  const { action, actor } = call
  const ids = before.map(({ id }) => id)
  const names = linkNames(action.resource, call.vocabulary)
  invariant(call.root !== null, 'only writes that answer records have idempotency keys')
  const answers = yield* readWritten({ ids, root: scopedRoot(call.root), caller: replaying(actor) }, call, scope)
  const hasTokens = first?.records.some(({ jsonWithoutTokens }) => jsonWithoutTokens !== undefined)
  if (first !== null && (hasTokens || answers.includes(null))) return { ...first, ids, created, replayed: true }
  const records = forEachTarget(answers, (each, index) => {
    if (each === null) throw new Failure(action.resource.notFound)
    if (isMore(each, before[index]!, names)) requireReading(action, actor)
    return each
  })
  return { records, ids, created, replayed: true }
}

const isMore = (now: RecordAnswer, before: Answered, lists: readonly string[]): boolean =>
  now.version !== before.version ||
  now.tally !== before.tally ||
  isMoreSeen(now.mask, before.mask) ||
  (before.links !== undefined && linksIn(now, lists).some((id) => !before.links!.includes(id)))

function requireReading({ resource }: ActionModel, actor: Caller): void {
  if (credentialRefusal(actor, 'read', resource) === null) return
  const message = `This was done before; what has changed since needs the scope read:${resource.path}.`
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}
