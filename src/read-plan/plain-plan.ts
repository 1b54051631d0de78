// A selection with rules folded for a class of actors. Each relation is a statement; `optimise/` rewrites that.

import type { FailureCode } from '../failure/failure.ts'
import { actorOf, type Caller, credentialRefusal } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import { branchesOf } from '../resource/model/either.ts'
import type { FieldModel, OneRelation, ResourceModel } from '../resource/model/model.ts'
import { allOf, always, anyOf, type Condition, fold } from '../resource/model/rule/condition.ts'
import { idCondition } from '../resource/model/rule/readability.ts'
import { mayBegin } from '../resource/model/rule/record-action.ts'
import { fieldCondition } from '../resource/model/rule/visible-value.ts'
import { comparesWithMe } from '../resource/model/rule/where.ts'
import type { ListShape } from '../store/sql/condition/list-shape.ts'
import { mayFilterBy } from './list-access.ts'
import type { CanPart, Part, PreviousPart, Selection, ValueShape } from './selection.ts'

export interface RecordPlan {
  readonly resource: ResourceModel
  readonly parts: readonly PartPlan[]
}
export type PartPlan =
  | PartOf<'constant'>
  | RefusalPlan
  | FieldPlan
  | ReferencePlan
  | ListPlan
  | TokenPlan
  | LinksPlan
  | CanPlan
  | SelfPlan
  | PreviousPlan

/** Never visible to this class. */
export interface RefusalPlan {
  readonly kind: 'refusal'
  readonly key: string
  readonly nullable: boolean
  readonly code: FailureCode
}
export interface FieldPlan extends Pick<PartOf<'field'>, 'kind' | 'key' | 'nullable'> {
  readonly condition: Condition
  readonly hidden: Selection['hidden']
  /** The records that show the referenced id; null in others. */
  readonly visibility: Condition
  readonly source: Column | Computed
  readonly shape: ValueShape | null
}
export type Computed = NonNullable<FieldModel['computed']>

type PartOf<Kind extends Part['kind']> = Extract<Part, { kind: Kind }>

export interface ReferencePlan extends Omit<PartOf<'one'>, 'of'> {
  readonly condition: Condition
  readonly of: RecordPlan
  readonly from: 'statement' | 'join' | 'parent'
}
export interface ListPlan extends Omit<PartOf<'list'>, 'of'> {
  readonly of: RecordPlan
  readonly as: 'rows' | 'text'
}

export type TokenPlan = PartOf<'token'> & Pick<Selection, 'hidden'>
export type LinksPlan = PartOf<'links'>

export interface CanPlan {
  readonly kind: 'can'
  readonly key: string
  readonly parts: readonly { readonly key: string; readonly value: string | Condition }[]
}

export interface SelfPlan extends Omit<PartOf<'self'>, 'of'> {
  readonly of: RecordPlan
}
export interface PreviousPlan {
  readonly kind: 'previous'
  readonly key: string
  /** A field has the condition for visibility. */
  readonly parts: readonly (
    | { readonly key: string; readonly json: string }
    | { readonly key: string; readonly field: string; readonly condition: Condition; readonly shape?: ValueShape }
  )[]
}

/** `isScoped`: the records are read by its rule. */
export function plainPlan(selection: Selection, actor: Caller, isScoped = true): RecordPlan {
  const parts = selection.parts.flatMap((part) => {
    if (part.kind === 'can') return planCan(part.key, part.parts, isScoped ? null : selection.resource, actor)
    if (part.kind === 'self') return { ...part, of: plainPlan(part.of, actor, isScoped) }
    return planPart(part, selection, actor) ?? []
  })
  return { resource: selection.resource, parts }
}

function planPart(part: Exclude<Part, { kind: 'can' | 'self' }>, selection: Selection, actor: Caller): PartPlan | null {
  switch (part.kind) {
    case 'constant':
      return part
    case 'field':
      return planField(part, selection, actor)
    case 'one':
      return planReference(part, selection, actor)
    case 'list': {
      const code = listRefusal(part.list, part.of.resource, actor)
      return code === null ? { ...part, of: plainPlan(part.of, actor), as: 'rows' } : refuse(part, code)
    }
    case 'token':
      return { ...part, hidden: selection.hidden }
    case 'links':
      return credentialRefusal(actor, 'read', part.relation.target) === null ? part : null
    case 'previous':
      return { ...part, parts: part.parts.map((each) => planPrevious(each, selection, actor)) }
  }
}

/** An `either` is refused as a whole, by its first relation. */
function planReference(part: PartOf<'one'>, { resource }: Selection, actor: Caller): PartPlan | null {
  const { relation, either } = part
  const branches = either?.branches ?? [relation]
  const codes = branches.map(({ target }) => credentialRefusal(actor, 'read', target))
  const condition = openCondition(either?.field ?? relation.field, branches, resource, actor)
  const code = codes.find((each) => each !== null) ?? (condition.is === 'never' ? 'FORBIDDEN' : null)
  if (code !== null) return branches[0] === relation ? refuse(part, code) : null
  return { ...part, condition, of: plainPlan(part.of, actor), from: 'statement' }
}

function planPrevious(part: PreviousPart, { resource }: Selection, actor: Caller): PreviousPlan['parts'][number] {
  if (part.field === null) return part
  const rule = resource.protect.get(part.field)?.read
  const condition = rule === undefined ? always : fold(rule, resource, actor)
  return condition.is === 'never' ? { key: part.key, json: 'null' } : { ...part, condition }
}

function planField(part: PartOf<'field'>, { resource, hidden }: Selection, actor: Caller): PartPlan | null {
  const { key, nullable, field, shape = null } = part
  const branches = resource.fields.has(field) ? branchesOf(resource.fields.get(field)!, resource) : []
  const condition = openCondition(field, branches, resource, actor)
  if (condition.is === 'never') return hidden === 'omit' ? null : refuse(part, 'FORBIDDEN')
  const source = resource.fields.get(field)?.computed ?? resource.column.get(field)!
  const relation = resource.relations.get(field)
  const visibility =
    relation?.kind === 'one' ? idCondition(resource, relation, actor) : branchCondition(branches, resource, actor)
  return { kind: 'field', key, nullable, condition, hidden, visibility, source, shape }
}

/** A field made from relations is open where all of these are. */
const openCondition = (
  field: string,
  branches: readonly OneRelation[],
  resource: ResourceModel,
  actor: Caller,
): Condition =>
  allOf([field, ...branches.map((each) => each.field)].map((each) => fieldCondition(each, resource, actor)))

/** Whether the id of the first relation that is set may be shown. */
function branchCondition(branches: readonly OneRelation[], resource: ResourceModel, actor: Caller): Condition {
  const conditions = branches.map((each) => idCondition(resource, each, actor))
  if (conditions.every(({ is }) => is === 'always')) return always
  return anyOf(
    branches.map(({ column }, at) => {
      const before = branches.slice(0, at).map((each): Condition => ({ is: 'absent', column: each.column }))
      return allOf([...before, { is: 'present', column }, conditions[at]!])
    }),
  )
}

/** `hidden`: set if the actor may be unable to read the records; then no action can begin. */
function planCan(key: string, parts: readonly CanPart[], hidden: ResourceModel | null, actor: Caller): PartPlan {
  const readable = hidden === null ? always : fold(hidden.read.allow, hidden, actor)
  const plans = parts.map((part) => {
    if (part.action === null) return { key: part.key, value: part.json }
    const condition = allOf([readable, mayBegin(part.action, actor)])
    const isSettled = condition.is === 'always' || condition.is === 'never'
    return { key: part.key, value: isSettled ? String(condition.is === 'always') : condition }
  })
  if (plans.some(({ value }) => typeof value !== 'string')) return { kind: 'can', key, parts: plans }
  const json = plans.map((part) => `${JSON.stringify(part.key)}:${part.value}`)
  return { kind: 'constant', key, json: `{${json}}` }
}

/** Null if some actor of this class may read the list. */
function listRefusal(
  { filters, resource, where }: ListShape,
  target: ResourceModel,
  actor: Caller,
): FailureCode | null {
  const code = credentialRefusal(actor, 'read', target)
  if (code !== null) return code
  if (where != null && comparesWithMe(where) && actorOf(actor) === null) return 'UNAUTHENTICATED'
  if (filters.every(({ filter }) => mayFilterBy(filter, resource, actor))) return null
  return actorOf(actor) === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'
}

const refuse = (
  { key, nullable }: { readonly key: string; readonly nullable: boolean },
  code: FailureCode,
): RefusalPlan => ({
  kind: 'refusal',
  key,
  nullable,
  code,
})
