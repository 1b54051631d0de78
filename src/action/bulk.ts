// A write of all records for which a condition holds: finds them in its own transaction, and then does as if their ids were sent.
// (contract 13.7)

import { Failure, invariant } from '../failure/failure.ts'
import { runAggregate, runList, TooManyTenants } from '../read-plan/run.ts'
import { shownBy } from '../resource/actor.ts'
import type { Program } from '../store/store.ts'
import { aggregateInput, readAggregate } from './aggregate.ts'
import { authorizeActor, authorizeWhere } from './authorize.ts'
import type { Write, WriteSelection } from './call.ts'
import type { Written } from './context.ts'
import { keepKey, replayed } from './idempotency.ts'
import { lockExisting } from './other-record.ts'
import type { CheckedWrite } from './target-state.ts'
import { writeProgram } from './write.ts'
import type { WriteScope } from './write-scope.ts'
import { conditionMax } from './write-selection.ts'

/** Whether the actor may read such records, and ask this of them. Fails like reading a list of them. */
export function authorizeSelection({ action, actor, selection }: Write): void {
  authorizeActor(action.resource.read, actor)
  if (selection != null) authorizeWhere(selection.root.list.where, actor)
}

/**
 * Fails as the same write of these ids does, telling the id of what it fails for, and with BUSINESS_RULE_VIOLATION where they are
 * too many.
 */
export function* bulkProgram(checked: CheckedWrite, scope: WriteScope): Program<Written> {
  const { key } = checked
  const before = key === null ? null : yield* replayed(key, scope.context.limits.idempotencySeconds, scope)
  // What the condition holds for by now is another matter.
  if (before !== null)
    return counted(
      before.map(({ id }) => id),
      true,
    )
  const ids = yield* select(checked, scope)
  if (ids.length === 0) {
    if (key !== null) yield* keepKey(key, [], scope)
    return counted(ids, false)
  }
  const { call, inputs, secrets } = checked
  const [target] = call.targets
  const ofEach = <T>([one]: readonly T[]): T[] => ids.map(() => one!)
  const targets = ids.map((id) => ({ ...target!, id }))
  const write = { ...checked, call: { ...call, targets }, inputs: ofEach(inputs), secrets: ofEach(secrets) }
  try {
    return yield* writeProgram(write, scope)
  } catch (error) {
    throw error instanceof Failure ? withIds(error, ids) : error
  }
}

const counted = (ids: readonly string[], isReplayed: boolean): Written => ({
  outcome: { records: [], ids, replayed: isReplayed, tokens: [] },
  change: null,
})

function* select({ call, inputs }: CheckedWrite, scope: WriteScope): Program<readonly string[]> {
  const { action } = call
  const { limits } = scope.context
  const found = yield* ofFewTenants(matches(call, scope), limits.listTenants)
  const max = conditionMax([action, ...inputs.flatMap(({ also }) => also)], limits)
  if (found.hasNext || found.ids.length > max) {
    const count = yield* countOf(call.selection!, scope)
    const message = `It would write ${count} ${action.resource.path}, and ${max} is the most at once.`
    throw new Failure('BUSINESS_RULE_VIOLATION', { message })
  }
  if (scope.dialect.engine === 'sqlite' || found.ids.length === 0) return found.ids
  // What was changed before it was locked is asked again.
  yield* lockExisting(action.resource, found.ids.toSorted(), scope)
  const again = new Set((yield* matches(call, scope)).ids)
  return found.ids.filter((id) => again.has(id))
}

/** No filter can name one of them here. (contract 10.2.16) */
function* ofFewTenants<T>(found: Program<T>, max: number): Program<T> {
  try {
    return yield* found
  } catch (error) {
    if (!(error instanceof TooManyTenants)) throw error
    throw new Failure('VALIDATION_ERROR', {
      details: [{ field: 'where', message: `You are in more than ${max} tenants: send ids.` }],
    })
  }
}

function* matches(
  { selection, actor }: Write,
  { context, now, dialect }: WriteScope,
): Program<{ readonly ids: readonly string[]; readonly hasNext: boolean }> {
  const { root, list } = selection!
  const args = { ...shownBy(actor), requestTime: now, list, lists: [], tenantsMax: context.limits.listTenants }
  const answer = yield* runList(context.plans.plan(root, actor), args, dialect)
  invariant(answer?.json != null, 'a list of ids is within no record, and nothing in it is refused')
  const records = JSON.parse(answer.json) as readonly { readonly id: string }[]
  return { ids: records.map(({ id }) => id), hasNext: answer.hasNext }
}

function* countOf(selection: WriteSelection, { context, actor, now, dialect }: WriteScope): Program<number> {
  const counted = aggregateInput(selection, null) as WriteSelection
  const args = { ...shownBy(actor), requestTime: now, list: counted.list, lists: [] }
  const row = yield* runAggregate(context.plans.plan(counted.root, actor), args, dialect)
  return readAggregate(row, counted.root, dialect) as number
}

/** The client sent no places, so what is wrong with one record is told by its id. */
function withIds({ code, message, details, target }: Failure, ids: readonly string[]): Failure {
  const all = details ?? (target === undefined ? [] : [{ field: '', message, target }])
  const idDetails = all.map((each) => {
    const at = each.target ?? target
    if (at === undefined) return each
    const field = each.field === '' ? ids[at]! : `${ids[at]}.${each.field}`
    return { field, message: each.message }
  })
  return new Failure(code, { message, ...(idDetails.length === 0 ? {} : { details: idDetails }) })
}
