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
import { createTargets } from './create-target.ts'
import { runEffect, tellHook } from './effect.ts'
import { eachTargetInTurn, forEachTarget } from './for-each-target.ts'
import { type Answered, answeredAs, keepKey, linksIn, replayed } from './idempotency.ts'
import { requireInvariants, requireInvariantsOf } from './invariant.ts'
import { changesOf, emittedBy, requireState, storedOf } from './move.ts'
import { pick } from './other-record.ts'
import { atPlaces } from './part.ts'
import { readWritten } from './read-written.ts'
import { linkNames } from './record-selection.ts'
import { requireLiving, requireReferences } from './reference.ts'
import { remove } from './remove.ts'
import { replaceTargets } from './replace-children.ts'
import { namesByKey, resolveKeys, withOpenKeys } from './resolve-keys.ts'
import { scopedRoot } from './scoped-root.ts'
import { type CheckedWrite, loadTargets, type PartTargets, partTargets, put, type TargetState } from './target-state.ts'
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
  const parts = yield* openTargets(write, scope) // 404, 403, 409, 422
  const [{ targets }] = parts as unknown as [PartTargets]
  // A check that reads finds the record that its own is a child of.
  const isLate = ({ part }: PartTargets) => part.action.checkReads && 'parent' in part
  for (const each of parts) if (!isLate(each)) yield* atPlaces(each.part, decide(each.targets, write, scope)) // 422
  if (call.dryRun === true) return dry(targets)
  const unchanged = new Set<TargetState>()
  for (const each of parts) {
    if (isLate(each)) yield* atPlaces(each.part, decide(each.targets, write, scope))
    const areTouched = yield* atPlaces(each.part, finish(each, scope)) // 422, 409
    noteUnchanged(each, areTouched, unchanged)
    if (each.part.action.kind === 'delete') yield* atPlaces(each.part, removeAll(each, scope)) // 422
  }
  for (const each of parts.slice(1)) noteChildren(each, scope)
  const ids = targets.map((each) => each.id)
  const others = sideEffects.changes
  if (action.resource.invariants.length > 0) yield* requireInvariants(action, targets, scope) // 422
  if (others.length > 0) yield* requireInvariantsOf(others, scope)
  const own = parts.flatMap(({ targets }) => targets.flatMap((each) => (unchanged.has(each) ? [] : eventsOf(each))))
  const events = [...own, ...sideEffects.events]
  const change: Change = { action, records: targets.map(changeOf), others, events }
  if (events.length > 0) yield* context.emit(events, now)
  yield* context.changed(change, now)
  for (const { part, targets: own } of parts)
    for (const each of own) sideEffects.uncounted.push(...uncountedBy(part.action.resource, each.actions, each))
  yield* countDue(scope)
  const answers = call.root === null ? [] : yield* answer(call, ids, targets, scope)
  if (key !== null) yield* keepKey(key, answeredAs(ids, answers, linkNames(action.resource, call.vocabulary)), scope)
  yield* countUse(scope)
  const tokens = targets.map((each) => each.secrets.tokens)
  return { outcome: { records: answers, ids, replayed: false, tokens }, change }
}

function* openTargets(write: CheckedWrite, scope: WriteScope): Program<readonly PartTargets[]> {
  const { call, inputs, replacements } = write
  const { action } = call
  if (action.kind === 'create') return yield* createTargets(write, scope)
  if (replacements.length > 0) return yield* replaceTargets(write, scope)
  const targets = yield* loadTargets(write, scope)
  const before = targets.map((each) => each.before!)
  if (namesByKey(inputs)) yield* resolveKeys(action, inputs, before, scope)
  yield* requireReferences(action, inputs, before, scope)
  return [partTargets(write, targets)]
}

function* removeAll({ part, targets }: PartTargets, scope: WriteScope): Program<void> {
  const ids = targets.map(({ id }) => id)
  scope.sideEffects.changes.push(...(yield* remove(part.action.resource, ids, scope)))
}

/** Children are told of as what effects write is. */
function noteChildren({ part: { action }, targets }: PartTargets, { sideEffects }: WriteScope): void {
  const { resource, kind } = action
  for (const { id, before, after, changed } of targets) {
    if (before !== null)
      sideEffects.changes.push({ resource, id, change: kind === 'delete' ? null : pick(after, changed) })
    if (kind !== 'delete') sideEffects.writes.push({ resource, id })
  }
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
  const names = linkNames(action.resource, call.vocabulary)
  invariant(call.root !== null, 'only writes that answer records have idempotency keys')
  const answers = yield* readWritten({ ids, root: scopedRoot(call.root), asker: replaying(actor) }, call, scope)
  const records = forEachTarget(answers, (each, index) => {
    if (each === null) throw new Failure(action.resource.notFound)
    if (isMore(each, before[index]!, names)) requireReading(action, actor)
    return each
  })
  return { records, ids, replayed: true, tokens: [] }
}

const isMore = (now: RecordAnswer, before: Answered, lists: readonly string[]): boolean =>
  now.version !== before.version ||
  now.tally !== before.tally ||
  isMoreSeen(now.mask, before.mask) ||
  (before.links !== undefined && linksIn(now, lists).some((id) => !before.links!.includes(id)))

function requireReading({ resource }: ActionModel, actor: Asker): void {
  if (credentialRefusal(actor, 'read', resource) === null) return
  const message = `This was done before; what has changed since needs the scope read:${resource.path}.`
  throw new Failure('INSUFFICIENT_SCOPE', { message })
}

/** An update that sent lists alone, and changed nothing by them, tells of nothing. (contract 13.1.6, 13.1.8) */
function noteUnchanged(
  { part: { action, inputs }, targets }: PartTargets,
  areTouched: readonly boolean[],
  unchanged: Set<TargetState>,
): void {
  if (action.kind !== 'update' || action.lists.length === 0) return
  for (const [index, target] of targets.entries()) {
    const isOfLists = Object.keys(inputs[index]!.fields).length === 0
    if (isOfLists && target.changed.size === 0 && !areTouched[index]) unchanged.add(target)
  }
}

/**
 * Effects, and then the records themselves: those of a part are stored before the effects of their children. Answers of which the
 * links or the children change.
 */
function* finish(
  { part: { action, inputs }, targets, touched }: PartTargets,
  scope: WriteScope,
): Program<readonly boolean[]> {
  const isAwaited = scope.context.model.onWrite !== null || targets.some(({ actions }) => actions.some(hasEffect))
  if (isAwaited) for (const [index, target] of targets.entries()) yield* effects(target, index, scope)
  yield* requireLiving(action, targets, scope)
  if (action.resource.tenants.length > 0)
    for (const target of targets) {
      const { id, after: values } = target
      yield* requireOneTenant(action.resource, { id, values, fields: authoredFields(target) }, scope)
    }
  const inOrder = commitOrder(action, targets)
  // A change of its links, or of its children, is a change of the record.
  const areLinked = action.kind === 'create' ? [] : yield* replaceLinks(targets, inputs, scope)
  const areTouched = targets.map((_, index) => areLinked[index] === true || touched.has(index))
  const isTouched = inOrder.map((index) => areTouched[index]!)
  if (targets.length > 1 && !scope.isSeparate) {
    const sorted = inOrder.map((index) => targets[index]!)
    yield* commitTogether(action, sorted, isTouched, scope)
  } else
    for (const [at, index] of inOrder.entries())
      yield* commit(action, targets[index]!, { index, isTouched: isTouched[at]! }, scope)
  if (action.kind === 'create') yield* linkNew(targets, inputs, scope)
  return areTouched
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

const eventsOf = (target: TargetState): readonly EmittedEvent[] =>
  target.actions.flatMap((action) => emittedBy(action, target, target.secrets.tokens))

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
