// A write on no record in particular: its effect does everything, and what it wrote of the resource is what it answers.

import { Failure } from '../failure/failure.ts'
import { runRecords } from '../read-plan/run.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import type { Change, EmittedEvent, RunnerContext, Written } from './context.ts'
import { type Noted, runEffect } from './effect.ts'
import { answeredAs, keepKey } from './idempotency.ts'
import { requireInvariantsOf } from './invariant.ts'
import { callbackActor, emittedBy, refusedBy, requireRule } from './move.ts'
import { lockExisting } from './other-record.ts'
import { requireReferences } from './reference.ts'
import { scopedRoot } from './scoped-root.ts'
import type { CheckedWrite } from './target-state.ts'

/** Everything behind the idempotency key. Fails with BUSINESS_RULE_VIOLATION, as `check` and `effect` say. (contract 4.1) */
export function* collectionWrite(
  write: CheckedWrite,
  context: RunnerContext,
  statements: WriteStatements,
): Program<Written> {
  const { call, now, key, inputs } = write
  const { action, actor, vocabulary } = call
  const { dialect, model, limits } = context
  const [input] = inputs
  yield* requireReferences(action, inputs, actor, vocabulary, model, statements) // 422
  const callbackArguments = { actor: callbackActor(actor), now, input: input!.fields, record: {}, tokens: {} }
  requireRule(action, callbackArguments) // 422
  const noted: Noted = { others: [], events: [], written: [] }
  yield {
    run: async (run) => {
      const scope = { context, statements, now, run, noted }
      const sentence = await runEffect(action, callbackArguments, null, call, scope)
      if (typeof sentence === 'string') throw refusedBy(sentence)
    },
  }
  const own = noted.written.filter(({ resource }) => resource === action.resource)
  const ids = [...new Set(own.map(({ id }) => id))]
  if (ids.length > limits.batch) {
    const message = `It would write ${ids.length} ${action.resource.path}, and ${limits.batch} is the most at once.`
    throw new Failure('BUSINESS_RULE_VIOLATION', { message })
  }
  yield* requireInvariantsOf(noted.others, statements, dialect)
  const events = [...(yield* eventsOf(write, ids, context, statements)), ...noted.events]
  const change: Change = { action, records: [], others: noted.others, events }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  const plan = context.plans.plan(scopedRoot(call.root!), actor)
  const found = yield* runRecords(plan, { actor: actor?.id ?? null, ids, lists: call.lists, size: call.size }, dialect)
  // What it wrote need not be readable by whoever asked for it: that is neither answered now nor another time.
  const told = ids.filter((_, index) => found[index] !== null)
  const records = found.filter((each) => each !== null)
  if (key !== null) yield* keepKey(key, answeredAs(told, records), now, dialect)
  return { outcome: { records, ids: told, replayed: false, tokens: [] }, change }
}

/** One for each record that it wrote. */
function* eventsOf(
  { call: { action } }: CheckedWrite,
  ids: readonly string[],
  { dialect }: RunnerContext,
  statements: WriteStatements,
): Program<readonly EmittedEvent[]> {
  if (action.emit === null || ids.length === 0) return []
  const written = yield* lockExisting(action.resource, ids.toSorted(), statements, dialect)
  const byId = new Map(written.map(({ id, record }) => [id, record]))
  return ids.flatMap((id) => (byId.has(id) ? emittedBy(action, id, byId.get(id)!) : []))
}
