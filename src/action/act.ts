// Acts as the service itself, for nobody who asked: what reactions change in the database.

import { theService } from '../resource/actor.ts'
import { asDefined } from '../resource/model/vocabulary.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { Change, RunnerContext } from './context.ts'
import { countDue } from './count.ts'
import { type EffectRecords, withRecords } from './effect.ts'
import { requireInvariantsOf } from './invariant.ts'
import { openWriteScope, type WriteScope } from './write-scope.ts'

/** Other records, as effects change them, but whoever may read them: there is nobody to ask. */
export type FinishRecords = Omit<EffectRecords, 'lockReadable'>
/**
 * One transaction: what `work` does, and `last` in the end; a failure of either undoes both. No `allow` is asked, and all
 * else holds: the states and checks of moves, invariants, what is unique, events and what they tell.
 */
export type Act = (work: (records: FinishRecords) => Promise<void>, last?: () => Program<void>) => Promise<void>

export function createAct(context: RunnerContext): Act {
  const statements = createWriteStatements(context.dialect)
  return async (work, last) => {
    const program = () => acting(work, last, { context, statements })
    context.committed(await context.store.write(program, { exclusive: true }))
  }
}

function* acting(
  work: Parameters<Act>[0],
  last: Parameters<Act>[1],
  { context, statements }: Pick<WriteScope, 'context' | 'statements'>,
): Program<Change> {
  const now = context.clock()
  const scope = openWriteScope(context, statements, now, { actor: theService, vocabulary: asDefined })
  yield { run: (run) => withRecords({ write: scope, run, chain: [] }, work) }
  const { changes, events } = scope.sideEffects
  yield* requireInvariantsOf(changes, scope)
  const change: Change = { action: null, records: [], others: changes, events }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  yield* countDue(scope)
  if (last !== undefined) yield* last()
  return change
}
