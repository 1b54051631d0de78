// The targets of a write on their way through its stages: made anew, or loaded and found to be allowed.

import { Failure } from '../failure/failure.ts'
import { type Condition, fold } from '../resource/model/condition.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import type { Write } from './call.ts'
import { callbackActor } from './callback-actor.ts'
import type { RunnerContext } from './context.ts'
import { forEachTarget } from './for-each-target.ts'
import type { KeyUse } from './idempotency.ts'
import { idsOf } from './key.ts'
import { type Loaded, loadReadable, type RowValues, requireFound } from './load.ts'
import { hasContributors, lockContributors, lockListed } from './lock-order.ts'
import { type CallbackArguments, requireState } from './move.ts'
import type { ChildPart, Part, Replacement, TargetSecrets } from './part.ts'
import { noteUse, tokenQuestion } from './token-use.ts'
import type { WriteScope } from './write-scope.ts'

/** A write that has passed everything which needs no database. */
export interface CheckedWrite extends Part {
  readonly call: Write
  /** The children in its lists, and theirs. */
  readonly children: readonly ChildPart[]
  /** The lists in it that replace the children of stored records. */
  readonly replacements: readonly Replacement[]
  readonly key: KeyUse | null
}
/** Notes what is to be written of a record. */
export function put({ after, changed }: Pick<TargetState, 'after' | 'changed'>, values: Readonly<RowValues>): void {
  for (const field of Object.keys(values)) {
    after[field] = values[field]
    changed.add(field)
  }
}

/** The tokens of a new record, which are shown once, and their hashes. */
export function makeTokens({ columns }: ResourceModel, secrets: RunnerContext['secrets']): TargetSecrets {
  const hashes = new Map<string, string>()
  const tokens: Record<string, string> = {}
  for (const { spec, field } of columns) {
    if (spec.kind !== 'token') continue
    const { token, hash } = secrets.makeToken((spec as typeof spec & { prefix: string }).prefix)
    tokens[field] = token
    hashes.set(field, hash)
  }
  return { hashes, tokens }
}

/** One target on its way through the stages. */
export interface TargetState {
  readonly id: string
  /** As it was; null for a new record. */
  readonly before: Readonly<RowValues> | null
  /** As it will be. */
  readonly after: RowValues
  /** The fields that are written. */
  readonly changed: Set<string>
  readonly callbackArguments: CallbackArguments
  readonly actions: readonly ActionModel[]
  readonly secrets: TargetSecrets
}

/** The records of one part of a write, on their way. */
export interface PartTargets {
  readonly part: Part | ChildPart
  readonly targets: readonly TargetState[]
  /** The indexes of those whose children change. */
  readonly touched: ReadonlySet<number>
}
const none: ReadonlySet<number> = new Set()
export const partTargets = (
  part: Part | ChildPart,
  targets: readonly TargetState[],
  touched: ReadonlySet<number> = none,
): PartTargets => ({ part, targets, touched })

/** Fails with NOT_FOUND, FORBIDDEN, CONFLICT, in this order, each for all targets before the next. (contract 4.1) */
export function* loadTargets(write: CheckedWrite, scope: WriteScope): Program<readonly TargetState[]> {
  const loaded = yield* loadRoots(write, scope)
  requireCurrent(write, loaded, scope)
  return statesOf(write, loaded, scope)
}

/** Fails with CONFLICT where a record has another version than `If-Match` demands, or is in no state to begin from. */
export function requireCurrent({ call }: CheckedWrite, loaded: readonly Loaded[], scope: WriteScope): void {
  forEachTarget(loaded, (each, index) => requireVersion(each, call.targets[index]!.versions))
  forEachTarget(loaded, (each) => requireState(call.action, each.record, scope.vocabulary))
}

/** Stored records as they begin their way. */
export const statesOf = (
  { action, inputs, secrets }: Pick<Part, 'action' | 'inputs' | 'secrets'>,
  loaded: readonly Loaded[],
  { actor, now }: Pick<WriteScope, 'actor' | 'now'>,
): readonly TargetState[] =>
  loaded.map(({ id, record }, index) => {
    const { fields } = inputs[index]!
    const callbackArguments = { id, actor: callbackActor(actor, action), now, input: fields, record, tokens: {} }
    return {
      id,
      before: record,
      after: { ...record },
      changed: new Set<string>(),
      callbackArguments,
      actions: [action],
      secrets: secrets[index]!,
    }
  })

/** The records that the call names, locked. Fails with NOT_FOUND and FORBIDDEN. */
export function* loadRoots(write: CheckedWrite, scope: WriteScope): Program<readonly Loaded[]> {
  const { call, replacements } = write
  const { action, targets } = call
  const { actor } = scope
  const ids = yield* idsOf(
    action.resource,
    targets.map((each) => each.id!),
    scope,
  )
  const conditions = [write.condition, ...write.fieldConditions]
  const { resource } = action
  const question = tokenQuestion([fold(resource.read.allow, resource, actor), ...conditions], resource, scope)
  const tests = [...conditions, ...question.conditions]
  if ((action.kind === 'delete' || replacements.length > 0) && hasContributors(resource, scope)) {
    // Whoever may not write them locks nothing.
    yield* loadAllowed(write, ids, tests, null, scope)
    if (action.kind === 'delete') yield* lockContributors(resource, ids, scope)
    else yield* lockListed(listsOf(replacements, 0), resource, ids, scope)
  }
  const loaded = yield* loadAllowed(write, ids, tests, 'update', scope)
  if (loaded.some(({ holds }) => holds.slice(conditions.length).includes(false))) noteUse(question, scope)
  return loaded
}

/** The lists of a part that are replaced, each once. */
export const listsOf = (replacements: readonly Replacement[], part: number) =>
  new Set(replacements.filter(({ parent }) => parent === part).map(({ list }) => list))

function* loadAllowed(
  write: CheckedWrite,
  ids: readonly string[],
  conditions: readonly Condition[],
  lock: 'update' | null,
  scope: WriteScope,
): Program<readonly Loaded[]> {
  const { resource } = write.call.action
  const readable = yield* loadReadable(resource, ids, conditions, scope, lock)
  const loaded = forEachTarget(readable, (each) => requireFound(each, resource))
  forEachTarget(loaded, (each) => requireAllowed(each, write))
  return loaded
}

function requireAllowed(loaded: Loaded, { fieldConditions }: CheckedWrite): void {
  const [allowed, ...fieldsAllowed] = loaded.holds
  if (!allowed || fieldConditions.some((_, at) => !fieldsAllowed[at])) throw new Failure('FORBIDDEN')
}

/** `If-Match`: one of these versions must be the record's. (contract 4.5.8) */
function requireVersion(loaded: Loaded, versions: readonly number[] | undefined): void {
  if (versions !== undefined && !versions.includes(loaded.version)) throw outdated()
}

export const outdated = (): Failure =>
  new Failure('CONFLICT', { message: 'The record was changed since this version of it was read.' })
