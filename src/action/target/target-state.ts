// The targets of a write on their way through its stages.

import { Failure } from '../../failure/failure.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { fold } from '../../resource/model/rule/condition.ts'
import type { Program } from '../../store/store.ts'
import type { RecordVersion, Target, Write } from '../call.ts'
import { callbackActor } from '../callback-actor.ts'
import type { RunnerContext } from '../context.ts'
import { idsOf } from '../input/key.ts'
import type { KeyUse } from '../row/idempotency.ts'
import {
  type Loaded,
  loadReadable,
  lockReadable,
  type RowValues,
  requireFound,
  type StoredRecord,
  type Tests,
} from '../row/load.ts'
import { locksRows, lostRace } from '../row/lock.ts'
import { areOpen, noteUse, tokenQuestion } from '../row/token-use.ts'
import { isInTree, isMoving, lockToLeave, lockToMove } from '../row/tree.ts'
import type { WriteScope } from '../write-scope.ts'
import { forEachTarget } from './for-each-target.ts'
import { lockAhead, locksAhead, requireHolders, writtenFields } from './lock-plan.ts'
import { type CallbackArguments, requireState } from './move.ts'
import type { ChildPart, Part, Replacement, TargetSecrets } from './part.ts'

export interface CheckedWrite extends Part {
  readonly call: Write
  readonly children: readonly ChildPart[]
  /** Lists that replace stored children. */
  readonly replacements: readonly Replacement[]
  /** Each record's index in the request, in an upsert of many; null if it is the same. */
  readonly indexes: readonly number[] | null
  readonly key: KeyUse | null
}
export type RequestPart = Pick<CheckedWrite, 'call' | 'indexes'>

export function put({ after, changed }: Pick<TargetState, 'after' | 'changed'>, values: Readonly<RowValues>): void {
  for (const field of Object.keys(values)) {
    after[field] = values[field]
    changed.add(field)
  }
}

export const pick = (values: Readonly<RowValues>, fields: Iterable<string>): RowValues =>
  Object.fromEntries([...fields].map((field) => [field, values[field]]))

export function makeTokens(columns: readonly Column[], secrets: RunnerContext['secrets']): TargetSecrets {
  const hashes = new Map<string, string>()
  const tokens: Record<string, string> = {}
  for (const { spec, field } of columns) {
    const { token, hash } = secrets.makeToken((spec as typeof spec & { prefix: string }).prefix)
    tokens[field] = token
    hashes.set(field, hash)
  }
  return { hashes, tokens }
}

export interface TargetState {
  readonly id: string
  /** Null for a new record, or if code changes it without reading it. */
  readonly before: Readonly<RowValues> | null
  readonly after: RowValues
  readonly changed: Set<string>
  readonly callbackArguments: CallbackArguments
  /** None if code writes the record as no action does. */
  readonly actions: readonly ActionModel[]
  readonly secrets: TargetSecrets
  /** Given by code for a new record; `set` does not fill them. */
  readonly givenFields?: readonly string[]
}

export interface StagedPart extends Pick<Part, 'inputs'> {
  readonly action: Pick<ActionModel, 'resource' | 'kind'>
  readonly origin?: Origin
}
export interface Origin {
  /** Outermost first. */
  readonly chain: readonly ActionModel[]
  /** The hook does not run for its own writes. */
  readonly isHook: boolean
  readonly resource: ResourceModel | null
  readonly target: number
}

export interface PartTargets<P extends StagedPart = Part | ChildPart> {
  readonly part: P
  readonly targets: readonly TargetState[]
  /** The indexes of records whose children change. */
  readonly touched: ReadonlySet<number>
}
const none: ReadonlySet<number> = new Set()
export const partTargets = <P extends StagedPart>(
  part: P,
  targets: readonly TargetState[],
  touched: ReadonlySet<number> = none,
): PartTargets<P> => ({ part, targets, touched })

/** Fails with NOT_FOUND, FORBIDDEN, CONFLICT, each for all targets before the next. (contract 4.1) */
export function* loadTargets(write: CheckedWrite, scope: WriteScope): Program<readonly TargetState[]> {
  const loaded = yield* loadRoots(write, scope)
  requireCurrent(write, loaded, scope)
  return statesOf(write, loaded, scope)
}

/** Fails with CONFLICT if the version or the state does not match. */
export function requireCurrent({ call }: CheckedWrite, loaded: readonly Loaded[], scope: WriteScope): void {
  forEachTarget(loaded, (each, index) => requireVersion(each, call.targets[index]!))
  forEachTarget(loaded, (each) => requireState(call.action, each.record, scope.vocabulary))
}

/** Callbacks see a stored record as it is before the write, and a new one as it becomes. */
export function targetState(
  { input, ...target }: OpenTarget,
  { actor, now }: Pick<WriteScope, 'actor' | 'now'>,
): TargetState {
  const { id, before, after, actions, secrets } = target
  const { tokens } = secrets
  const seenActor = callbackActor(actor, actions[0] ?? null)
  const callbackArguments = { id, actor: seenActor, now, input, record: before ?? after, tokens }
  return { ...target, changed: new Set<string>(), callbackArguments }
}
interface OpenTarget extends Omit<TargetState, 'changed' | 'callbackArguments'>, Pick<CallbackArguments, 'input'> {}

export const statesOf = (
  { action, inputs, secrets }: Pick<Part, 'action' | 'inputs' | 'secrets'>,
  stored: readonly StoredRecord[],
  scope: Pick<WriteScope, 'actor' | 'now'>,
): readonly TargetState[] =>
  stored.map(({ id, record }, index) => {
    const [{ fields: input }, own] = [inputs[index]!, secrets[index]!]
    return targetState({ id, before: record, after: { ...record }, input, actions: [action], secrets: own }, scope)
  })

/** Locks them. Fails with NOT_FOUND and FORBIDDEN. */
export function* loadRoots(write: CheckedWrite, scope: WriteScope): Program<readonly Loaded[]> {
  const { action, targets } = write.call
  const { actor } = scope
  const ids = yield* idsOf(
    action.resource,
    targets.map((each) => each.id!),
    scope,
  )
  const conditions = [write.condition, ...write.fieldConditions]
  const { resource } = action
  const question = tokenQuestion([fold(resource.read.allow, resource, actor), ...conditions], resource, scope)
  const tests = { required: conditions, others: question.conditions }
  // A caller who may not write them must lock nothing, and wait for no other write.
  yield* lockBefore(write, () => loadAllowed(write, ids, tests, scope), scope)
  const loaded = yield* lockAllowed(write, ids, tests, scope)
  requireHolders(resource, loaded, writtenFields(action, write.inputs, scope), scope)
  if (loaded.some(({ holds }) => holds.slice(conditions.length).includes(false)))
    yield* noteUse(question, scope, (narrowed) => areOpen(resource, ids, conditions, narrowed))
  return loaded
}

/** Locks what comes before the records of the write, which are loaded without a lock. */
export function* lockBefore(
  write: CheckedWrite,
  load: () => Program<readonly Loaded[]>,
  scope: WriteScope,
): Program<void> {
  const { action, inputs } = write
  const { resource } = action
  const isLeaving = action.kind === 'delete' && isInTree(resource)
  if (locksRows(scope) && (isLeaving || isMoving(action, inputs))) {
    const ids = (yield* load()).map(({ id }) => id)
    yield* (isLeaving ? lockToLeave : lockToMove)(resource, ids, scope)
  }
  if (locksAhead(write, scope)) yield* lockAhead(write, yield* load(), scope)
}

function* loadAllowed(
  write: CheckedWrite,
  ids: readonly (string | null)[],
  { required, others }: Tests,
  scope: WriteScope,
): Program<readonly Loaded[]> {
  const { resource } = write.call.action
  const readable = yield* loadReadable(resource, ids, [...required, ...others], scope)
  const loaded = forEachTarget(readable, (each) => requireFound(each, resource))
  forEachTarget(loaded, (each) => requireAllowed(each, write))
  return loaded
}

function* lockAllowed(
  write: CheckedWrite,
  ids: readonly (string | null)[],
  tests: Tests,
  scope: WriteScope,
): Program<readonly Loaded[]> {
  const locked = yield* lockReadable(write.call.action.resource, ids, tests, scope)
  const loaded = locked.filter((each) => each !== null)
  if (loaded.length === ids.length) return loaded
  yield* loadAllowed(write, ids, tests, scope) // 404, 403
  // They have become allowed meanwhile.
  throw lostRace(scope)
}

function requireAllowed(loaded: Loaded, { fieldConditions }: CheckedWrite): void {
  const [allowed, ...fieldsAllowed] = loaded.holds
  if (!allowed || fieldConditions.some((_, at) => !fieldsAllowed[at])) throw new Failure('FORBIDDEN')
}

/** `If-Match`: one of these versions must be the record's; `If-None-Match`: none of those. (contract 4.5.8, 4.5.13) */
function requireVersion(loaded: Loaded, { versions, otherThan }: Target): void {
  const isIt = ({ version, id }: RecordVersion) => version === loaded.version && (id === null || id === loaded.id)
  if (versions !== undefined && !versions.some(isIt)) throw outdated()
  if (otherThan === 'any') throw new Failure('CONFLICT', { message: 'There is such a record already.' })
  if (otherThan?.some(isIt)) throw new Failure('CONFLICT', { message: 'The record still has this version.' })
}

export const outdated = (): Failure =>
  new Failure('CONFLICT', { message: 'The record has changed since this version was read.' })
