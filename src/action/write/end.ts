// The end of every transaction that writes records. (contract 4.1)

import type { ActionModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { Change, EmittedEvent } from '../context.ts'
import { count } from '../row/count.ts'
import { writeNumbers } from '../row/kept-number.ts'
import { requireInvariants, requireInvariantsOf } from '../target/invariant.ts'
import type { TargetState } from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'

export interface Ending {
  /** Null without a call. */
  readonly action: ActionModel | null
  readonly targets: readonly TargetState[]
  /** They precede the events of effects. */
  readonly events: readonly EmittedEvent[]
}

/** Invariants, events, what depends on the change, and numbers. Fails with BUSINESS_RULE_VIOLATION. */
export function* endWrite({ action, targets, events: own }: Ending, scope: WriteScope): Program<Change> {
  const { context, now, sideEffects, actor: caller, request } = scope
  const { changes: others } = sideEffects
  if (action !== null && action.resource.invariants.length > 0) yield* requireInvariants(action, targets, scope) // 422
  if (others.length > 0) yield* requireInvariantsOf(others, scope) // 422
  const events = [...own, ...sideEffects.events]
  const records = targets.map(({ id, before, after, secrets }) => ({
    id,
    before,
    after,
    secrets: [...secrets.hashes.keys()],
  }))
  const change: Change = { action, records, others, events, caller, request }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  if (sideEffects.uncounted.length > 0) yield* count(sideEffects.uncounted, scope)
  if (scope.numbers.size > 0) yield* writeNumbers(scope)
  return change
}
