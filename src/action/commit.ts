// Writes what was decided: the record, and its links. (contract 4.5)

import { type Detail, Failure, invariant } from '../failure/failure.ts'
import { accountOf } from '../resource/actor.ts'
import type { ActionModel, LinkRelation, ResourceModel } from '../resource/model/model.ts'
import { isWithoutAccount } from '../resource/model/record-action.ts'
import { words } from '../resource/naming/casing.ts'
import { boundTo, type Prepared } from '../store/sql/sql-text.ts'
import { isViolated } from '../store/sql/unique-index.ts'
import { type Bound, type Program, UniqueViolation } from '../store/store.ts'
import { withoutAccount } from './callback-actor.ts'
import type { RunnerContext } from './context.ts'
import { noteLinks } from './kept-number.ts'
import { changeRecords, insertRecords } from './record.ts'
import type { TargetState } from './target-state.ts'
import type { RowScope, WriteScope } from './write-scope.ts'

/** Fails with BUSINESS_RULE_VIOLATION where a result fits no column, with CONFLICT where a value is taken. */
export function* commit(
  action: ActionModel,
  target: TargetState,
  { index, isTouched }: { readonly index: number; readonly isTouched: boolean },
  scope: WriteScope,
): Program<void> {
  try {
    yield* writeRows(action, [target], [isTouched], scope)
  } catch (error) {
    throw error instanceof UniqueViolation ? takenValue(error, action, { ...scope, target: index }) : error
  }
  for (const each of target.actions) yield* writeLinks(each, target.id, scope)
}

/**
 * The same of several records, by a few statements; `isTouched` says of which the links changed. Throws CombinedViolation where a value
 * of one of them is taken.
 */
export function* commitTogether(
  action: ActionModel,
  targets: readonly TargetState[],
  isTouched: readonly boolean[],
  scope: WriteScope,
): Program<void> {
  try {
    yield* writeRows(action, targets, isTouched, scope)
  } catch (error) {
    throw error instanceof UniqueViolation ? new CombinedViolation() : error
  }
  for (const target of targets) for (const each of target.actions) yield* writeLinks(each, target.id, scope)
}
/** Of which record a value is taken is known once they are written one by one. */
export class CombinedViolation extends Error {}

const authoredOf = (resource: ResourceModel, target: TargetState, { vocabulary: { name } }: WriteScope) => ({
  fields: authoredFields(target),
  detail: (field: string, message: string) => ({ field: name(resource, field), message }),
})

function* writeRows(
  { resource }: ActionModel,
  targets: readonly TargetState[],
  isTouched: readonly boolean[],
  scope: WriteScope,
): Program<void> {
  const rows = targets.map((target) => ({
    ...target,
    hashes: target.secrets.hashes,
    authored: authoredOf(resource, target, scope),
  }))
  const added = rows.flatMap(({ before, after: record, hashes, authored }) =>
    before === null ? { record, hashes, authored } : [],
  )
  const changed = rows.filter(
    ({ before, changed, hashes }, index) => before !== null && (isTouched[index] || changed.size + hashes.size > 0),
  )
  if (added.length > 0) yield* insertRecords(resource, added, scope)
  if (changed.length > 0) yield* changeRecords(resource, changed, scope)
}

/** Values that a living record has already, of which no two have the same. Of another resource, an effect wrote them. (contract 2.2.8, 11.2.1) */
export function takenValue(
  { index }: UniqueViolation,
  { resource }: ActionModel,
  { vocabulary: { name }, target, context: { model }, dialect }: TakenScope,
): Failure {
  for (const owner of new Set([resource, ...model.byName.values()])) {
    const unique = owner.uniques.find((each) => isViolated(index, owner, each, dialect))
    if (unique === undefined) continue
    const fields = unique.columns.map(({ field }) => name(owner, field))
    const record = owner === resource ? 'record' : words(owner.name)
    const message = `Another ${record} has this ${fields.join(' and ')}.`
    return owner === resource
      ? new Failure('CONFLICT', { message, target, details: fields.map((field) => taken(field, fields, target)) })
      : new Failure('CONFLICT', { message, target })
  }
  return new Failure('CONFLICT')
}
type TakenScope = { readonly target: number; readonly context: Pick<RunnerContext, 'model'> } & Pick<
  WriteScope,
  'vocabulary' | 'dialect'
>

function taken(field: string, fields: readonly string[], target: number): Detail {
  const others = fields.filter((each) => each !== field)
  const together = others.length === 0 ? '' : `, together with ${others.join(' and ')}`
  return { field, message: `Is taken already${together}.`, target }
}

/** The fields that `to`, `set` and effects wrote: what was sent has been checked. */
export const authoredFields = ({
  changed,
  after,
  callbackArguments,
}: Pick<TargetState, 'changed' | 'after' | 'callbackArguments'>) =>
  [...changed].filter((field) => after[field] !== callbackArguments.input[field])

/** Puts the actor into the relation that an action links, and takes them out of the one that it unlinks. */
export function* writeLinks(
  { name, resource, link, unlink }: ActionModel,
  id: string,
  scope: WriteScope,
): Program<void> {
  const { actor } = scope
  if (link === null && unlink === null) return
  const account = accountOf(actor)
  if (isWithoutAccount(actor)) throw withoutAccount()
  invariant(account !== null, `somebody asks for ${resource.name}.${name}, which links whoever does`)
  if (link !== null) yield* linkRecords(link, id, account.id, scope)
  if (unlink !== null) yield* unlinkRecords(unlink, id, account.id, scope)
}

/** Links the record with this id and another, unless they are. */
export function* linkRecords(relation: LinkRelation, id: string, other: string, scope: RowScope): Program<void> {
  noteLinks(relation, yield linkOf(relation, id, other, scope.statements.link(relation.link)), 1n, scope)
}

export function* unlinkRecords(relation: LinkRelation, id: string, other: string, scope: RowScope): Program<void> {
  noteLinks(relation, yield linkOf(relation, id, other, scope.statements.unlink(relation.link)), -1n, scope)
}

/** Binds a statement that links or unlinks the record with this id and another. */
export function linkOf(relation: LinkRelation, id: string, other: string, prepared: Prepared): Bound {
  const input = relation.side === 'source' ? [id, other] : [other, id]
  return boundTo(prepared, { actor: null, input })
}
