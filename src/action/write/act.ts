// Writes as the service itself, without a caller, for reactions.

import { theService } from '../../resource/actor.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import type { Program } from '../../store/store.ts'
import { codeStep, originOf } from '../code/effect.ts'
import type { Act, FinishRecords } from '../code/own-records.ts'
import type { Change, RunnerContext } from '../context.ts'
import type { StageScope } from '../target/stages.ts'
import { endWrite } from './end.ts'
import { createTransact } from './transact.ts'

export function createAct(context: RunnerContext): Act {
  const transact = createTransact(context, createWriteStatements(context.dialect))
  const opening = { actor: theService, vocabulary: asDefined, request: null, resource: null, resources: [] } as const
  return async (work, last) => {
    const now = context.clock()
    const program = (scope: StageScope) => acting(work, last, scope)
    return (await transact({ ...opening, now, isExclusive: true, runsEffects: true }, program)).result
  }
}

function* acting<T>(
  work: (records: FinishRecords) => Promise<T>,
  last: (() => Program<void>) | undefined,
  scope: StageScope,
): Program<{ readonly change: Change; readonly result: T }> {
  const outcome: { result?: T } = {}
  yield codeStep({ origin: originOf(null), from: undefined }, scope, async (records) => {
    outcome.result = await work(records)
  })
  const change = yield* endWrite({ action: null, targets: [], events: [] }, scope)
  if (last !== undefined) yield* last()
  return { change, result: outcome.result as T }
}
