// Opens an update that replaces children: the record, and per list the omitted children, which are deleted, the changed and new
// ones. Unreadable children stay. (contract 13.1.8)

import { type Detail, Failure, placeFailure } from '../../failure/failure.ts'
import { requireFresh } from '../../resource/freshness.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { AcceptedChildren } from '../../resource/model/nested.ts'
import { type Condition, fold } from '../../resource/model/rule/condition.ts'
import { hasListRules } from '../../resource/model/rule/guard.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { authorizeActor } from '../authorize.ts'
import { noInput } from '../input/list-input.ts'
import { type Loaded, lockReadable, missingReference } from '../row/load.ts'
import { lockRecords } from '../row/lock.ts'
import { areOpen, noteUse, tokenQuestion } from '../row/token-use.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import { checkParts, isReferred, newTargets } from './create-target.ts'
import { forEachTarget } from './for-each-target.ts'
import { requireHolders } from './lock-plan.ts'
import { requireState } from './move.ts'
import { type ChildPart, noSecrets, placed, type Replacement } from './part.ts'
import { referenceFailure } from './reference.ts'
import { namesByKey, resolveKeys } from './resolve-keys.ts'
import {
  type CheckedWrite,
  loadRoots,
  type PartTargets,
  partTargets,
  requireCurrent,
  statesOf,
  type TargetState,
} from './target-state.ts'

/**
 * Fails with NOT_FOUND, FORBIDDEN, VALIDATION_ERROR (too many records), CONFLICT and BUSINESS_RULE_VIOLATION, each for all
 * records before the next, by their places.
 */
export function* replaceTargets(write: CheckedWrite, scope: WriteScope): Program<readonly PartTargets[]> {
  const roots = yield* loadRoots(write, scope) // 404, 403
  const { states, removals, missing } = yield* loadParts(write, statesOf(write, roots, scope), scope) // 403, 400
  requireCurrent(write, roots, scope) // 409
  if (missing.length > 0) throw missingReference(missing)
  const parts = [write, ...write.children]
  const touched = touchedOf(parts.length, [...write.children, ...removals.map(({ part }) => part)])
  const stored = parts.map((part, at) => partTargets(part, states[at]!, touched[at]))
  for (const each of [...removals, ...stored.slice(1)]) requireStates(each, scope) // 409
  for (const { part, targets } of stored) {
    if (part.action.kind === 'create' || !namesByKey(part.inputs)) continue
    const before = targets.map((each) => each.before!)
    yield* resolveKeys(part.action, part.inputs, before, scope)
  }
  const absent = yield* checkParts(stored, scope) // 403, 422
  if (absent.length > 0) throw referenceFailure(absent)
  const [root, ...children] = stored
  // A deleted record may free a value for another.
  return [root!, ...removals, ...children]
}

interface Removal extends PartTargets {
  readonly part: ChildPart
}
interface LoadedParts {
  readonly states: readonly (readonly TargetState[])[]
  readonly removals: readonly Removal[]
  /** Nothing below them is loaded. */
  readonly missing: readonly Detail[]
}

function* loadParts(write: CheckedWrite, roots: readonly TargetState[], scope: WriteScope): Program<LoadedParts> {
  const { children, replacements } = write
  const states = [roots]
  const removals: Removal[] = []
  const missing: Detail[] = []
  const { recordsPerWrite } = scope.context.limits
  let count = [write, ...children].reduce((sum, { inputs }) => sum + inputs.length, 0)
  for (const [at, part] of [write, ...children].entries()) {
    if ('parent' in part && part.action.kind === 'create') {
      states[at] = yield* newTargets(part, states[part.parent]!, isReferred(write, at), scope)
    }
    for (const list of new Set(replacements.filter(({ parent }) => parent === at).map((each) => each.list))) {
      const isOfList = (each: ChildPart) => each.parent === at && each.list === list && each.action.kind === 'update'
      const changed = children.findIndex(isOfList)
      const replaced: ReplacedChildren = {
        list,
        replacements: replacements.filter((each) => each.parent === at && each.list === list),
        parents: states[at]!,
        part: children[changed] ?? null,
      }
      const loaded = yield* loadChildren(replaced, scope)
      missing.push(...loaded.missing)
      count += loaded.leftOut
      if (count > recordsPerWrite) throw tooMany(replaced, recordsPerWrite)
      if (loaded.changed.length > 0) states[changed + 1] = statesOf(children[changed]!, loaded.changed, scope)
      if (loaded.removal !== null) removals.push(loaded.removal)
    }
    if (missing.length > 0) break
  }
  return { states, removals, missing }
}

interface ReplacedChildren {
  readonly list: AcceptedChildren
  readonly replacements: readonly Replacement[]
  readonly parents: readonly TargetState[]
  readonly part: ChildPart | null
}
interface LoadedChildren {
  readonly changed: readonly Loaded[]
  readonly removal: Removal | null
  readonly leftOut: number
  readonly missing: readonly Detail[]
}

/** Fails with FORBIDDEN if a changed or omitted child may not be written. */
function* loadChildren(replaced: ReplacedChildren, scope: WriteScope): Program<LoadedChildren> {
  const { list, part } = replaced
  const { target } = list.relation
  const { missing, leftOut } = yield* readChildren(replaced, scope)
  const changedIds = missing.length > 0 ? [] : (part?.ids ?? [])
  const ids = [...changedIds, ...leftOut.keys()].sort()
  if (ids.length === 0 || missing.length > 0) return { changed: [], removal: null, leftOut: leftOut.size, missing }
  const deletion = leftOut.size === 0 ? null : requireDeletion(target, [...leftOut.values()][0]!, scope)
  const changing = part === null ? [] : [part.condition, ...part.fieldConditions]
  const conditions = deletion === null ? changing : [...changing, deletion.condition]
  const readsLists = [part?.action, deletion?.action].some((each) => each !== undefined && hasListRules(each))
  if (readsLists) yield* lockRecords(target, ids, 'no key update', scope)
  const readable = fold(target.read.allow, target, scope.actor)
  const question = tokenQuestion([readable, ...conditions], target, scope)
  const loaded = yield* lockReadable(
    target,
    ids,
    { required: [], others: [...conditions, ...question.conditions] },
    scope,
  )
  if (loaded.some((each) => each?.holds.slice(conditions.length).includes(false)))
    yield* noteUse(question, scope, (narrowed) => areOpen(target, ids, conditions, narrowed))
  const present = loaded.filter((each) => each !== null)
  requireHolders(target, present, null, scope)
  const byId = new Map(present.map((each) => [each.id, each]))
  const changed = changedIds.map((id) => byId.get(id) ?? null)
  const gone = changed.flatMap((each, at) => (each === null ? [absent(part!.places[at]!)] : []))
  const refused = [
    ...changed.flatMap((each, at) =>
      each === null || each.holds.slice(0, changing.length).every((holds) => holds)
        ? []
        : [{ ...atPlace(part!.places[at]!), message: 'You may not change it.' }],
    ),
    ...[...leftOut].flatMap(([id, { path, target: at }]) =>
      byId.get(id)?.holds[changing.length] === false
        ? [{ field: path, message: `You may not delete ${id}.`, target: at }]
        : [],
    ),
  ]
  if (refused.length > 0) throw new Failure('FORBIDDEN', { details: refused, target: refused[0]!.target })
  const removal = deletion === null ? null : removalOf(replaced, deletion, { byId, leftOut }, scope)
  return { changed: gone.length > 0 ? [] : changed.map((each) => each!), removal, leftOut: leftOut.size, missing: gone }
}

function* readChildren(
  { list, replacements, parents }: ReplacedChildren,
  scope: WriteScope,
): Program<{ readonly missing: readonly Detail[]; readonly leftOut: ReadonlyMap<string, Replacement> }> {
  const { target, by } = list.relation
  const { actor, statements, dialect, context } = scope
  const byParent = new Map(replacements.map((each) => [parents[each.index]!.id, each]))
  // A request names fewer than half of these.
  const which = { condition: fold(target.read.allow, target, actor), limit: 2 * context.limits.recordsPerWrite }
  const keys = dialect.keys([...byParent.keys()])
  const rows = yield boundTo(statements.children(target, by.column, which), { ...ruleInputsOf(scope), keys })
  const leftOut = new Map(rows.map(([id, parent]) => [id as string, byParent.get(parent as string)!]))
  const missing: Detail[] = []
  for (const replacement of replacements)
    for (const { id, path } of replacement.named) {
      if (leftOut.get(id) !== replacement) missing.push(absent({ path, target: replacement.target }))
      leftOut.delete(id)
    }
  return { missing, leftOut }
}

/** Fails as a delete of the child, at the place of its list. */
function requireDeletion(
  { actions }: ResourceModel,
  { path, target }: Replacement,
  { actor, now }: Pick<WriteScope, 'actor' | 'now'>,
): Deletion {
  const action = actions.get('delete')
  try {
    if (action === undefined) throw new Failure('FORBIDDEN')
    const condition = authorizeActor(action, actor)
    requireFresh(action.freshSeconds, actor, now)
    return { action, condition }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const details = [{ field: path, message: 'You may not delete those that are left out.', target }]
    throw placeFailure(error, { details, target })
  }
}
interface Deletion {
  readonly action: ChildPart['action']
  readonly condition: Condition
}

function removalOf(
  { list, replacements }: ReplacedChildren,
  { action, condition }: Deletion,
  { byId, leftOut }: { byId: ReadonlyMap<string, Loaded>; leftOut: ReadonlyMap<string, Replacement> },
  scope: WriteScope,
): Removal {
  const loaded = [...leftOut.keys()].sort().flatMap((id) => byId.get(id) ?? [])
  const lists = loaded.map(({ id }) => leftOut.get(id)!)
  const part: ChildPart = {
    action,
    condition,
    fieldConditions: [],
    inputs: loaded.map(() => noInput),
    secrets: loaded.map(() => noSecrets),
    list,
    parent: replacements[0]!.parent,
    parents: lists.map(({ index }) => index),
    places: lists,
    ids: loaded.map(({ id }) => id),
  }
  return { ...partTargets(part, statesOf(part, loaded, scope)), part }
}

function requireStates({ part, targets }: PartTargets, { vocabulary }: Pick<WriteScope, 'vocabulary'>): void {
  try {
    forEachTarget(targets, ({ before }) => before !== null && requireState(part.action, before, vocabulary))
  } catch (error) {
    throw placed(error, part)
  }
}

function touchedOf(count: number, children: readonly ChildPart[]): readonly ReadonlySet<number>[] {
  const touched = Array.from({ length: count }, () => new Set<number>())
  for (const { parent, parents } of children) for (const index of parents) touched[parent]!.add(index)
  return touched
}

const atPlace = ({ path, target }: ChildPart['places'][number]) => ({ field: path, target })
const absent = ({ path, target }: ChildPart['places'][number]): Detail => ({
  field: `${path}.id`,
  message: 'There is no such record.',
  target,
})

function tooMany({ replacements: [list] }: ReplacedChildren, max: number): Failure {
  const message = `At most ${max} records in one request, with those that are left out.`
  return new Failure('VALIDATION_ERROR', { details: [{ field: list!.path, message, target: list!.target }] })
}
