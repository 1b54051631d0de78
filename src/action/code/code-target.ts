// Opens the records that code writes: validates new values, loads and locks stored records. Rules are not checked.

import { checkValue } from '../../resource/field/registry.ts'
import type { ArgumentSpec } from '../../resource/field/secret.ts'
import type { Accepted, ActionKind, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { isHeldChange } from '../../resource/model/number/holding.ts'
import type { Program } from '../../store/store.ts'
import { withEithers } from '../input/either-input.ts'
import { noInput } from '../input/list-input.ts'
import { tokensOf } from '../record-selection.ts'
import { fitToFields, refuseValue, requireFields, withoutEithers } from '../row/fit.ts'
import { lockExisting, missingReference, type RowValues } from '../row/load.ts'
import { isLate, locksRows } from '../row/lock.ts'
import { addPending } from '../row/pending.ts'
import { mustCompare, requireUnchanged } from '../row/read-notes.ts'
import { newRecord, withActor } from '../row/record.ts'
import { inheritTenants } from '../row/tenant.ts'
import { emptyLists } from '../target/list-values.ts'
import { lockForRemoval, lockHolders, requireHolders, writtenFields } from '../target/lock-plan.ts'
import { requireState } from '../target/move.ts'
import { noSecrets } from '../target/part.ts'
import {
  makeTokens,
  type Origin,
  type PartTargets,
  partTargets,
  type StagedPart,
  type TargetState,
  targetState,
} from '../target/target-state.ts'
import type { ValidInput } from '../valid-input.ts'
import type { WriteScope } from '../write-scope.ts'

export type CodeTarget = PartTargets<StagedPart>
type Values = Readonly<RowValues>

/** Given values take precedence over `set`. */
export function* openNew(
  resource: ResourceModel,
  given: Values,
  origin: Origin,
  scope: WriteScope,
): Program<CodeTarget> {
  const { actor, now, context } = scope
  const action = resource.actions.get('create') ?? null
  requireFields(`${resource.name}.create`, given)
  const values = withoutEithers(given, resource)
  const names = namesIn(values)
  const givenFields = names.filter((name) => resource.column.has(name))
  refuseUnknown(`${resource.name}.create`, names, [...givenFields, ...(action?.accept ?? []).map(({ field }) => field)])
  const id = context.newId(resource, now)
  const after = newRecord(resource, id, withActor(resource, values, actor), now)
  fitToFields(resource, after, { fields: givenFields })
  if (action?.effect != null || context.model.onWrite !== null) addPending(scope, id, after)
  if (resource.tenants.length > 0) yield* inheritTenants(resource, [after], scope)
  const secrets = makeTokens(tokensOf(resource), context.secrets)
  const input = action === null ? {} : { ...emptyLists(action), ...inputOf(action, { ...values, ...after }) }
  return alone(resource, 'create', { id, action, before: null, after, input, secrets, givenFields }, origin, scope)
}

/** Fails with CONFLICT as the move does, and with BUSINESS_RULE_VIOLATION if the record is gone. */
export function* openMove(
  action: ActionModel,
  id: string,
  given: Values,
  origin: Origin,
  scope: WriteScope,
): Program<CodeTarget> {
  const { resource, accept, kind } = action
  const where = `${resource.name}.${action.name}`
  requireFields(where, given)
  const values = withoutEithers(given, resource)
  const names = namesIn(values)
  refuseUnknown(
    where,
    names,
    accept.map(({ field }) => field),
  )
  const fitting = { ...values }
  fitToFields(resource, fitting, { fields: names.filter((name) => resource.column.has(name)) })
  const input = inputOf(action, fitting)
  const written = writtenFields(action, [{ fields: input }], scope)
  const before = yield* loadLocked(resource, id, written, input, scope)
  requireState(action, before, scope.vocabulary)
  return alone(resource, kind, { id, action, before, after: { ...before }, input }, origin, scope)
}

/** Fails with BUSINESS_RULE_VIOLATION if the record is gone. */
export function* openRemoval(
  resource: ResourceModel,
  id: string,
  origin: Origin,
  scope: WriteScope,
): Program<CodeTarget> {
  yield* lockForRemoval(resource, id, scope)
  const before = yield* loadLocked(resource, id, null, {}, scope)
  const action = resource.actions.get('delete') ?? null
  return alone(resource, 'delete', { id, action, before, after: { ...before } }, origin, scope)
}

export type ChangeInput = Values | ((record: Values) => Values)

/**
 * Whatever the actions accept. Reads the record only for the hook, its holders, a comparison with an earlier read, or a function:
 * its fields are known only once the record is locked, and so are its holders.
 */
export function* openChange(
  resource: ResourceModel,
  id: string,
  given: ChangeInput,
  origin: Origin,
  scope: WriteScope,
): Program<CodeTarget> {
  let before: Values | null = null
  let sent: Values
  if (typeof given === 'function') {
    before = yield* loadLocked(resource, id, null, {}, scope)
    sent = given(before)
  } else sent = given
  requireFields(`${resource.name}.change`, sent)
  const values = withoutEithers(sent, resource)
  const isHooked = scope.context.model.onWrite !== null && !origin.isHook
  const written = new Set(Object.keys(values))
  const mustRead =
    isHooked ||
    (locksRows(scope) && (isHeldChange(resource, written) || mustCompare(id, scope))) ||
    mustLock(resource, id, scope)
  if (before === null && mustRead) before = yield* loadLocked(resource, id, isHooked ? null : written, values, scope)
  const change = alone(resource, 'update', { id, action: null, before, after: { ...before, ...values } }, origin, scope)
  for (const field of written) change.targets[0]!.changed.add(field)
  return change
}

/** A change of a record that is not locked waits for it. */
const mustLock = (resource: ResourceModel, id: string, scope: WriteScope): boolean =>
  !scope.locks.exclusive.has(id) && isLate(resource, id, scope)

/**
 * Locks its holders first; `values` are the new ones. Fails with BUSINESS_RULE_VIOLATION if the record is gone. Throws LostRace if it
 * differs from what code has read, or has other holders.
 */
function* loadLocked(
  resource: ResourceModel,
  id: string,
  written: ReadonlySet<string> | null,
  values: Values,
  scope: WriteScope,
): Program<Values> {
  yield* lockHolders(resource, id, written, values, scope)
  const [loaded] = yield* lockExisting(resource, [id], scope)
  if (loaded === undefined) throw missingReference()
  requireHolders(resource, [loaded], written, scope)
  requireUnchanged(resource, loaded, scope)
  return loaded.record
}

interface Opened extends Pick<TargetState, 'id' | 'before' | 'after' | 'givenFields'> {
  readonly action: ActionModel | null
  readonly input?: Values
  readonly secrets?: TargetState['secrets']
}

function alone(
  resource: ResourceModel,
  kind: ActionKind,
  { action, input = {}, secrets = noSecrets, ...opened }: Opened,
  origin: Origin,
  scope: WriteScope,
): CodeTarget {
  const target = targetState({ ...opened, input, actions: action === null ? [] : [action], secrets }, scope)
  return partTargets({ action: { resource, kind }, inputs: [noInput], origin }, [target])
}

const namesIn = (values: Values): readonly string[] => Object.keys(values).filter((name) => values[name] !== undefined)

export const emptyInput = (action: ActionModel): ValidInput => ({ ...noInput, fields: inputOf(action, {}) })

/** Throws if code omits what the action requires. */
function inputOf(action: ActionModel, values: Readonly<RowValues>): RowValues {
  const where = `${action.resource.name}.${action.name}`
  const fields = action.accept.map((each) => [each.field, acceptedValue(each, values[each.field], where)])
  return withEithers(Object.fromEntries(fields), action)
}

function acceptedValue({ field, spec, column, initial }: Accepted, value: unknown, where: string): unknown {
  if (column?.secret === true) throw new Error(`${where} takes ${field}, a secret that only clients can send.`)
  if (value === undefined) {
    const missing = initial?.()
    if (missing === undefined) throw new Error(`The service's own code runs ${where} without ${field}, which it needs.`)
    return missing
  }
  if (column !== null) return value
  const { of, optional = false } = spec as ArgumentSpec
  return checkValue({ ...of, optional }, value, (path, message) =>
    refuseValue(`${where}, for ${field}${path},`, message),
  )
}

function refuseUnknown(where: string, names: readonly string[], accepted: readonly string[]): void {
  const unknown = names.find((name) => !accepted.includes(name))
  if (unknown !== undefined)
    throw new Error(`The service's own code gives ${where} ${unknown}, which it does not take.`)
}
