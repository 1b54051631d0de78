// Moves due records as the service itself, by the stages of every write. Without a caller, no rule is evaluated.

import { theService } from '../../resource/actor.ts'
import type { TimedMove } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import type { Program } from '../../store/store.ts'
import { emptyInput } from '../code/code-target.ts'
import type { Change, RunnerContext } from '../context.ts'
import { loadReadable, lockExisting } from '../row/load.ts'
import { lockAhead, locksAhead, requireHolders, writtenFields } from '../target/lock-plan.ts'
import { noSecrets } from '../target/part.ts'
import { decideAll, eventsOf, finish, note, type StageScope, settleRemoved } from '../target/stages.ts'
import { partTargets, statesOf } from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'
import { endWrite } from './end.ts'
import { createTransact } from './transact.ts'

export interface DueMove {
  readonly move: TimedMove
  readonly ids: readonly string[]
  /** The time of the work. */
  readonly now: Date
  /** Also records that were refused before. */
  readonly includesParked: boolean
}
/**
 * Moves those of the records that are still due and that no other transaction holds; `last` ends the transaction and is given their
 * ids. Returns how many. Fails as the move does.
 */
export type MoveDue = (due: DueMove, last: (ids: readonly string[]) => Program<void>) => Promise<number>

export function createMoveDue(context: RunnerContext): MoveDue {
  const transact = createTransact(context, createWriteStatements(context.dialect))
  return async (due, last) => {
    const { action } = due.move
    const { resource } = action
    const runsEffects = context.model.onWrite !== null || action.effect !== null
    const isExclusive = runsEffects || action.checkReads
    const opening = {
      actor: theService,
      vocabulary: asDefined,
      request: null,
      resource,
      resources: [resource],
    } as const
    const program = (scope: StageScope) => moving(due, last, scope)
    return (await transact({ ...opening, now: due.now, isExclusive, runsEffects }, program)).count
  }
}

function* moving(
  due: DueMove,
  last: (ids: readonly string[]) => Program<void>,
  scope: StageScope,
): Program<{ readonly change: Change | null; readonly count: number }> {
  const { action } = due.move
  const { resource } = action
  yield* lockHoldersOf(due, scope)
  const ids = yield* lockDue(due, scope)
  if (ids.length === 0) {
    yield* last(ids)
    return { change: null, count: 0 }
  }
  const loaded = yield* lockExisting(resource, ids, scope)
  const inputs = loaded.map(() => emptyInput(action))
  requireHolders(resource, loaded, writtenFields(action, inputs, scope), scope)
  const targets = statesOf({ action, inputs, secrets: loaded.map(() => noSecrets) }, loaded, scope)
  const part = partTargets({ action, inputs }, targets)
  yield* decideAll(targets, scope)
  yield* finish(part, scope)
  yield* settleRemoved(part, scope)
  note(part, false, scope)
  const change = yield* endWrite({ action: null, targets: [], events: targets.flatMap(eventsOf) }, scope)
  yield* last(ids)
  return { change, count: ids.length }
}

/** Holders of kept numbers are locked before the records that they count. */
function* lockHoldersOf({ move: { action }, ids }: DueMove, scope: WriteScope): Program<void> {
  const write = { action, inputs: ids.map(() => emptyInput(action)), children: [], replacements: [] }
  if (!locksAhead(write, scope)) return
  const records = yield* loadReadable(action.resource, ids, [], scope)
  yield* lockAhead(
    write,
    records.filter((each) => each !== null),
    scope,
  )
}

function* lockDue({ move, ids, now, includesParked }: DueMove, scope: WriteScope): Program<readonly string[]> {
  const { statements, dialect } = scope
  const rows = yield boundTo(statements.lockDue(move, includesParked), {
    actor: null,
    keys: dialect.keys(ids),
    input: [dialect.encode(now, 'timestamp')],
  })
  return rows.map(([id]) => id as string)
}
