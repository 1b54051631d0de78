// Records that an effect creates and moves: decided and written as a client's are, but for `allow`. Between the two, the
// action's own effect runs.

import { checkValue } from '../resource/field/registry.ts'
import type { ArgumentSpec } from '../resource/field/secret.ts'
import type { Accepted, ActionModel, ResourceModel } from '../resource/model/model.ts'
import { noAsker } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { callbackActor } from './callback-actor.ts'
import { authoredFields, writeLinks } from './commit.ts'
import { fitToFields, unfit } from './fit.ts'
import { type RowValues, recordFrom, visibleColumns } from './load.ts'
import { hasContributors, lockContributors } from './lock-order.ts'
import { type CallbackArguments, changesOf, refusedBy, requireRule, requireState, storedOf } from './move.ts'
import { addPending, writeInTurn } from './pending.ts'
import { changeRecord, insertRecord, newRecord, withActor } from './record.ts'
import { missingReference, requireRelated } from './reference.ts'
import { makeTokens, put, type TargetState } from './target-state.ts'
import { requireOneTenant } from './tenant.ts'
import type { RowScope, WriteScope } from './write-scope.ts'

/** A record on its way: what its action decided, and what an effect may still fill in. */
export interface OtherRecord extends Pick<TargetState, 'id' | 'before' | 'after' | 'changed' | 'callbackArguments'> {
  readonly resource: ResourceModel
  /** Null for a record of a resource that clients cannot create. */
  readonly action: ActionModel | null
  readonly hashes: ReadonlyMap<string, string>
  /** The fields of a new record that are given. */
  readonly fields: readonly string[]
}

/** A record that is created, as far as it is given. What is given wins over what `set` would fill in. */
export function beginCreate(resource: ResourceModel, values: Readonly<RowValues>, scope: WriteScope): OtherRecord {
  const { actor, now, context } = scope
  const action = resource.actions.get('create') ?? null
  const names = Object.keys(values).filter((name) => values[name] !== undefined)
  const fields = names.filter((name) => resource.column.has(name))
  refuseUnknown(`${resource.name}.create`, names, [...fields, ...(action?.accept ?? []).map(({ field }) => field)])
  const id = context.newId(resource, now)
  const after = newRecord(resource, id, withActor(resource, values, actor), now)
  fitToFields(resource, after, { fields })
  const { hashes, tokens } = makeTokens(resource, context.secrets)
  const input = action === null ? {} : inputOf(action, { ...values, ...after })
  if (action?.effect != null || context.model.onWrite !== null) addPending(scope, id, after)
  const callbackArguments = { id, actor: callbackActor(actor, action), now, input, record: after, tokens }
  return { resource, action, id, before: null, after, changed: new Set(), callbackArguments, hashes, fields }
}

/**
 * Puts what its action fills in. Fails with BUSINESS_RULE_VIOLATION as the `check` says; `verdict` is what an asynchronous one said,
 * null where it is to be asked.
 */
export function decideOther(target: OtherRecord, verdict: true | string | null): void {
  const { action, before, callbackArguments, fields } = target
  if (action === null) return
  if (verdict === null) requireRule(action, callbackArguments)
  else if (verdict !== true) throw refusedBy(verdict)
  if (before !== null) put(target, storedOf(action, callbackArguments.input))
  put(target, changesOf(action, callbackArguments, fields))
}

/** A record that is moved. Fails with CONFLICT as the move says, and with BUSINESS_RULE_VIOLATION where the record is gone. */
export function* beginMove(
  action: ActionModel,
  id: string,
  values: Readonly<RowValues>,
  scope: WriteScope,
): Program<OtherRecord> {
  const { actor, vocabulary, now } = scope
  const { resource, accept } = action
  const names = Object.keys(values).filter((name) => values[name] !== undefined)
  refuseUnknown(
    `${resource.name}.${action.name}`,
    names,
    accept.map(({ field }) => field),
  )
  const fitting = { ...values }
  fitToFields(resource, fitting, { fields: names.filter((name) => resource.column.has(name)) })
  const input = inputOf(action, fitting)
  const [loaded] = yield* lockExisting(resource, [id], scope)
  if (loaded === undefined) throw missingReference()
  const before = loaded.record
  requireState(action, before, vocabulary)
  const callbackArguments: CallbackArguments = {
    id,
    actor: callbackActor(actor, action),
    now,
    input,
    record: before,
    tokens: {},
  }
  const hashes: ReadonlyMap<string, string> = new Map()
  return {
    resource,
    action,
    id,
    before,
    after: { ...before },
    changed: new Set<string>(),
    callbackArguments,
    hashes,
    fields: [],
  }
}

/** The record that an effect deletes. Fails with BUSINESS_RULE_VIOLATION where it is gone. */
export function* beginRemove(resource: ResourceModel, id: string, scope: WriteScope): Program<OtherRecord> {
  const { actor, now } = scope
  if (hasContributors(resource, scope)) yield* lockContributors(resource, [id], scope)
  const [loaded] = yield* lockExisting(resource, [id], scope)
  if (loaded === undefined) throw missingReference()
  const { record } = loaded
  const action = resource.actions.get('delete') ?? null
  const callbackArguments = { id, actor: callbackActor(actor, action), now, input: {}, record, tokens: {} }
  return {
    resource,
    action,
    id,
    before: record,
    after: { ...record },
    changed: new Set<string>(),
    callbackArguments,
    hashes: new Map(),
    fields: [],
  }
}

/** Writes it, with the links that its action makes. Fails with BUSINESS_RULE_VIOLATION where a record it names is gone. */
export function writeOther(other: OtherRecord, scope: WriteScope): Program<void> {
  const { resource, id, after } = other
  return writeInTurn(resource, { id, values: after }, scope, () => writeNow(other, scope))
}

function* writeNow(
  { resource, action, id, before, after, changed, callbackArguments, hashes }: OtherRecord,
  scope: WriteScope,
): Program<void> {
  const authored = { fields: authoredFields({ changed, after, callbackArguments }) }
  yield* requireRelated(resource, before === null ? after : pick(after, changed), scope)
  yield* requireOneTenant(resource, { id, values: after, fields: [...resource.relations.keys()] }, scope)
  if (before === null) yield* insertRecord(resource, { record: after, hashes, authored }, scope)
  else if (changed.size > 0) yield* changeRecord(resource, id, { after, changed, hashes, authored }, scope)
  if (action !== null) yield* writeLinks(action, id, scope)
}

/** Writes these fields of one living record, whatever its actions say. */
export function changeOther(resource: ResourceModel, id: string, change: RowValues, scope: WriteScope): Program<void> {
  return writeInTurn(resource, { id, values: change }, scope, () => changeNow(resource, id, change, scope))
}

function* changeNow(resource: ResourceModel, id: string, change: RowValues, scope: WriteScope): Program<void> {
  const fields = Object.keys(change)
  yield* requireRelated(resource, change, scope)
  yield* requireOneTenant(resource, { id, values: change, fields }, scope)
  const whole = { after: change, changed: fields, hashes: new Map<string, string>(), authored: { fields } }
  yield* changeRecord(resource, id, whole, scope)
}

export const pick = (values: Readonly<RowValues>, fields: Iterable<string>): RowValues =>
  Object.fromEntries([...fields].map((field) => [field, values[field]]))

/** The living ones among these, whoever may read them, locked in the order of the ids. */
export function* lockExisting(
  resource: ResourceModel,
  ids: readonly string[],
  { statements, dialect, cipher }: RowScope,
): Program<readonly { readonly id: string; readonly record: Readonly<RowValues> }[]> {
  const columns = visibleColumns(resource)
  const rows = yield statements.load({ resource, conditions: [], columns, lock: 'update' }, noAsker, ids)
  const byId = new Map(rows.map((row) => [row[0] as string, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ id, record: recordFrom(row, 2, { resource, columns, dialect, cipher }) }]
  })
}

/** What `check` and `set` are given as input; throws where code left out what the action needs. */
function inputOf(action: ActionModel, values: Readonly<RowValues>): RowValues {
  const where = `${action.resource.name}.${action.name}`
  return Object.fromEntries(action.accept.map((each) => [each.field, acceptedValue(each, values[each.field], where)]))
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
  return checkValue({ ...of, optional }, value, (path, message) => {
    throw new Error(unfit(`${where}, for ${field}${path},`, message))
  })
}

function refuseUnknown(where: string, names: readonly string[], accepted: readonly string[]): void {
  const unknown = names.find((name) => !accepted.includes(name))
  if (unknown !== undefined)
    throw new Error(`The service's own code gives ${where} ${unknown}, which it does not take.`)
}
