// Carries out a write: one path for one target or many; each stage covers all targets before the next.

import { invariant } from '../../failure/failure.ts'
import type { RecordAnswer } from '../../read-plan/run.ts'
import { type Actor, isService, noCredential } from '../../resource/actor.ts'
import { singleFactorIn } from '../../resource/model/tenant/single-factor.ts'
import type { Program } from '../../store/store.ts'
import type { Write } from '../call.ts'
import type { RunnerContext, Written } from '../context.ts'
import { linkNames, newTokensOf } from '../record-selection.ts'
import { answeredAs, keepKey, replayed } from '../row/idempotency.ts'
import { writeNumbers } from '../row/kept-number.ts'
import { countUse } from '../row/token-use.ts'
import { createTargets } from '../target/create-target.ts'
import { addLists } from '../target/list-values.ts'
import { requireDisjoint } from '../target/overlap.ts'
import { atPlaces } from '../target/part.ts'
import { requireReferences } from '../target/reference.ts'
import { replaceTargets } from '../target/replace-children.ts'
import { namesByKey, resolveKeys, withOpenKeys } from '../target/resolve-keys.ts'
import { decideAll, eventsOf, finish, note, type StageScope, settleRemoved } from '../target/stages.ts'
import {
  type CheckedWrite,
  loadTargets,
  type PartTargets,
  partTargets,
  type TargetState,
} from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'
import { collectionWrite } from './collection.ts'
import { isCreateOnly, requireUnchanged } from './create-only.ts'
import { endWrite } from './end.ts'
import { atIndex, inRequest, isWrittenOneByOne, requireStillAllowed, singleParts } from './one-by-one.ts'
import { readWritten } from './read-written.ts'
import { replay } from './replay.ts'

/**
 * A single write, or of an upsert what is replaced and what is created. The order of checks is the contract's; keep it.
 * (contract 4.1)
 */
export function* writeProgram(checked: readonly CheckedWrite[], scope: StageScope): Program<Written> {
  const [{ call, key }] = checked as readonly [CheckedWrite]
  const { action } = call
  const { context } = scope
  if (key !== null) {
    const before = yield* replayed(key, context.limits.idempotencySeconds, scope)
    if (before !== null) return { outcome: yield* replay(before, call, scope), change: null }
  }
  const writes = checked.some(hasKeys) ? yield* withKeys(checked, scope) : checked
  if (action.kind === 'collection') return yield* collectionWrite(writes[0]!, scope)
  const parts: OpenPart[] = []
  for (const write of writes) {
    const opened = yield* inRequest(write, openTargets(write, scope)) // 404, 403, 409, 422
    addLists(opened)
    parts.push(...opened.map((each) => ({ ...each, write })))
  }
  const named = parts.filter(({ part }) => !('parent' in part))
  for (const { write, targets } of named)
    if (isCreateOnly(write.call)) yield* inRequest(write, requireUnchanged(write.call, targets, scope)) // 422
  // A check that reads must find its record's parent.
  const isLate = ({ part }: PartTargets) => part.action.checkReads && 'parent' in part
  const isEarly = (each: PartTargets) => !isLate(each) && (call.dryRun === true || !isWrittenOneByOne(each))
  for (const each of parts) if (isEarly(each)) yield* inPlace(each, decideAll(each.targets, scope)) // 422
  const targets = requested(named)
  const ids = targets.map((each) => each.id)
  if (call.dryRun === true) return withIds(ids)
  const unchanged = new Set<TargetState>()
  for (const each of parts) {
    if (isWrittenOneByOne(each)) {
      yield* inRequest(each.write, writeOneByOne(each, unchanged, scope)) // 403, 422, 409
      continue
    }
    if (isLate(each)) yield* inPlace(each, decideAll(each.targets, scope))
    const areTouched = yield* inPlace(each, finish(each, scope)) // 422, 409
    noteUnchanged(each, areTouched, unchanged)
  }
  // Records that this request points elsewhere neither prevent a delete nor are deleted with it.
  for (const each of parts) yield* inPlace(each, settleRemoved(each, scope)) // 422
  for (const each of parts) note(each, named.includes(each), scope)
  const events = parts.flatMap(({ targets }) => targets.flatMap((each) => (unchanged.has(each) ? [] : eventsOf(each))))
  const change = yield* endWrite({ action, targets, events }, scope)
  const answers = call.root === null ? [] : yield* answer(call, ids, targets, scope)
  const created = targets.filter(({ before }) => before === null).length
  if (key !== null) {
    const first = created > 0 ? { records: answers } : null
    const answered = answeredAs(ids, answers, linkNames(action.resource, call.vocabulary))
    const counted = checked[0]!.indexes === null ? 0 : created
    yield* keepKey(key, { records: answered, created: counted, answer: first }, scope)
  }
  if (scope.tokensUsed.size > 0) yield* countUse(scope)
  if (scope.exclusions.size > 0) yield* requireDisjoint(parts, scope, inPlace) // 422, 409
  return { outcome: { records: answers, ids, created, replayed: false }, change }
}

interface OpenPart extends PartTargets {
  readonly write: CheckedWrite
}

const inPlace = <T>({ part, write }: OpenPart, stage: Program<T>): Program<T> => inRequest(write, atPlaces(part, stage))

function requested(named: readonly OpenPart[]): readonly TargetState[] {
  const all: TargetState[] = []
  for (const { write, targets } of named)
    for (const [at, each] of targets.entries()) all[write.indexes?.[at] ?? at] = each
  return all
}

const hasKeys = ({ inputs, children }: CheckedWrite): boolean =>
  namesByKey(inputs) || children.some((part) => namesByKey(part.inputs))

/** Adds ids of records that inputs name by keys of the whole service. */
function* withKeys(checked: readonly CheckedWrite[], scope: WriteScope): Program<readonly CheckedWrite[]> {
  const writes = checked.map((each): CheckedWrite => {
    const children = each.children.map((part) => ({ ...part, inputs: withOpenKeys(part.inputs) }))
    return { ...each, inputs: withOpenKeys(each.inputs), children }
  })
  for (const part of writes.flatMap((each) => [each, ...each.children]))
    if (namesByKey(part.inputs)) yield* resolveKeys(part.action, part.inputs, null, scope)
  return writes
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

/** The first failure is reported. */
function* writeOneByOne(all: PartTargets, unchanged: Set<TargetState>, scope: StageScope): Program<void> {
  for (const [index, each] of singleParts(all).entries()) {
    const stages = writeNext(each, index, unchanged, scope)
    yield* 'places' in each.part ? atPlaces(each.part, stages) : atIndex(index, stages)
  }
}

function* writeNext(each: PartTargets, index: number, unchanged: Set<TargetState>, scope: StageScope): Program<void> {
  if (index > 0) yield* requireStillAllowed(each, scope)
  yield* decideAll(each.targets, scope)
  noteUnchanged(each, yield* finish(each, scope), unchanged)
  yield* writeNumbers(scope)
}

/** A write that answers ids only. */
export const withIds = (ids: readonly string[], replayed = false): Written => ({
  outcome: { records: [], ids, created: 0, replayed },
  change: null,
})

/** An update of unchanged lists alone has no event. (contract 13.1.12, 13.1.18) */
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

function* answer(
  call: Write,
  ids: readonly string[],
  targets: readonly TargetState[],
  scope: WriteScope,
): Program<readonly RecordAnswer[]> {
  const reader = isService(call.actor) ? call.actor : (newAccount(call, targets, scope.context) ?? call.actor)
  const tokens = newTokensOf(call.action).length > 0 ? targets.map(({ secrets }) => secrets.tokens) : undefined
  const answers = yield* readWritten({ ids, root: call.root!, caller: reader, tokens }, call, scope)
  return answers.map((each) => {
    invariant(each !== null, 'a record that was just written is there')
    return each
  })
}

/** The new account reads the answer to its sign-up, even if another was signed in. (contract 2.7.10) */
function newAccount({ action }: Write, [target]: readonly TargetState[], { model }: RunnerContext): Actor | null {
  if (action.resource !== model.accounts.resource || action.kind !== 'create') return null
  const role = target!.after[model.accounts.role.field] as string
  const permissions = model.roles.get(role)!
  return { id: target!.id, role, permissions, scopes: null, credential: noCredential, ...singleFactorIn(model) }
}
