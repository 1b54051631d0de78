// Carries out a write. One code path for one target and for many; each stage runs over all targets before the next.

import { Failure, invariant } from '../failure/failure.ts'
import { isMoreSeen } from '../read-plan/mask.ts'
import type { RecordAnswer } from '../read-plan/run.ts'
import { type Actor, type Asker, credentialRefusal, isService, replaying } from '../resource/actor.ts'
import type { ActionModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import type { Write, WriteOutcome } from './call.ts'
import { requireCheck } from './check.ts'
import { collectionWrite } from './collection.ts'
import { authoredFields, commit, commitTogether } from './commit.ts'
import type { Change, ChangedRecord, EmittedEvent, RunnerContext, Written } from './context.ts'
import { countDue, uncountedBy } from './count.ts'
import { createTargets, type NewPart } from './create-target.ts'
import { runEffect, tellHook } from './effect.ts'
import { eachTargetInTurn, forEachTarget } from './for-each-target.ts'
import { type Answered, answeredAs, keepKey, replayed } from './idempotency.ts'
import { requireInvariants, requireInvariantsOf } from './invariant.ts'
import { changesOf, emittedBy, requireState, storedOf } from './move.ts'
import { atPlaces } from './part.ts'
import { readWritten } from './read-written.ts'
import { requireLiving, requireReferences } from './reference.ts'
import { remove } from './remove.ts'
import { namesByKey, resolveKeys, withOpenKeys } from './resolve-keys.ts'
import { scopedRoot } from './scoped-root.ts'
import { type CheckedWrite, loadTargets, put, type TargetState } from './target-state.ts'
import { requireOneTenant } from './tenant.ts'
import { countUse } from './token-use.ts'
import { linkNew, replaceLinks } from './write-lists.ts'
import type { WriteScope } from './write-scope.ts'

/** The transaction of one write. The order of checks is the contract's; keep it. (contract 4.1) */
export function* writeProgram(checked: CheckedWrite, scope: WriteScope): Program<Written> {
  const { call, key } = checked
  const { action } = call
  const { context, now, sideEffects } = scope
  if (key !== null) {
    const before = yield* replayed(key, context.limits.idempotencySeconds, scope)
    if (before !== null) return { outcome: yield* replay(before, call, scope), change: null }
  }
  const inputs = withOpenKeys(checked.inputs)
  const children = checked.children.map((part) => ({ ...part, inputs: withOpenKeys(part.inputs) }))
  const write: CheckedWrite = { ...checked, inputs, children }
  for (const part of [write, ...children])
    if (namesByKey(part.inputs)) yield* resolveKeys(part.action, part.inputs, null, scope)
  if (action.kind === 'collection') return yield* collectionWrite(write, scope)
  const parts =
    action.kind === 'create'
      ? yield* createTargets(write, scope) // 403, 422
      : [{ part: write, targets: yield* loadTargets(write, scope) }] // 404, 403, 409
  const [{ targets }] = parts as unknown as [NewPart]
  if (action.kind !== 'create') {
    const before = targets.map((each) => each.before!)
    if (namesByKey(inputs)) yield* resolveKeys(action, inputs, before, scope)
    yield* requireReferences(action, inputs, before, scope) // 422
  }
  // A check that reads finds the record that its own is a child of.
  const isLate = ({ part }: NewPart) => part.action.checkReads && 'parent' in part
  for (const each of parts) if (!isLate(each)) yield* atPlaces(each.part, decide(each.targets, write, scope)) // 422
  if (call.dryRun === true) return dry(targets)
  for (const each of parts) {
    if (isLate(each)) yield* atPlaces(each.part, decide(each.targets, write, scope))
    yield* atPlaces(each.part, finish(each, scope)) // 422, 409
  }
  for (const { part, targets: own } of parts.slice(1))
    for (const { id } of own) sideEffects.writes.push({ resource: part.action.resource, id })
  const ids = targets.map((each) => each.id)
  const isDelete = action.kind === 'delete'
  const deletions = isDelete ? yield* remove(action.resource, ids, scope) : []
  const others = [...sideEffects.changes, ...deletions]
  if (action.resource.invariants.length > 0) yield* requireInvariants(action, targets, scope) // 422
  if (others.length > 0) yield* requireInvariantsOf(others, scope)
  const own = parts.flatMap((each) => each.targets.flatMap(eventsOf))
  const events = [...own, ...sideEffects.events]
  const change: Change = { action, records: targets.map(changeOf), others, events }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  for (const { part, targets: own } of parts)
    for (const each of own) sideEffects.uncounted.push(...uncountedBy(part.action.resource, each.actions, each))
  yield* countDue(scope)
  const answers = call.root === null ? [] : yield* answer(call, ids, targets, scope)
  if (key !== null) yield* keepKey(key, answeredAs(ids, answers), scope)
  yield* countUse(scope)
  const tokens = targets.map((each) => each.secrets.tokens)
  return { outcome: { records: answers, ids, replayed: false, tokens }, change }
}

const dry = (targets: readonly TargetState[]): Written => ({
  outcome: { records: [], ids: targets.map(({ id }) => id), replayed: false, tokens: [] },
  change: null,
})

/**
 * The records that an idempotency key made, as this caller may see them now. Fails with NOT_FOUND when one is gone, with
 * INSUFFICIENT_SCOPE when more is to be seen than was answered, and the caller has no scope to read.
 */
function* replay(before: readonly Answered[], call: Write, scope: WriteScope): Program<WriteOutcome> {
  const { action, actor } = call
  const ids = before.map(({ id }) => id)
  invariant(call.root !== null, 'only writes that answer records have idempotency keys')
  const answers = yield* readWritten({ ids, root: scopedRoot(call.root), asker: replaying(actor) }, call, scope)
  const records = forEachTarget(answers, (each, index) => {
    if (each === null) throw new Failure(action.resource.notFound)
    if (isMore(each, before[index]!)) requireReading(action, actor)
    return each
  })
  return { records, ids, replayed: true, tokens: [] }
}

const isMore = (now: RecordAnswer, before: Answered): boolean =>
  now.version !== before.version || now.tally !== before.tally || isMoreSeen(now.mask, before.mask)

function requireReading({ resource }: ActionModel, actor: Asker): void {
  if (credentialRefusal(actor, 'read', resource) === null) return
  const message = `This was done before; what has changed since needs the scope read:${resource.path}.`
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}

/** Effects, and then the records themselves: those of a part are stored before the effects of their children. */
function* finish({ part: { action, inputs }, targets }: NewPart, scope: WriteScope): Program<void> {
  const isAwaited = scope.context.model.onWrite !== null || targets.some(({ actions }) => actions.some(hasEffect))
  if (isAwaited) for (const [index, target] of targets.entries()) yield* effects(target, index, scope)
  yield* requireLiving(action, targets, scope)
  if (action.resource.tenants.length > 0)
    for (const target of targets) {
      const { id, after: values } = target
      yield* requireOneTenant(action.resource, { id, values, fields: authoredFields(target) }, scope)
    }
  const inOrder = commitOrder(action, targets)
  // A change of its links is a change of the record.
  const isTouched: boolean[] = []
  for (const index of inOrder)
    isTouched.push(action.kind !== 'create' && (yield* replaceLinks(targets[index]!, inputs[index]!, scope)))
  if (targets.length > 1 && !scope.isSeparate) {
    const sorted = inOrder.map((index) => targets[index]!)
    yield* commitTogether(action, sorted, isTouched, scope)
  } else
    for (const [at, index] of inOrder.entries())
      yield* commit(action, targets[index]!, { index, isTouched: isTouched[at]! }, scope)
  if (action.kind === 'create') yield* linkNew(targets, inputs, scope)
}

const hasEffect = ({ effect }: ActionModel): boolean => effect !== null

/** Business rules, then everything that the actions write. Asks the database only for checks that read. */
function* decide(targets: readonly TargetState[], { call }: CheckedWrite, scope: WriteScope): Program<void> {
  yield* eachTargetInTurn(targets, (target) => decideTarget(target, call, scope))
}

function* decideTarget(target: TargetState, { vocabulary }: Write, scope: WriteScope): Program<void> {
  const { callbackArguments, actions, after } = target
  const [action, ...moves] = actions
  yield* requireCheck(action!, callbackArguments, scope)
  put(target, storedOf(action!, callbackArguments.input))
  put(target, changesOf(action!, callbackArguments))
  for (const move of moves) {
    const then = { ...callbackArguments, input: {}, record: { ...after } }
    requireState(move, after, vocabulary)
    yield* requireCheck(move, then, scope)
    put(target, changesOf(move, then))
  }
}

function* effects(target: TargetState, index: number, scope: WriteScope): Program<void> {
  const { callbackArguments, actions } = target
  for (const action of actions) {
    if (action.effect === null) continue
    const values = { ...callbackArguments.record, ...callbackArguments.input }
    const from = { resource: action.resource, values, target: index }
    yield {
      run: (run) =>
        runEffect(action, callbackArguments, { write: scope, run, chain: [], from }, (change) => put(target, change)),
    }
  }
  if (scope.context.model.onWrite === null) return
  const [action] = actions
  const { resource } = action!
  const from = { resource, values: target.after, target: index }
  yield { run: (run) => tellHook({ ...target, resource, action: action! }, { write: scope, run, chain: [], from }) }
}

const first: readonly number[] = [0]

/** Two batches with the same unique values take them in one order, so that neither waits for the other while that waits for it. */
function commitOrder({ kind, resource: { uniques } }: ActionModel, targets: readonly TargetState[]): readonly number[] {
  if (targets.length === 1) return first
  const inOrder = [...targets.keys()]
  if (kind !== 'create' || uniques.length === 0) return inOrder
  const fields = uniques.flatMap(({ columns }) => columns.map(({ field }) => field))
  const keys = targets.map(({ after }) => fields.map((field) => String(after[field])).join('\0'))
  return inOrder.sort((left, right) =>
    keys[left]! < keys[right]! ? -1 : keys[left]! > keys[right]! ? 1 : left - right,
  )
}

const changeOf = ({ id, before, after, secrets }: TargetState): ChangedRecord => ({
  id,
  before,
  after,
  secrets: [...secrets.hashes.keys()],
})

const eventsOf = ({ id, actions, after, secrets }: TargetState): readonly EmittedEvent[] =>
  actions.flatMap((action) => emittedBy(action, id, after, secrets.tokens))

function* answer(
  call: Write,
  ids: readonly string[],
  targets: readonly TargetState[],
  scope: WriteScope,
): Program<readonly RecordAnswer[]> {
  const reader = isService(call.actor) ? call.actor : (newAccount(call, targets, scope.context) ?? call.actor)
  const answers = yield* readWritten({ ids, root: call.root!, asker: reader }, call, scope)
  return answers.map((each) => {
    invariant(each !== null, 'a record that was just written is there')
    return each
  })
}

/** In the answer to sign-up the new account is its own reader, whoever was signed in. (contract 2.7.10) */
function newAccount({ action }: Write, [target]: readonly TargetState[], { model }: RunnerContext): Actor | null {
  if (action.resource !== model.accounts.resource || action.kind !== 'create') return null
  const role = target!.after[model.accounts.role.field] as string
  const credential = { kind: 'bearer', tokenId: '', sessionId: null, expiresAt: new Date(0) } as const
  return { id: target!.id, role, permissions: model.roles.get(role)!, scopes: null, credential }
}
