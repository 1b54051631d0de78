// Reads the answer of a write in its transaction.

import { memoize } from '../../cache/memoize.ts'
import { type Arguments, type RecordAnswer, runRecords } from '../../read-plan/run.ts'
import { type Caller, shownBy } from '../../resource/actor.ts'
import type { Program } from '../../store/store.ts'
import type { WriteCall } from '../call.ts'
import type { WriteScope } from '../write-scope.ts'

export interface WrittenRecords {
  readonly ids: readonly string[]
  readonly root: NonNullable<WriteCall['root']>
  readonly caller: Caller
  readonly tokens?: Arguments['tokens']
}

/** In the order of the ids; null if the caller may not read it. */
export function* readWritten(
  { ids, root, caller, tokens }: WrittenRecords,
  { lists, size }: Pick<WriteCall, 'lists' | 'size'>,
  { context, dialect, now }: Pick<WriteScope, 'context' | 'dialect' | 'now'>,
): Program<readonly (RecordAnswer | null)[]> {
  const reading = { ...shownBy(caller), requestTime: now, ids, tokens, lists, size }
  return yield* runRecords(context.plans.plan(root, caller), reading, dialect)
}

/** Restricted to records that the caller may read. One per root, so that its plan is reused. */
export const scopedRoot = memoize((root: WrittenRecords['root']): WrittenRecords['root'] => ({ ...root, scoped: true }))
