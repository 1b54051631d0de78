// A write on no record in particular: its effect does everything, and what it wrote of the resource is what it answers.

import { Failure } from '../failure/failure.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import { callbackActor } from './callback-actor.ts'
import { requireCheck } from './check.ts'
import type { Change, EmittedEvent, Written } from './context.ts'
import { countDue } from './count.ts'
import { runEffect } from './effect.ts'
import { answeredAs, keepKey } from './idempotency.ts'
import { requireInvariantsOf } from './invariant.ts'
import { emittedBy } from './move.ts'
import { lockExisting } from './other-record.ts'
import { readWritten } from './read-written.ts'
import { linkNames } from './record-selection.ts'
import { requireReferences } from './reference.ts'
import { scopedRoot } from './scoped-root.ts'
import type { CheckedWrite } from './target-state.ts'
import { countUse } from './token-use.ts'
import type { WriteScope } from './write-scope.ts'

/** Everything behind the idempotency key. Fails with BUSINESS_RULE_VIOLATION, as `check` and `effect` say. (contract 4.1) */
export function* collectionWrite(write: CheckedWrite, scope: WriteScope): Program<Written> {
  const { call, key, inputs } = write
  const { action, actor } = call
  const { context, now, sideEffects } = scope
  const [input] = inputs
  yield* requireReferences(action, inputs, [], scope) // 422
  const callbackArguments = { actor: callbackActor(actor, action), now, input: input!.fields, record: {}, tokens: {} }
  yield* requireCheck(action, callbackArguments, scope) // 422
  yield { run: (run) => runEffect(action, callbackArguments, { write: scope, run, chain: [] }) } // 422
  const ids = ownIds(action, scope)
  yield* requireInvariantsOf(sideEffects.changes, scope)
  const events = [...(yield* eventsOf(action, ids, scope)), ...sideEffects.events]
  const change: Change = { action, records: [], others: sideEffects.changes, events }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  yield* countDue(scope)
  const answers = yield* readWritten({ ids, root: scopedRoot(call.root!), asker: actor }, call, scope)
  // What it wrote need not be readable by whoever asked for it: that is neither answered now nor another time.
  const readableIds = ids.filter((_, index) => answers[index] !== null)
  const records = answers.filter((each) => each !== null)
  if (key !== null)
    yield* keepKey(key, answeredAs(readableIds, records, linkNames(action.resource, call.vocabulary)), scope)
  yield* countUse(scope)
  return { outcome: { records, ids: readableIds, replayed: false, tokens: [] }, change }
}

/** The records of its own resource that it wrote. Fails with BUSINESS_RULE_VIOLATION where they are too many. */
function ownIds({ resource }: ActionModel, { context, sideEffects }: WriteScope): readonly string[] {
  const { batch } = context.limits
  const ids = new Set(sideEffects.writes.filter((each) => each.resource === resource).map(({ id }) => id))
  if (ids.size <= batch) return [...ids]
  const message = `It would write ${ids.size} ${resource.path}, and ${batch} is the most at once.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}

/** One for each record that it wrote. */
function* eventsOf(action: ActionModel, ids: readonly string[], scope: WriteScope): Program<readonly EmittedEvent[]> {
  if (action.emit === null || ids.length === 0) return []
  const records = yield* lockExisting(action.resource, ids.toSorted(), scope)
  const byId = new Map(records.map(({ id, record }) => [id, record]))
  return ids.flatMap((id) => (byId.has(id) ? emittedBy(action, { id, before: null, after: byId.get(id)! }) : []))
}
