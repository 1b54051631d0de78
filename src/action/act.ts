// Acts as the service itself, for nobody who asked: what reactions change in the database.

import { asDefined } from '../resource/model/vocabulary.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { Change, RunnerContext } from './context.ts'
import { type EffectRecords, type Noted, withRecords } from './effect.ts'
import { requireInvariantsOf } from './invariant.ts'

/** Other records, as effects change them, but whoever may read them: there is nobody to ask. */
export type ServiceRecords = Pick<EffectRecords, 'lockExisting' | 'change' | 'create' | 'run'>
/**
 * One transaction: what `work` does, and `last` in the end; a failure of either undoes both. No `allow` is asked, and all
 * else holds: the states and checks of moves, invariants, what is unique, events and what they tell.
 */
export type Act = (work: (records: ServiceRecords) => Promise<void>, last: () => Program<void>) => Promise<void>

export function createAct(context: RunnerContext): Act {
  const statements = createWriteStatements(context.dialect)
  const asker = { actor: null, vocabulary: asDefined }

  function* acting(work: (records: ServiceRecords) => Promise<void>, last: () => Program<void>): Program<Change> {
    const now = context.clock()
    const noted: Noted = { others: [], events: [], written: [] }
    yield { run: (run) => withRecords(asker, { context, statements, now, run, noted }, work) }
    yield* requireInvariantsOf(noted.others, statements, context.dialect)
    const change: Change = { action: null, records: [], others: noted.others, events: noted.events }
    if (change.events.length > 0) yield* context.emit(change.events, now)
    yield* context.changed(change, now)
    yield* last()
    return change
  }

  return async (work, last) => {
    context.committed(await context.store.write(() => acting(work, last), { exclusive: true }))
  }
}
