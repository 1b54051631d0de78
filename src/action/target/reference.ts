// A record that an input names must exist and be readable. (contract 4.5.11)

import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import { isTrue } from '../../read-plan/print.ts'
import { actorIdOf } from '../../resource/actor.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import type { OneSpec } from '../../resource/field/relation.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel, OneRelation, ResourceModel } from '../../resource/model/model.ts'
import { isHeldBy } from '../../resource/model/number/holding.ts'
import { compareLocks } from '../../resource/model/number/lock-order.ts'
import { type Condition, fold } from '../../resource/model/rule/condition.ts'
import { hasListRule } from '../../resource/model/rule/guard.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { Program, StoredRow } from '../../store/store.ts'
import { inputName } from '../input/either-input.ts'
import { missingReference, type RowValues } from '../row/load.ts'
import { loadLocked, lockNamedByCode, lockOf, lockRecords } from '../row/lock.ts'
import { noteUse, type TokenQuestion, tokenQuestion } from '../row/token-use.ts'
import type { ValidInput } from '../valid-input.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import { authoredFields } from './commit.ts'
import type { PartTargets, StagedPart, TargetState } from './target-state.ts'

export interface Reference {
  readonly target: ResourceModel
  readonly id: string
  /** The accepted field, and its path in the input. */
  readonly field: string
  readonly path: string
  readonly index: number
  /** Rules that the referenced record must meet. */
  readonly rules: readonly RuleNode[]
  /** A field of the referenced record that must equal this value (`same`); null if none. */
  readonly same: { readonly column: Column; readonly value: unknown } | null
}

/** Locks the referenced records. Fails with BUSINESS_RULE_VIOLATION, naming each field whose record is missing or hidden. */
export function* requireReferences(
  action: ActionModel,
  inputs: readonly ValidInput[],
  records: readonly Readonly<RowValues>[],
  scope: WriteScope,
): Program<void> {
  const missing = (yield* missingReferences([{ action, inputs, records }], new Map(), scope)).flat()
  if (missing.length > 0) throw referenceFailure(missing)
}

export interface ReferringPart {
  readonly action: ActionModel
  readonly inputs: readonly ValidInput[]
  /** Those written to, as stored, or new for a create. */
  readonly records: readonly Readonly<RowValues>[]
}

/**
 * Locks the records that the parts refer to, and these holders. Returns, for each part, references that are missing, hidden, or do
 * not meet `into` and `same`.
 */
export function* missingReferences(
  parts: readonly ReferringPart[],
  holders: ReadonlyMap<ResourceModel, ReadonlySet<string>>,
  scope: WriteScope,
): Program<readonly (readonly Reference[])[]> {
  const { pending } = scope
  const references = parts.map((part) => referencesIn(part, scope))
  if (holders.size === 0 && references.every((own) => own.length === 0)) return references
  const byTarget = Map.groupBy(references.flat(), ({ target }) => target)
  const missing = new Set<Reference>()
  for (const target of [...new Set([...byTarget.keys(), ...holders.keys()])].sort(compareLocks)) {
    const own = byTarget.get(target) ?? []
    const stored = own.filter(({ id }) => !pending.has(id))
    // A record created with it exists; only `same` must be checked.
    for (const each of own) if (isPendingOther(each, pending)) missing.add(each)
    const held = holders.get(target) ?? []
    if (stored.length === 0) yield* lockRecords(target, held, 'no key update', scope)
    else for (const each of yield* missingAmong(target, stored, held, scope)) missing.add(each)
  }
  // Missing and mismatched are one problem of a field.
  return references.map((own) => [
    ...new Map(own.filter((each) => missing.has(each)).map((each) => [`${each.index} ${each.path}`, each])).values(),
  ])
}

const isPendingOther = ({ id, same }: Reference, pending: WriteScope['pending']): boolean => {
  const other = pending.get(id)
  return other !== undefined && same !== null && other.record[same.column.field] !== same.value
}

const referencesIn = ({ action, inputs, records }: ReferringPart, scope: WriteScope): readonly Reference[] =>
  inputs.flatMap((input, index) => [
    ...referencesOf(action, input, records[index] ?? {}, index, scope),
    ...sameReferences(action, input, records[index] ?? {}, index, scope),
  ])

function* missingAmong(
  target: ResourceModel,
  references: readonly Reference[],
  held: Iterable<string>,
  scope: WriteScope,
): Program<readonly Reference[]> {
  const lock = lockOf(target, scope)
  const ids = [...new Set([...references.map((each) => each.id), ...held])].sort()
  const rules = [...new Set(references.flatMap((each) => each.rules))]
  const conditions = rules.map((rule) => fold(rule, target, scope.actor))
  const columns = [...new Set(references.flatMap(({ same }) => same?.column ?? []))]
  // Rules about lists are checked after the lock.
  if (rules.some((rule) => rule !== target.read.allow && hasListRule(rule, target)))
    yield* lockRecords(target, ids, lock, scope)
  const question = tokenQuestion(conditions, target, scope)
  const allConditions = [...conditions, ...question.conditions]
  const load = { resource: target, conditions: allConditions, columns }
  const rows = yield* loadLocked(load, ruleInputsOf(scope), ids, lock, scope)
  const byId = new Map(rows.map((row) => [row[0], row]))
  const isOpen = (
    { id, rules: own }: Reference,
    among: ReadonlyMap<unknown, StoredRow> = byId,
    placeOf = (rule: number) => rule,
  ): boolean => own.every((rule) => isTrue(among.get(id)?.[2 + placeOf(rules.indexOf(rule))] ?? 0))
  const open = question.places.length === 0 ? [] : references.filter((each) => isOpen(each))
  if (!open.every((each) => isOpen(each, byId, placesWithoutTokens(question, conditions.length))))
    yield* noteUse(question, scope, (narrowed) => areStillOpen(open, { target, ids, conditions, isOpen }, narrowed))
  const isThere = (reference: Reference): boolean => {
    const row = byId.get(reference.id)
    if (row === undefined || !isOpen(reference)) return false
    const { same } = reference
    return (
      same === null ||
      (same.value !== null && row[2 + allConditions.length + columns.indexOf(same.column)] === same.value)
    )
  }
  return references.filter((each) => !isThere(each))
}

interface OpenReferences {
  readonly target: ResourceModel
  readonly ids: readonly string[]
  readonly conditions: readonly Condition[]
  readonly isOpen: (reference: Reference, among: ReadonlyMap<unknown, StoredRow>) => boolean
}

function* areStillOpen(
  references: readonly Reference[],
  { target, ids, conditions, isOpen }: OpenReferences,
  scope: WriteScope,
): Program<boolean> {
  const load = { resource: target, conditions, columns: [], lock: null }
  const rows = yield scope.statements.load(load, ruleInputsOf(scope), ids)
  const byId = new Map(rows.map((row) => [row[0], row]))
  return references.every((each) => isOpen(each, byId))
}

/** Where a rule's result without limited tokens is, next to the results of all rules. */
const placesWithoutTokens =
  ({ places }: TokenQuestion, rules: number) =>
  (rule: number): number =>
    places.includes(rule) ? rules + places.indexOf(rule) : rule

/** `same` is checked whenever either side is written: a document and its folder are in one project. */
function sameReferences(
  { resource, kind }: ActionModel,
  input: ValidInput,
  before: Readonly<RowValues>,
  index: number,
  { vocabulary }: WriteScope,
): readonly Reference[] {
  const relations = kind === 'collection' ? [] : joinedRelations(resource)
  if (relations.length === 0) return []
  const { fields } = input
  // A new record has its defaults already.
  const record = kind === 'create' ? before : { ...before, ...fields }
  return relations.flatMap((relation): readonly Reference[] => {
    const { field, target } = relation
    const id = record[field] ?? null
    if (id === null) return []
    return relation.same.flatMap((same): readonly Reference[] => {
      if (kind !== 'create' && !(field in fields) && !(same in fields)) return []
      const path = pathOf(resource, input, field in fields || !(same in fields) ? field : same, vocabulary)
      const common = { column: target.column.get(same)!, value: record[same] ?? null }
      return [{ target, id: id as string, field, path, index, rules: [], same: common }]
    })
  })
}

const joinedRelations = memoize(({ relations }: ResourceModel): readonly OneRelation[] =>
  [...relations.values()].filter((each) => each.kind === 'one').filter(({ same }) => same.length > 0),
)

const pathOf = (
  resource: ResourceModel,
  { keyed }: ValidInput,
  field: string,
  names: Pick<Vocabulary, 'name' | 'either'>,
): string => keyed.find((each) => each.field === field)?.path ?? inputName(resource, field, names)

/** Columns of tenants that both resources are in. (contract 10.2.6) */
const commonTenants = (resource: ResourceModel, { tenants }: ResourceModel): readonly Column[] =>
  tenants.filter(({ field }) => resource.tenants.some((each) => each.field === field))

export const referenceFailure = (missing: readonly Reference[]): Failure =>
  missingReference(
    missing.map(({ path, index }) => ({ field: path, message: 'There is no such record.', target: index })),
  )

function referencesOf(
  action: ActionModel,
  input: ValidInput,
  record: Readonly<RowValues>,
  index: number,
  { vocabulary: names, context: { model } }: WriteScope,
): readonly Reference[] {
  const references: Reference[] = []
  const add = (reference: Omit<Reference, 'same'>, tenants: readonly Column[]): void => {
    references.push({ ...reference, same: null })
    for (const tenant of tenants)
      references.push({ ...reference, rules: [], same: { column: tenant, value: record[tenant.field] ?? null } })
  }
  const visit = (spec: SpecBase, value: unknown, field: string, path: string): void => {
    if (value === null || value === undefined) return
    if (spec.kind === 'one') {
      const { target: name, into } = spec as OneSpec
      const target = model.byName.get(name)!
      const rules = [target.read.allow, ...(into === undefined ? [] : [into])]
      // `same` of a relation covers the tenant.
      const tenants = action.resource.relations.has(field) ? [] : commonTenants(action.resource, target)
      add({ target, id: value as string, field, path, index, rules }, tenants)
    }
    if (spec.kind === 'argument') visit((spec as SpecBase & { of: SpecBase }).of, value, field, path)
    if (spec.kind === 'list') {
      const { of } = spec as SpecBase & { of: SpecBase }
      for (const [at, each] of (value as unknown[]).entries()) visit(of, each, field, `${path}[${at}]`)
    }
    if (spec.kind === 'object') {
      const parts = (spec as SpecBase & { fields: Readonly<Record<string, SpecBase>> }).fields
      for (const [part, of] of Object.entries(parts)) {
        visit(of, (value as Readonly<Record<string, unknown>>)[part], field, `${path}.${names.part(part, of)}`)
      }
    }
  }
  for (const { field, spec } of action.accept)
    visit(spec, input.fields[field], field, pathOf(action.resource, input, field, names))
  for (const { list, path, ids } of input.lists.links) {
    const { target } = list.relation
    const rules = [target.read.allow, ...(list.into === null ? [] : [list.into])]
    const tenants = commonTenants(action.resource, target)
    for (const [at, id] of ids.entries())
      add({ target, id, field: list.field, path: `${path}[${at}]`, index, rules }, tenants)
  }
  return references
}

/**
 * Locks records that the service itself refers to. Fails with INVALID_TOKEN if the actor's account is gone, with
 * BUSINESS_RULE_VIOLATION if another record is.
 */
export function* requireOwnReferences({ part, targets }: PartTargets<StagedPart>, scope: WriteScope): Program<void> {
  const { resource } = part.action
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'one' || isLockedByAnother(relation, resource)) continue
    const { field, target } = relation
    const written = targets.filter((each) => isReferring(field, each, part)).map((each) => each.after[field])
    const ids = written.filter((id) => typeof id === 'string')
    const missing = yield* lockNamedByCode(target, ids, resource, scope)
    if (missing.length === 0) continue
    const isActor = part.origin === undefined && missing.includes(actorIdOf(scope.actor) ?? '')
    throw isActor ? new Failure('INVALID_TOKEN') : missingReference()
  }
}

/** An inherited tenant cannot be deleted while the record that it is inherited from is locked. */
const isLockedByAnother = ({ from, target }: OneRelation, resource: ResourceModel): boolean =>
  from !== null && !isHeldBy(resource, target)

export function isReferring(
  field: string,
  target: TargetState,
  { action: { resource, kind }, origin }: StagedPart,
): boolean {
  if (origin !== undefined) return kind === 'create' || target.changed.has(field)
  if (kind === 'create' && resource.actorColumns.some((column) => column.field === field)) return true
  return authoredFields(target).includes(field)
}
