// The plain plan of a record: a selection whose rules are folded for one class of actors. Each relation in it is a statement of
// its own; `optimise/` rewrites that.

import type { FailureCode } from '../failure/failure.ts'
import { type Asker, actorOf, credentialRefusal } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import { allOf, always, type Condition, fold } from '../resource/model/condition.ts'
import type { FieldModel, LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../resource/model/model.ts'
import { disclosureCondition } from '../resource/model/readability.ts'
import { mayBegin } from '../resource/model/record-action.ts'
import { speaksOfMe } from '../resource/model/where.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import { mayFilterBy } from './list-access.ts'
import type { CanPart, Part, PreviousPart, Selection, ValueShape } from './selection.ts'

/** A record as it is read and printed for all actors of one class. */
export interface RecordPlan {
  readonly resource: ResourceModel
  readonly parts: readonly PartPlan[]
}
export type PartPlan =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | RefusalPlan
  | FieldPlan
  | ReferencePlan
  | ListPlan
  | LinksPlan
  | CanPlan
  | SelfPlan
  | PreviousPlan

/** A part that no actor of this class may see. */
export interface RefusalPlan {
  readonly kind: 'refusal'
  readonly key: string
  readonly nullable: boolean
  readonly code: FailureCode
}
export interface FieldPlan {
  readonly kind: 'field'
  readonly key: string
  readonly nullable: boolean
  /** The records for which it may be seen … */
  readonly condition: Condition
  /** … and what becomes of it in others. */
  readonly hidden: Selection['hidden']
  /** The records of which it tells the id of what they refer to; in others it is null. */
  readonly visibility: Condition
  readonly source: Column | Computed
  readonly shape: ValueShape | null
}
export type Computed = NonNullable<FieldModel['computed']>

/** The record that a reference leads to, and where it comes from. */
export interface ReferencePlan {
  readonly kind: 'one'
  readonly key: string
  readonly nullable: boolean
  readonly relation: OneRelation
  readonly of: RecordPlan
  /** A statement of its own, a join in the statement of the record that refers to it, or the record whose list this is. */
  readonly from: 'statement' | 'join' | 'parent'
}
export interface ListPlan {
  readonly kind: 'list'
  readonly key: string
  readonly nullable: boolean
  readonly relation: ManyRelation | LinkRelation
  readonly list: ListShape
  /** Which of the run's list arguments are this list's. */
  readonly slot: number
  readonly of: RecordPlan
  /** Records arrive one by one, or as JSON text that the database wrote. */
  readonly as: 'rows' | 'text'
}

export interface LinksPlan {
  readonly kind: 'links'
  readonly key: string
  readonly relation: LinkRelation
}

export interface CanPlan {
  readonly kind: 'can'
  readonly key: string
  /** Each with what is the same for every record, or with the records for which it is true. */
  readonly parts: readonly { readonly key: string; readonly value: string | Condition }[]
}

export interface SelfPlan {
  readonly kind: 'self'
  readonly key: string
  readonly of: RecordPlan
}
export interface PreviousPlan {
  readonly kind: 'previous'
  readonly key: string
  /** Each with what is the same for every record, or with the field, and the records for which it may be seen. */
  readonly parts: readonly (
    | { readonly key: string; readonly json: string }
    | { readonly key: string; readonly field: string; readonly condition: Condition }
  )[]
}

/**
 * The plain plan of a selection for all actors of this actor's class. `isScoped`: whether its records are read only if the
 * actor may read them.
 */
export function plainPlan(selection: Selection, actor: Asker, isScoped = true): RecordPlan {
  const parts = selection.parts.flatMap((part) => {
    if (part.kind === 'can') return planCan(part.key, part.parts, isScoped ? null : selection.resource, actor)
    if (part.kind === 'self') return { ...part, of: plainPlan(part.of, actor, isScoped) }
    return planPart(part, selection, actor) ?? []
  })
  return { resource: selection.resource, parts }
}

function planPart(part: Exclude<Part, { kind: 'can' | 'self' }>, selection: Selection, actor: Asker): PartPlan | null {
  switch (part.kind) {
    case 'constant':
      return part
    case 'field':
      return planField(part, selection, actor)
    case 'one': {
      const code = credentialRefusal(actor, 'read', part.of.resource)
      return code === null ? { ...part, of: plainPlan(part.of, actor), from: 'statement' } : refuse(part, code)
    }
    case 'list': {
      const code = listRefusal(part.list, part.of.resource, actor)
      return code === null ? { ...part, of: plainPlan(part.of, actor), as: 'rows' } : refuse(part, code)
    }
    case 'links':
      return credentialRefusal(actor, 'read', part.relation.target) === null ? part : null
    case 'previous':
      return { ...part, parts: part.parts.map((each) => planPrevious(each, selection, actor)) }
  }
}

function planPrevious(part: PreviousPart, { resource }: Selection, actor: Asker): PreviousPlan['parts'][number] {
  if (part.field === null) return part
  const rule = resource.protect.get(part.field)?.read
  const condition = rule === undefined ? always : fold(rule, resource, actor)
  return condition.is === 'never' ? { key: part.key, json: 'null' } : { ...part, condition }
}

function planField(
  part: Extract<Part, { kind: 'field' }>,
  { resource, hidden }: Selection,
  actor: Asker,
): PartPlan | null {
  const { key, nullable, field, shape = null } = part
  const rule = resource.protect.get(field)?.read
  const condition = rule === undefined ? always : fold(rule, resource, actor)
  if (condition.is === 'never') return hidden === 'omit' ? null : refuse(part, 'FORBIDDEN')
  const source = resource.fields.get(field)?.computed ?? resource.column.get(field)!
  const relation = resource.relations.get(field)
  const visibility = relation?.kind === 'one' ? disclosureCondition(resource, relation, actor) : always
  return { kind: 'field', key, nullable, condition, hidden, visibility, source, shape }
}

/** `hidden`: the resource of records that the actor may be unable to read: with these nobody begins anything. */
function planCan(key: string, parts: readonly CanPart[], hidden: ResourceModel | null, actor: Asker): PartPlan {
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

/** Why no actor of this class may see the list; null where each may. */
function listRefusal({ filters, resource, where }: ListShape, target: ResourceModel, actor: Asker): FailureCode | null {
  const code = credentialRefusal(actor, 'read', target)
  if (code !== null) return code
  if (where != null && speaksOfMe(where) && actorOf(actor) === null) return 'UNAUTHENTICATED'
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
