// Opens the targets of a create. Rules are checked before a record is stored. (contract 4.1)

import { Failure } from '../../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { fromParent } from '../../resource/model/nested.ts'
import { type Condition, innerConditions, ofNewRecord } from '../../resource/model/rule/condition.ts'
import { allowCondition, isWithoutAccount } from '../../resource/model/rule/record-action.ts'
import type { Program } from '../../store/store.ts'
import type { RowValues } from '../row/load.ts'
import { addPending } from '../row/pending.ts'
import { newRecord, withActor } from '../row/record.ts'
import { inheritTenants, isSourceOf } from '../row/tenant.ts'
import { isInTree, lockToEnter } from '../row/tree.ts'
import type { WriteScope } from '../write-scope.ts'
import { holdersOfNew } from './lock-plan.ts'
import { type Candidate, constantsOf, holdAll, isDecided, noteUseOf } from './new-record-rule.ts'
import type { ChildPart, Part } from './part.ts'
import { missingReferences, type Reference, referenceFailure } from './reference.ts'
import { namesByKey, resolveKeys } from './resolve-keys.ts'
import {
  type CheckedWrite,
  outdated,
  type PartTargets,
  partTargets,
  type TargetState,
  targetState,
} from './target-state.ts'

/**
 * Fails with FORBIDDEN if the actor may not create or move a record, and with BUSINESS_RULE_VIOLATION if a reference is missing
 * or hidden (first if the rule follows it). Each check covers all parts before the next.
 */
export function* createTargets(write: CheckedWrite, scope: WriteScope): Program<readonly PartTargets[]> {
  const { call, children } = write
  const parts: PartTargets[] = []
  for (const part of [write, ...children]) {
    const parents = 'parent' in part ? parts[part.parent]!.targets : []
    parts.push(partTargets(part, yield* newTargets(part, parents, isReferred(write, parts.length), scope)))
  }
  const missing = yield* checkParts(parts, scope)
  // `If-Match` requires an existing record.
  if (call.targets.some(({ versions }) => versions !== undefined)) throw outdated()
  if (missing.length > 0) throw referenceFailure(missing)
  return parts
}

/** By what is written before them: children, and records that effects create. */
export const isReferred = ({ action, children }: CheckedWrite, part: number): boolean =>
  children.some(({ parent }) => parent === part) ||
  (part > 0 && [{ action }, ...children].some((each) => each.action.effect !== null))

/** Returns missing references. Fails as `createTargets`. */
export function* checkParts(parts: readonly PartTargets[], scope: WriteScope): Program<readonly Reference[]> {
  const candidates = parts.map((each) => candidatesOf(each, scope))
  for (const all of candidates) {
    const decided = all.filter((each) => isDecided(each, scope))
    if (decided.length > 0 && !(yield* holdAll(decided, scope))) throw new Failure('FORBIDDEN')
  }
  const open = candidates.map((all) => all.filter((each) => !isDecided(each, scope)))
  const referring = parts.map(({ part: { action, inputs }, targets }) => {
    const records = targets.map(({ after }) => after)
    return { action, inputs, records }
  })
  const missing: Reference[] = []
  const ofParts = yield* missingReferences(referring, holdersOfNew(referring, scope), scope)
  for (const [index, { part }] of parts.entries()) {
    const own = ofParts[index]!.map((each) => placedReference(each, part))
    const { resource } = part.action
    const isOnPath = (field: string) => open[index]!.some(({ condition }) => isPathOf(condition, field, resource))
    if (own.some(({ field }) => isOnPath(field))) throw referenceFailure(own)
    missing.push(...own)
  }
  const questions = open.flat()
  if (questions.length > 0 && !(yield* holdAll(questions, scope))) throw new Failure('FORBIDDEN')
  for (const each of questions) yield* noteUseOf(each, scope)
  return missing
}

/** Other records were written since the first check. Fails with FORBIDDEN. */
export function* requireStillAllowedNew(part: PartTargets, scope: WriteScope): Program<void> {
  const candidates = candidatesOf(part, scope)
  if (candidates.length > 0 && !(yield* holdAll(candidates, scope))) throw new Failure('FORBIDDEN')
}

function placedReference(reference: Reference, part: Part | ChildPart): Reference {
  if (!('places' in part)) return reference
  const { target, path } = part.places[reference.index]!
  return { ...reference, index: target, path: `${path}.${reference.path}` }
}

/** Rules of the moves that follow apply to the new record, too. */
function candidatesOf({ part, targets }: PartTargets, scope: WriteScope): readonly Candidate[] {
  const { action, inputs, condition, fieldConditions } = part
  if (action.kind !== 'create') return []
  return targets.flatMap((target, index): readonly Candidate[] => {
    const moves = inputs[index]!.also.map((move) => allowCondition(move, scope.actor))
    const conditions = [condition, ...fieldConditions, ...moves].filter(({ is }) => is !== 'always')
    if (conditions.length === 0) return []
    const record = { ...target.after, ...constantsOf(action) }
    return conditions.map((each) => ({ condition: ofNewRecord(each), record, resource: action.resource }))
  })
}

const isPathOf = (condition: Condition, field: string, resource: ResourceModel): boolean =>
  leadsTo(condition, field) || (isSourceOf(field, resource) && leadsToTenant(condition, resource))

const leadsTo = (condition: Condition, field: string): boolean =>
  condition.is === 'related'
    ? condition.relation.field === field
    : condition.is !== 'some' && innerConditions(condition).some((each) => leadsTo(each, field))

const leadsToTenant = (condition: Condition, { tenants }: ResourceModel): boolean =>
  tenants.some(({ field }) => leadsTo(condition, field))

/** Fills in inherited tenants and references by key. */
export function* newTargets(
  part: Part | ChildPart,
  parents: readonly TargetState[],
  isNamed: boolean,
  scope: WriteScope,
): Program<readonly TargetState[]> {
  const { action, inputs } = part
  const targets = inputs.map((_, index) => {
    const own = 'list' in part ? fromParent(part.list, parentOf(part), parents[part.parents[index]!]!.after) : {}
    return newTarget(part, index, own, scope)
  })
  const isAwaited = action.effect !== null || scope.context.model.onWrite !== null
  if (isAwaited || isNamed) for (const { id, after } of targets) addPending(scope, id, after)
  const records = targets.map(({ after }) => after)
  if (action.resource.tenants.length > 0) yield* inheritTenants(action.resource, records, scope)
  if (isInTree(action.resource)) yield* lockToEnter(action.resource, records, scope)
  if (namesByKey(inputs))
    yield* resolveKeys(action, inputs, records, scope, (index, field, id) => {
      records[index]![field] = id
      ;(targets[index]!.callbackArguments.input as RowValues)[field] = id
    })
  return targets
}

const parentOf = ({ list }: ChildPart): ResourceModel => list.relation.by.target

function newTarget(
  { action, inputs, secrets }: Part,
  index: number,
  fromParent: Readonly<RowValues>,
  scope: WriteScope,
): TargetState {
  const { context, actor, now } = scope
  const { resource } = action
  const input = inputs[index]!
  const id = context.newId(resource, now)
  requireAccountFields(action, input.fields, index, scope)
  const isWhole = Object.keys(fromParent).length === 0
  const sent = isWhole ? input.fields : { ...input.fields, ...fromParent }
  const values = withActor(resource, sent, actor)
  const after = newRecord(resource, id, values, now)
  const seen = values === sent ? values : { ...acceptedOf(action, values), ...fromParent }
  const actions = [action, ...input.also]
  return targetState({ id, before: null, after, input: seen, actions, secrets: secrets[index]! }, scope)
}

/** A caller without an account must name one, if the action accepts it. Fails with VALIDATION_ERROR. (contract 10.2.13) */
function requireAccountFields(
  { resource }: ActionModel,
  fields: Readonly<RowValues>,
  target: number,
  { actor, vocabulary }: WriteScope,
): void {
  if (!isWithoutAccount(actor)) return
  const missing = resource.actorColumns.filter(({ field, nullable }) => !nullable && fields[field] === undefined)
  if (missing.length === 0) return
  const message = 'Is required of a key that is no account.'
  const details = missing.map(({ field }) => ({ field: vocabulary.name(resource, field), message, target }))
  throw new Failure('VALIDATION_ERROR', { details })
}

/** The callbacks' input holds the actor only if clients may send another. */
function acceptedOf({ accept }: ActionModel, values: Readonly<RowValues>): Readonly<RowValues> {
  const accepted: RowValues = {}
  for (const { field } of accept) if (field in values) accepted[field] = values[field]
  return accepted
}
