// What a write answers: records as they are in its own transaction, seen by one asker.

import { type RecordAnswer, runRecords } from '../read-plan/run.ts'
import { type Asker, shownBy } from '../resource/actor.ts'
import type { Program } from '../store/store.ts'
import type { WriteCall } from './call.ts'
import type { WriteScope } from './write-scope.ts'

export interface WrittenRecords {
  readonly ids: readonly string[]
  readonly root: NonNullable<WriteCall['root']>
  readonly asker: Asker
}

/** The records with these ids, in their order; null for each that the asker may not read. */
export function* readWritten(
  { ids, root, asker }: WrittenRecords,
  { lists, size }: Pick<WriteCall, 'lists' | 'size'>,
  { context, dialect, now }: Pick<WriteScope, 'context' | 'dialect' | 'now'>,
): Program<readonly (RecordAnswer | null)[]> {
  const reading = { ...shownBy(asker), requestTime: now, ids, lists, size }
  return yield* runRecords(context.plans.plan(root, asker), reading, dialect)
}
