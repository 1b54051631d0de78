// The stages of every record that a transaction writes, for a call or for code. Each covers all records of a part. (contract
// 4.1)

import type { ActionModel } from '../../resource/model/model.ts'
import type { Program } from '../../store/store.ts'
import type { EmittedEvent } from '../context.ts'
import { requireCascades } from '../row/cascade.ts'
import { uncountedBy } from '../row/count.ts'
import { writeInTurn } from '../row/pending.ts'
import { removeRows, settleReferrers } from '../row/remove.ts'
import { inheritTenants, requireOneTenant } from '../row/tenant.ts'
import type { WriteScope } from '../write-scope.ts'
import { commit, markMade } from './commit.ts'
import { eachTargetInTurn } from './for-each-target.ts'
import { type CallbackArguments, changesOf, emittedBy, requireState, storedOf } from './move.ts'
import { isReferring, requireOwnReferences } from './reference.ts'
import { type PartTargets, pick, put, type StagedPart, type TargetState } from './target-state.ts'
import { writeLists } from './write-lists.ts'

export interface StageScope extends WriteScope {
  readonly code: CodeStages
}
/** Stages that run code, whose own writes pass through all stages. */
export interface CodeStages {
  /** Fails with BUSINESS_RULE_VIOLATION and the definition's sentence. */
  check(action: ActionModel, callbackArguments: CallbackArguments, scope: WriteScope): Program<void>
  /** Effects and the hook may fill in fields and write other records. */
  effects(each: PartTargets<StagedPart>, scope: StageScope): Program<void>
}
type Staged = PartTargets<StagedPart>

/** Failures name their record. */
export function* decideAll(targets: readonly TargetState[], scope: StageScope): Program<void> {
  yield* eachTargetInTurn(targets, (target) => decide(target, scope))
}

export function* decide(target: TargetState, scope: StageScope): Program<void> {
  for (const [at, action] of target.actions.entries()) {
    const moment = momentOf(target, at, scope)
    yield* scope.code.check(action, moment, scope)
    apply(action, moment, target)
  }
}

/** A following move begins in the state that the previous one reached. */
function momentOf({ actions, after, callbackArguments }: TargetState, at: number, scope: StageScope) {
  if (at === 0) return callbackArguments
  requireState(actions[at]!, after, scope.vocabulary)
  return { ...callbackArguments, input: {}, record: { ...after } }
}

function apply(action: ActionModel, moment: CallbackArguments, target: TargetState): void {
  put(target, storedOf(action, moment.input))
  put(target, changesOf(action, moment, target.givenFields))
}

/**
 * Runs effects, then stores the part's records (before its children's effects). Returns, per record, whether its links or children
 * change.
 */
export function* finish(each: Staged, scope: StageScope): Program<readonly boolean[]> {
  const { part, targets } = each
  const { resource, kind } = part.action
  const hasEffect = ({ effect }: ActionModel) => effect !== null
  if (scope.context.model.onWrite !== null || targets.some(({ actions }) => actions.some(hasEffect)))
    yield* scope.code.effects(each, scope)
  let areTouched: readonly boolean[] = []
  if (part.origin === undefined) areTouched = yield* store(each, scope)
  else {
    // It may refer to a record that is not stored yet.
    const { id, after: values } = targets[0]!
    yield* writeInTurn(resource, { id, values }, scope, () => store(each, scope))
  }
  if (kind === 'delete') {
    if (part.origin === undefined) yield* requireCascades(resource, idsOf(each), scope)
    yield* removeRows(resource, idsOf(each), scope)
  }
  return areTouched
}

function* store(each: Staged, scope: WriteScope): Program<readonly boolean[]> {
  const { part, targets, touched } = each
  const { action, inputs, origin } = part
  const { resource, kind } = action
  const isNew = kind === 'create'
  const records = targets.map(({ after }) => after)
  if (isNew && resource.tenants.length > 0) yield* inheritTenants(resource, records, scope)
  yield* requireOwnReferences(each, scope)
  if (resource.tenants.length > 0)
    for (const target of targets) {
      const fields = [...resource.relations.keys()].filter((field) => isReferring(field, target, part))
      yield* requireOneTenant(resource, { id: target.id, values: target.after, fields }, scope)
    }
  const isTimed = resource.timedMoves.length > 0
  if (isTimed && !isNew) yield* markMade(resource, targets, isNew, scope)
  const inOrder = commitOrder(action, targets)
  // A change of links or children is a change of the record.
  const areLinked = isNew ? [] : yield* writeLists(targets, inputs, isNew, scope)
  const areTouched = targets.map((_, index) => areLinked[index] === true || touched.has(index))
  const isTouched = inOrder.map((index) => areTouched[index]!)
  if (targets.length > 1 && !(scope.isSeparate && isNew)) {
    const sorted = inOrder.map((index) => targets[index]!)
    yield* commit(action, sorted, { first: 0, isTouched }, scope)
  } else
    for (const [at, index] of inOrder.entries()) {
      const place = { first: origin === undefined ? index : null, isTouched: [isTouched[at]!] }
      yield* commit(action, [targets[index]!], place, scope)
    }
  if (isNew) {
    if (inputs.some(({ lists }) => lists.links.length > 0)) yield* writeLists(targets, inputs, isNew, scope)
    if (isTimed) yield* markMade(resource, targets, isNew, scope)
  }
  return areTouched
}

const first: readonly number[] = [0]

/** Two batches with the same unique values must store them in one order, or they deadlock. */
function commitOrder(
  { kind, resource: { uniques } }: StagedPart['action'],
  targets: readonly TargetState[],
): readonly number[] {
  if (targets.length === 1) return first
  const inOrder = [...targets.keys()]
  if (kind !== 'create' || uniques.length === 0) return inOrder
  const fields = uniques.flatMap(({ columns }) => columns.map(({ field }) => field))
  const keys = targets.map(({ after }) => fields.map((field) => String(after[field])).join('\0'))
  return inOrder.sort((left, right) =>
    keys[left]! < keys[right]! ? -1 : keys[left]! > keys[right]! ? 1 : left - right,
  )
}

/** Fails with BUSINESS_RULE_VIOLATION. */
export function* settleRemoved(each: Staged, scope: WriteScope): Program<void> {
  const { resource, kind } = each.part.action
  if (kind !== 'delete') return
  for (const other of yield* settleReferrers(resource, idsOf(each), scope)) scope.sideEffects.changes.push(other)
}

const idsOf = ({ targets }: Staged): readonly string[] => targets.map(({ id }) => id)

export function note({ part, targets }: Staged, isNamed: boolean, { sideEffects }: WriteScope): void {
  const { resource, kind } = part.action
  for (const target of targets) {
    const { id, after, changed, actions } = target
    if (kind === 'create' || actions.length > 0) sideEffects.uncounted.push(...uncountedBy(resource, actions, target))
    if (isNamed) continue
    if (kind !== 'create')
      sideEffects.changes.push({ resource, id, change: kind === 'delete' ? null : pick(after, changed) })
    if (kind !== 'delete') sideEffects.writes.push({ resource, id })
  }
}

export const eventsOf = (target: TargetState): readonly EmittedEvent[] =>
  target.actions.flatMap((action) => emittedBy(action, target, target.secrets.tokens))
