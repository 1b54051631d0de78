// A body that names a record must name one that exists and that the actor may read. (contract 4.5.11)

import { getOrInsert } from '../cache/get-or-insert.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import { isTrue } from '../read-plan/print.ts'
import { actorIdOf, codeHashOf } from '../resource/actor.ts'
import type { SpecBase } from '../resource/field/field.ts'
import type { OneSpec } from '../resource/field/relation.ts'
import type { RuleNode } from '../resource/language/rule.ts'
import type { Column } from '../resource/model/column.ts'
import { fold } from '../resource/model/condition.ts'
import { isKeptBy } from '../resource/model/kept-number.ts'
import type { ActionModel, OneRelation, ResourceModel } from '../resource/model/model.ts'
import { hasLimitedToken } from '../resource/model/token-use.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { Lock } from '../store/sql/dialect.ts'
import { noAsker } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { authoredFields } from './commit.ts'
import type { RowValues } from './load.ts'
import type { TargetState } from './target-state.ts'
import { noteUse, tokenQuestion } from './token-use.ts'
import type { ValidInput } from './valid-input.ts'
import { askingOf, type RowScope, type WriteScope } from './write-scope.ts'

/** A record that an input names. */
export interface Reference {
  readonly target: ResourceModel
  readonly id: string
  /** The accepted field, and where in it the client wrote it. */
  readonly field: string
  readonly path: string
  readonly index: number
  /** What must hold of it for whoever names it. */
  readonly rules: readonly RuleNode[]
  /** Of which field it must have this value, too; null where it need not. */
  readonly same: { readonly column: Column; readonly value: unknown } | null
}

/**
 * Locks every record that the inputs name, so that none is deleted before this transaction ends.
 * Fails with BUSINESS_RULE_VIOLATION, naming each field whose record is missing or hidden.
 */
export function* requireReferences(
  action: ActionModel,
  inputs: readonly ValidInput[],
  records: readonly Readonly<RowValues>[],
  scope: WriteScope,
): Program<void> {
  const missing = yield* missingReferences(action, inputs, records, scope)
  if (missing.length > 0) throw referenceFailure(missing)
}

/**
 * Locks every record that the inputs name; answers those that are missing or hidden, or are not what `into` and `same` ask.
 * `records` are those that the inputs are written to: as they were, or as new ones will be.
 */
export function* missingReferences(
  action: ActionModel,
  inputs: readonly ValidInput[],
  records: readonly Readonly<RowValues>[],
  scope: WriteScope,
): Program<readonly Reference[]> {
  const { actor, statements } = scope
  const references = inputs.flatMap((input, index) => [
    ...referencesOf(action, input, records[index] ?? {}, index, scope),
    ...sameReferences(action, input, records[index] ?? {}, index, scope),
  ])
  // What is made with it is there: only what both must have in common is left to ask.
  const { pending } = scope
  const stored = pending.size === 0 ? references : references.filter(({ id }) => !pending.has(id))
  const missing = references.filter(({ id, same }) => {
    const own = same === null ? undefined : pending.get(id)?.record[same.column.field]
    return pending.has(id) && same !== null && own !== same.value
  })
  for (const target of lockOrder(action.resource, stored)) {
    // An effect may change it, and the use of a token is counted in it: the stronger lock at once keeps two writes from a deadlock.
    const mayCount = codeHashOf(actor) !== null && hasLimitedToken(target)
    const lock = action.effect === null && !mayCount ? lockOf(action.resource, target) : 'update'
    const toTarget = stored.filter((each) => each.target === target)
    const ids = [
      ...new Set([...toTarget.map((each) => each.id), ...formerHolders(action, target, inputs, records)]),
    ].sort()
    const rules = [...new Set(toTarget.flatMap((each) => each.rules))]
    const conditions = rules.map((rule) => fold(rule, target, actor))
    const columns = [...new Set(toTarget.flatMap(({ same }) => same?.column ?? []))]
    const question = tokenQuestion(conditions, target, scope)
    const allConditions = [...conditions, ...question.conditions]
    const rows = yield statements.load(
      { resource: target, conditions: allConditions, columns, lock },
      askingOf(scope),
      ids,
    )
    if (rows.some((row) => !row.slice(2 + conditions.length, 2 + allConditions.length).every(isTrue)))
      noteUse(question, scope)
    const byId = new Map(rows.map((row) => [row[0], row]))
    const isThere = (reference: Reference): boolean => {
      const row = byId.get(reference.id)
      if (row === undefined || !reference.rules.every((rule) => isTrue(row[2 + rules.indexOf(rule)]!))) return false
      const { same } = reference
      return (
        same === null ||
        (same.value !== null && row[2 + allConditions.length + columns.indexOf(same.column)] === same.value)
      )
    }
    missing.push(...toTarget.filter((each) => !isThere(each)))
  }
  // What is missing and what is elsewhere are one problem of a field.
  return [...new Map(missing.map((each) => [`${each.index} ${each.path}`, each])).values()]
}

/** The record keeps a number of what names it, and is written in the end: two that share the lock would wait for each other. */
const lockOf = (resource: ResourceModel, target: ResourceModel): 'share' | 'no key update' =>
  isKeptBy(resource, target) ? 'no key update' : 'share'

/** Holders of numbers are locked in the order in which they are written in the end. */
function lockOrder(resource: ResourceModel, references: readonly Reference[]): readonly ResourceModel[] {
  const targets = [...new Set(references.map((each) => each.target))]
  if (!targets.some((each) => isKeptBy(resource, each))) return targets
  return targets.sort((one, other) => (one.table < other.table ? -1 : 1))
}

/** The holders that records are about to leave for others, which lose what those win: all are locked in one order. */
function formerHolders(
  { resource, kind }: ActionModel,
  target: ResourceModel,
  inputs: readonly ValidInput[],
  records: readonly Readonly<RowValues>[],
): readonly string[] {
  if (kind === 'create' || !isKeptBy(resource, target)) return []
  const relations = resource.contributions.flatMap(({ holder, relation }) =>
    holder === target && relation.kind === 'many' ? [relation.by.field] : [],
  )
  return relations.flatMap((field) =>
    inputs.flatMap(({ fields }, index) => {
      const former = field in fields ? records[index]?.[field] : undefined
      return typeof former === 'string' ? [former] : []
    }),
  )
}

/** What must be in one with the record: the project of a document and of its folder. Asked once either is written. */
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

/** The relations that say what the record has in common with the one that it names. */
const joinedRelations = (resource: ResourceModel): readonly OneRelation[] =>
  getOrInsert(joined, resource, () =>
    [...resource.relations.values()].filter((each) => each.kind === 'one').filter(({ same }) => same.length > 0),
  )
const joined = new WeakMap<ResourceModel, readonly OneRelation[]>()

/** What the client called the record that it named. */
const pathOf = (
  resource: ResourceModel,
  { keyed }: ValidInput,
  field: string,
  { name }: Pick<Vocabulary, 'name'>,
): string => keyed.find((each) => each.field === field)?.path ?? name(resource, field)

/** The tenants, by their columns in the target, that records of both resources are in. (contract 10.2.6) */
const commonTenants = (resource: ResourceModel, { tenants }: ResourceModel): readonly Column[] =>
  tenants.filter(({ field }) => resource.tenants.some((each) => each.field === field))

export const referenceFailure = (missing: readonly Reference[]): Failure =>
  missingReference(
    missing.map(({ path, index }) => ({ field: path, message: 'There is no such record.', target: index })),
  )

/** A record that the request needs and that is not there, or not for this actor. */
export const missingReference = (details?: readonly Detail[]): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', {
    message: 'The request refers to a record that does not exist.',
    ...(details === undefined ? {} : { details }),
  })

function referencesOf(
  action: ActionModel,
  input: ValidInput,
  record: Readonly<RowValues>,
  index: number,
  { vocabulary: names, context: { model } }: WriteScope,
): readonly Reference[] {
  const references: Reference[] = []
  const visit = (spec: SpecBase, value: unknown, field: string, path: string): void => {
    if (value === null || value === undefined) return
    if (spec.kind === 'one') {
      const { target: name, into } = spec as OneSpec
      const target = model.byName.get(name)!
      const rules = [target.read.allow, ...(into === undefined ? [] : [into])]
      const reference = { target, id: value as string, field, path, index, rules }
      references.push({ ...reference, same: null })
      // A relation of the record itself says by its `same` what both must have in common.
      if (action.resource.relations.has(field)) return
      for (const tenant of commonTenants(action.resource, target))
        references.push({ ...reference, rules: [], same: { column: tenant, value: record[tenant.field] ?? null } })
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
    for (const [at, id] of ids.entries()) {
      const reference = { target, id, field: list.field, path: `${path}[${at}]`, index }
      references.push({ ...reference, rules: [target.read.allow], same: null })
      for (const tenant of commonTenants(action.resource, target))
        references.push({ ...reference, rules: [], same: { column: tenant, value: record[tenant.field] ?? null } })
    }
  }
  return references
}

/**
 * Locks the records that the service itself refers to in what it writes, such as the author of a new post.
 * Fails with INVALID_TOKEN where the actor's own account is gone.
 */
export function* requireLiving(
  { resource }: ActionModel,
  targets: readonly Pick<TargetState, 'before' | 'after' | 'changed' | 'callbackArguments'>[],
  scope: WriteScope,
): Program<void> {
  const { actor } = scope
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'one') continue
    const { field, target } = relation
    const isActor = resource.actorColumns.some((column) => column.field === field)
    const isWritten = (each: (typeof targets)[number]) =>
      (isActor && each.before === null) || authoredFields(each).includes(field)
    const written = targets.filter(isWritten).map((each) => each.after[field])
    const missing = yield* lockTargets(target, written, lockOf(resource, target), scope)
    if (missing.length === 0) continue
    throw missing.includes(actorIdOf(actor) ?? '') ? new Failure('INVALID_TOKEN') : missingReference()
  }
}

/** The same of the fields of one record that an effect writes, where nobody in particular asked for it. */
export function* requireRelated(resource: ResourceModel, values: Readonly<RowValues>, scope: RowScope): Program<void> {
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'one') continue
    const { target, field } = relation
    const missing = yield* lockTargets(target, [values[field]], lockOf(resource, target), scope)
    if (missing.length > 0) throw missingReference()
  }
}

/** Locks what these ids name; answers those that name nothing. */
function* lockTargets(
  target: ResourceModel,
  values: readonly unknown[],
  lock: Lock,
  { statements }: RowScope,
): Program<readonly string[]> {
  const ids = [...new Set(values.filter((id): id is string => typeof id === 'string'))].sort()
  if (ids.length === 0) return []
  const rows = yield statements.load({ resource: target, conditions: [], columns: [], lock }, noAsker, ids)
  const living = new Set(rows.map((row) => row[0]))
  return ids.filter((id) => !living.has(id))
}
