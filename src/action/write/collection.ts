// An action on no record: its effect writes, and the answer is what it wrote of the resource.

import { Failure } from '../../failure/failure.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import { callbackActor } from '../callback-actor.ts'
import { effectStep, originOf } from '../code/effect.ts'
import type { EmittedEvent, Written } from '../context.ts'
import { linkNames } from '../record-selection.ts'
import { answeredAs, keepKey } from '../row/idempotency.ts'
import { lockExisting } from '../row/load.ts'
import { countUse } from '../row/token-use.ts'
import { emittedBy } from '../target/move.ts'
import { requireReferences } from '../target/reference.ts'
import type { StageScope } from '../target/stages.ts'
import type { CheckedWrite } from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'
import { endWrite } from './end.ts'
import { readWritten, scopedRoot } from './read-written.ts'

/** Fails with BUSINESS_RULE_VIOLATION as `check` and `effect` do. (contract 4.1) */
export function* collectionWrite(write: CheckedWrite, scope: StageScope): Program<Written> {
  const { call, key, inputs } = write
  const { action, actor } = call
  const { now } = scope
  const [input] = inputs
  yield* requireReferences(action, inputs, [], scope) // 422
  const callbackArguments = { actor: callbackActor(actor, action), now, input: input!.fields, record: {}, tokens: {} }
  yield* scope.code.check(action, callbackArguments, scope) // 422
  yield effectStep(action, callbackArguments, { origin: originOf(action.resource), from: undefined }, scope) // 422, 409
  const ids = ownIds(action, scope)
  const events = yield* eventsOf(action, ids, scope)
  const change = yield* endWrite({ action, targets: [], events }, scope)
  const answers = yield* readWritten({ ids, root: scopedRoot(call.root!), caller: actor }, call, scope)
  // Records that the caller may not read are omitted, now and in replays.
  const readableIds = ids.filter((_, index) => answers[index] !== null)
  const records = answers.filter((each) => each !== null)
  if (key !== null)
    yield* keepKey(
      key,
      { records: answeredAs(readableIds, records, linkNames(action.resource, call.vocabulary)) },
      scope,
    )
  yield* countUse(scope)
  return { outcome: { records, ids: readableIds, created: 0, replayed: false }, change }
}

/** Fails with BUSINESS_RULE_VIOLATION if there are too many. */
function ownIds({ resource }: ActionModel, { context, sideEffects }: WriteScope): readonly string[] {
  const { batch } = context.limits
  const ids = new Set(sideEffects.writes.filter((each) => each.resource === resource).map(({ id }) => id))
  if (ids.size <= batch) return [...ids]
  const message = `It would write ${ids.size} ${resource.path}, and ${batch} is the most at once.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}

/** One per written record. */
function* eventsOf(action: ActionModel, ids: readonly string[], scope: WriteScope): Program<readonly EmittedEvent[]> {
  if (action.emit === null || ids.length === 0) return []
  const records = yield* lockExisting(action.resource, ids.toSorted(), scope)
  const byId = new Map(records.map(({ id, record }) => [id, record]))
  return ids.flatMap((id) => (byId.has(id) ? emittedBy(action, { id, before: null, after: byId.get(id)! }) : []))
}
