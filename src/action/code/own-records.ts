// `records` for code in an open transaction, until its step ends. Programs run one after the other, even if the code does not
// await them.

import { hash } from 'node:crypto'
import { type Detail, invariant } from '../../failure/failure.ts'
import type { Caller } from '../../resource/actor.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { KeyModel } from '../../resource/model/column.ts'
import { isEitherField } from '../../resource/model/either.ts'
import { type KeyName, keyValues, ownColumns } from '../../resource/model/key.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Program, type Run, UniqueViolation } from '../../store/store.ts'
import { findBound } from '../input/key.ts'
import { takeInOrder } from '../row/advisory-lock.ts'
import { lockExisting, lockReadable, missingReference, type RowValues } from '../row/load.ts'
import { lockRecords, locksRows, lostRace } from '../row/lock.ts'
import { writeInTurn } from '../row/pending.ts'
import { inheritTenants } from '../row/tenant.ts'
import { decide, eventsOf, finish, note, type StageScope, settleRemoved } from '../target/stages.ts'
import type { Origin } from '../target/target-state.ts'
import type { AdvisoryLock } from '../write-scope.ts'
import { type ChangeInput, type CodeTarget, openChange, openMove, openNew, openRemoval } from './code-target.ts'
import { readsOf } from './effect-reads.ts'
import { claimOnce } from './once.ts'
import type { ResourceReference, Values } from './reads.ts'
import { runSql } from './sql.ts'

export interface EffectScope {
  readonly scope: StageScope
  readonly run: Run
  readonly origin: Origin
  readonly from?: EffectRecord | undefined
}
export interface EffectRecord {
  readonly resource: ResourceModel
  readonly values: Readonly<RowValues>
  /** The index in the call; absent for a record that code writes. */
  readonly target?: number
}
export type EffectRecords = ReturnType<typeof recordsOf>
export type FinishRecords = Omit<EffectRecords, 'lockReadable'>
/** Runs `work`, then `last`, as one transaction. No `allow` is checked; everything else holds. */
export type Act = <T>(work: (records: FinishRecords) => Promise<T>, last?: () => Program<void>) => Promise<T>

export function readsIn(effect: EffectScope, actor: Caller) {
  const { scope, run } = effect
  const missing = (resource: ResourceModel, ids: readonly string[]) => missingReference(namesOf(ids, resource, effect))
  const lock = (resource: ResourceModel, ids: readonly string[]) => lockRecords(resource, ids, 'no key update', scope)
  // After a lost race, reads lock what they return.
  const isLocking = locksRows(scope) && scope.attempt.isRepeated
  const resourceOf = (of: ResourceReference) => resourceNamed(of, scope)
  return readsOf({ scope: { ...scope, actor }, run, resourceOf, lock: isLocking ? lock : null, missing })
}

function resourceNamed({ name }: ResourceReference, { context }: StageScope): ResourceModel {
  const resource = context.model.byName.get(name)
  invariant(resource !== undefined, `the code names ${name}, which is in this service`)
  return resource
}

export function recordsOf(effect: EffectScope) {
  const { scope, run, origin } = effect
  const resourceOf = (of: ResourceReference) => resourceNamed(of, scope)
  const write = (opening: Program<CodeTarget>) => run(written(opening, scope))
  const records = {
    ...readsIn(effect, scope.actor),
    lockReadable: async (of: ResourceReference, ids: readonly string[]) =>
      await run(lockAllReadable(resourceOf(of), sorted(ids), effect)),
    lockExisting: async (of: ResourceReference, ids: readonly string[]) =>
      (await run(lockExisting(resourceOf(of), sorted(ids), scope))).map(({ record }) => record),
    change: async (of: ResourceReference, id: string, values: ChangeInput) =>
      void (await write(openChange(resourceOf(of), id, values, origin, scope))),
    create: async (of: ResourceReference, values: Values) =>
      await write(openNew(resourceOf(of), values, origin, scope)),
    upsert: async (of: ResourceReference, key: Values, values: Values) =>
      await run(createOrChange(resourceOf(of), key, values, effect)),
    async run(of: ResourceReference, id: string, move: string, input: Values = {}) {
      const action = resourceOf(of).actions.get(move)
      invariant(action?.kind === 'move', `${of.name} has the move ${move}`)
      await write(openMove(action, id, input, origin, scope))
    },
    remove: async (of: ResourceReference, id: string) =>
      void (await write(openRemoval(resourceOf(of), id, origin, scope))),
    sql: (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
      run(runSql({ strings, values }, scope.context)),
    async once(key: string, work: (own: unknown) => Promise<unknown>): Promise<boolean> {
      if (!(await run(claimOnce(key, scope)))) return false
      try {
        await work(records)
      } catch (error) {
        // It undoes the transaction, even if the caller catches it.
        await run(failing(error))
      }
      return true
    },
  }
  return records
}

const sorted = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort()

function* written(opening: Program<CodeTarget>, scope: StageScope): Program<Values> {
  const each = yield* opening
  const target = each.targets[0]!
  const { resource, kind } = each.part.action
  const write = () => decidedAndStored(each, scope)
  // Its check finds a record that is still being made. (contract 13.4.10)
  if (kind === 'create' && target.actions.some(({ checkReads }) => checkReads))
    yield* writeInTurn(resource, { id: target.id, values: target.after }, scope, write)
  else yield* write()
  return target.after
}

function* decidedAndStored(each: CodeTarget, scope: StageScope): Program<void> {
  const target = each.targets[0]!
  yield* decide(target, scope)
  yield* finish(each, scope)
  note(each, false, scope)
  yield* settleRemoved(each, scope)
  scope.sideEffects.events.push(...eventsOf(target))
}

/** Another write may create the record meanwhile: then all runs again, and finds it. (contract 13.3.16) */
function* createOrChange(
  resource: ResourceModel,
  key: Values,
  values: Values,
  { scope, origin }: EffectScope,
): Program<Values> {
  const all = { ...values, ...key }
  const name = yield* keyNameIn(resource, key, all, scope)
  const text = `${resource.table} ${JSON.stringify(name.sent)}`
  let [found] = yield findBound(resource, name, scope)
  if (found === undefined && locksRows(scope)) {
    yield* takeInOrder(keyLock(text), scope)
    ;[found] = yield findBound(resource, name, scope)
  }
  const isStored = (field: string) => resource.column.has(field) || isEitherField(resource.fields.get(field))
  const stored = Object.fromEntries(Object.entries(values).filter(([field]) => isStored(field)))
  if (found !== undefined)
    return yield* written(
      openChange(resource, found[0] as string, () => stored, origin, scope),
      scope,
    )
  try {
    return yield* written(openNew(resource, all, origin, scope), scope)
  } catch (error) {
    // A plain create has the key or, if this is the second time, another unique value.
    const isTaken = error instanceof UniqueViolation && locksRows(scope) && !scope.attempt.takenKeys.has(text)
    throw isTaken ? lostRace(scope, { takenKeys: [text] }) : error
  }
}

/** Writes that create by keys in different orders would wait for each other. Keys share 256 locks, since a server has few. */
const keyLock = (key: string): AdvisoryLock => ({ name: `key ${hash('sha256', key).slice(0, 2)}`, isShared: false })

/** With the tenant of the record, if the key is unique in one. */
function* keyNameIn(
  resource: ResourceModel,
  sent: Values,
  all: Values,
  scope: StageScope,
): Program<Pick<KeyName, 'key' | 'sent'>> {
  const fields = Object.keys(sent).sort().join()
  const fieldsOf = (key: KeyModel) => ownColumns(key).map(({ field }) => field)
  const key = keysToCreateBy(resource).find((each) => fieldsOf(each).sort().join() === fields)
  if (key === undefined)
    throw new Error(
      `The service's own code names a ${resource.name} by ${fields}, which is no key that it can be created by.`,
    )
  const record = { ...all }
  if (key.tenant !== null) yield* inheritTenants(resource, [record], scope)
  const name = { key, sent: key.columns.map(({ field, spec }) => writeValue(spec, record[field])) }
  if (keyValues(name) === null)
    throw new Error(`The service's own code gives the key ${fields} of a ${resource.name} no value.`)
  return name
}

const keysToCreateBy = ({ keys }: ResourceModel): readonly KeyModel[] =>
  keys.filter(
    ({ where, columns }) => where === null && columns.every(({ spec }) => (spec.kind as string) !== 'counter'),
  )

function* lockAllReadable(
  resource: ResourceModel,
  ids: readonly string[],
  effect: EffectScope,
): Program<readonly Values[]> {
  const loaded = yield* lockReadable(resource, ids, { required: [], others: [] }, effect.scope)
  const absent = ids.filter((_, index) => loaded[index] === null)
  if (absent.length > 0) throw missingReference(namesOf(absent, resource, effect))
  return loaded.map((each) => each!.record)
}

// biome-ignore lint/correctness/useYield: it fails its transaction as a statement would
function* failing(error: unknown): Program<never> {
  throw error
}

/** Undefined if the code found them otherwise. */
function namesOf(
  missing: readonly string[],
  target: ResourceModel,
  { from, scope }: EffectScope,
): Detail[] | undefined {
  if (from === undefined) return undefined
  const fields = [...from.resource.relations.values()].filter(
    (each) => each.kind === 'one' && each.target === target && missing.includes(from.values[each.field] as string),
  )
  if (fields.length === 0) return undefined
  return fields.map(({ field }) => ({
    field: scope.vocabulary.name(from.resource, field),
    message: 'There is no such record.',
    ...(from.target === undefined ? {} : { target: from.target }),
  }))
}
