// Writes all records that match a condition: finds them before the transaction, which may take long, and checks them again in
// it. (contract 12.1.14, 13.7)

import { memoize } from '../../cache/memoize.ts'
import { Failure, invariant, placeFailure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { runAggregate, runList } from '../../read-plan/run.ts'
import { shownBy } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import { authorizeActor, authorizeWhere } from '../authorize.ts'
import type { Write, WriteSelection } from '../call.ts'
import type { Written } from '../context.ts'
import { aggregateInput, readAggregate } from '../question/aggregate.ts'
import { ofFewTenants } from '../question/few-tenants.ts'
import { conditionMax } from '../question/write-selection.ts'
import { keepKey, replayed } from '../row/idempotency.ts'
import { type Loaded, loadReadable } from '../row/load.ts'
import { lockRecords } from '../row/lock.ts'
import type { StageScope } from '../target/stages.ts'
import { type CheckedWrite, lockBefore } from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'
import { withIds, writeProgram } from './write.ts'

/** Fails as reading a list of them. */
export function authorizeSelection({ action, actor, selection }: Write): void {
  authorizeActor(action.resource.read, actor)
  if (selection != null) authorizeWhere(selection.root.list.where, actor)
}

/** Fails as the same write by ids, and with BUSINESS_RULE_VIOLATION if there are too many. */
export function* bulkProgram(checked: CheckedWrite, selected: Selected, scope: StageScope): Program<Written> {
  const { key } = checked
  const before = key === null ? null : yield* replayed(key, scope.context.limits.idempotencySeconds, scope)
  // A replay does not depend on what matches now.
  const answered = before?.records.map(({ id }) => id)
  if (answered !== undefined) return withIds(answered, true)
  if ('error' in selected) throw selected.error
  const ids = yield* confirm(checked, selected.ids, scope)
  if (ids.length === 0) {
    if (key !== null) yield* keepKey(key, { records: [] }, scope)
    return withIds(ids)
  }
  try {
    return yield* writeProgram([writeOf(checked, ids)], scope)
  } catch (error) {
    throw error instanceof Failure ? namingIds(error, ids) : error
  }
}

function writeOf(checked: CheckedWrite, ids: readonly string[]): CheckedWrite {
  const { call, inputs, secrets } = checked
  const [target] = call.targets
  const ofEach = <T>([one]: readonly T[]): T[] => ids.map(() => one!)
  const targets = ids.map((id) => ({ ...target!, id }))
  return { ...checked, call: { ...call, targets }, inputs: ofEach(inputs), secrets: ofEach(secrets) }
}

/** The ids found before the transaction, or why it will fail. */
export type Selected = { readonly ids: readonly string[] } | { readonly error: unknown }
type Selecting = Pick<CheckedWrite, 'call' | 'inputs'>
type ReadContext = Pick<WriteScope, 'context' | 'now' | 'dialect'>

export function* selectProgram({ call, inputs }: Selecting, reading: ReadContext): Program<readonly string[]> {
  const { action } = call
  const { limits } = reading.context
  const found = yield* ofFewTenants(matches(call, reading), () => tooManyTenants(limits))
  const max = conditionMax([action, ...inputs.flatMap(({ also }) => also)], limits)
  if (!found.hasNext && found.ids.length <= max) return found.ids
  const count = yield* countOf(call, reading)
  const message = `It would write ${count} ${action.resource.path}, and ${max} is the most at once.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}

/** Locks them. Returns those that still match. */
function* confirm(checked: CheckedWrite, ids: readonly string[], scope: WriteScope): Program<readonly string[]> {
  if (ids.length === 0) return ids
  const { call } = checked
  const { resource } = call.action
  yield* lockBefore(writeOf(checked, ids), () => loadFound(resource, ids, scope), scope)
  yield* lockRecords(resource, ids, 'no key update', scope)
  const again = new Set((yield* matches(call, scope, ids)).ids)
  return ids.filter((id) => again.has(id))
}

function* loadFound(resource: ResourceModel, ids: readonly string[], scope: WriteScope): Program<readonly Loaded[]> {
  return (yield* loadReadable(resource, ids, [], scope)).filter((each) => each !== null)
}

/** No filter can name a tenant here. (contract 10.2.16) */
const tooManyTenants = ({ listTenants: max }: Limits) =>
  new Failure('VALIDATION_ERROR', {
    details: [{ field: 'where', message: `You are in more than ${max} tenants: send ids.` }],
  })

function* matches(
  { selection, actor }: Write,
  { context, now, dialect }: ReadContext,
  ids?: readonly string[],
): Program<{ readonly ids: readonly string[]; readonly hasNext: boolean }> {
  const { root, list } = selection!
  const foundIds = ids === undefined ? {} : { foundIds: ids }
  const args = {
    ...shownBy(actor),
    requestTime: now,
    list: { ...list, ...foundIds },
    lists: [],
    tenantsMax: context.limits.listTenants,
  }
  const plan = context.plans.plan(ids === undefined ? root : rootAmong(root), actor)
  const answer = yield* runList(plan, args, dialect)
  invariant(answer?.json != null, 'a list of ids is within no record, and nothing in it is refused')
  const records = JSON.parse(answer.json) as readonly { readonly id: string }[]
  return { ids: records.map(({ id }) => id), hasNext: answer.hasNext }
}

/** One per root, so that its plan is reused. */
const rootAmong = memoize((root: WriteSelection['root']): WriteSelection['root'] => ({
  ...root,
  list: { ...root.list, isAmong: true },
}))

function* countOf({ selection, actor }: Write, { context, now, dialect }: ReadContext): Program<number> {
  const counted = aggregateInput(selection!, null) as WriteSelection
  const args = {
    ...shownBy(actor),
    requestTime: now,
    list: counted.list,
    lists: [],
    tenantsMax: context.limits.listTenants,
  }
  const row = yield* runAggregate(context.plans.plan(counted.root, actor), args, dialect)
  return readAggregate(row, counted.root, dialect) as number
}

/** The client sent no places, so failures name ids. */
function namingIds(failure: Failure, ids: readonly string[]): Failure {
  const { message, details, target } = failure
  const all = details ?? (target === undefined ? [] : [{ field: '', message, target }])
  const idDetails = all.map((each) => {
    const at = each.target ?? target
    if (at === undefined) return each
    const field = each.field === '' ? ids[at]! : `${ids[at]}.${each.field}`
    return { field, message: each.message }
  })
  return placeFailure(failure, { details: idDetails.length === 0 ? undefined : idDetails, target: undefined })
}
