// Writes decided records and their links. (contract 4.5)

import { type Detail, Failure, invariant } from '../../failure/failure.ts'
import { accountOf } from '../../resource/actor.ts'
import { dueColumns } from '../../resource/model/compile/compile-timed-move.ts'
import type { ActionModel, LinkRelation, ResourceModel, TimedMove } from '../../resource/model/model.ts'
import { isWithoutAccount } from '../../resource/model/rule/record-action.ts'
import { words } from '../../resource/naming/casing.ts'
import { isViolated } from '../../store/sql/schema/constraint-index.ts'
import { boundTo, type Prepared } from '../../store/sql/text/sql-text.ts'
import { type Bound, type Program, type Run, UniqueViolation } from '../../store/store.ts'
import { withoutAccount } from '../callback-actor.ts'
import type { RunnerContext } from '../context.ts'
import { replaceError } from '../replace-error.ts'
import { noteLinks } from '../row/kept-number.ts'
import { changeRecords, insertRecords, PlacedViolation } from '../row/record.ts'
import type { RowScope, WriteScope } from '../write-scope.ts'
import type { Origin, StagedPart, TargetState } from './target-state.ts'

/**
 * A few statements for all. Fails with BUSINESS_RULE_VIOLATION if a result does not fit its column, with CONFLICT if a value is
 * taken. `first`: the index of the first record in the call; null for records that code writes. Throws CombinedViolation.
 */
export function* commit(
  action: StagedPart['action'],
  targets: readonly TargetState[],
  { first, isTouched }: { readonly first: number | null; readonly isTouched: readonly boolean[] },
  scope: WriteScope,
): Program<void> {
  try {
    yield* writeRows(action, targets, isTouched, scope, first !== null)
  } catch (error) {
    if (first === null || !(error instanceof UniqueViolation)) throw error
    const isPlaced = error instanceof PlacedViolation
    if (targets.length > 1 && !isPlaced) throw new CombinedViolation()
    const target = first + (isPlaced ? targets.findIndex(({ id }) => id === error.id) : 0)
    throw takenValue(error, action.resource, { ...scope, target })
  }
  for (const target of targets)
    for (const each of target.actions) if (changesLinks(each)) yield* writeLinks(each, target.id, scope)
}
/** Only writing the records one by one shows whose value is taken. */
export class CombinedViolation extends Error {}

function* writeRows(
  { resource, kind }: StagedPart['action'],
  targets: readonly TargetState[],
  isTouched: readonly boolean[],
  scope: WriteScope,
  isOfCall: boolean,
): Program<void> {
  const { name } = scope.vocabulary
  const detail = (field: string, message: string) => ({ field: name(resource, field), message })
  const rows = targets.map((target) => ({
    ...target,
    record: target.after,
    hashes: target.secrets.hashes,
    authored: { fields: authoredFields(target), ...(isOfCall ? { detail } : {}) },
    made: resource.timedMoves.filter((move) => isMadeByChange(move, target)),
  }))
  if (kind === 'create') return yield* insertRecords(resource, rows, scope)
  const changed = rows.filter(({ changed, hashes }, index) => isTouched[index] || changed.size + hashes.size > 0)
  if (changed.length > 0) yield* changeRecords(resource, changed, scope)
}

/** Conflicts of code name fields of the call's resource. */
export const mapConflicts =
  (run: Run, { resource, target }: Origin, scope: WriteScope): Run =>
  (program) =>
    run(
      replaceError(program, (error) =>
        error instanceof UniqueViolation ? takenValue(error, resource, { ...scope, target }) : error,
      ),
    )

/** For another resource, an effect wrote the values. (contract 2.2.8, 11.2.1) */
export function takenValue(
  { index }: UniqueViolation,
  resource: ResourceModel | null,
  { vocabulary: { name }, target, context: { model }, dialect }: TakenScope,
): Failure {
  for (const owner of new Set([...(resource === null ? [] : [resource]), ...model.byName.values()])) {
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

export const authoredFields = ({ changed, after, callbackArguments: { input } }: TargetState): readonly string[] =>
  [...changed].filter((field) => !(field in input) || after[field] !== input[field])

const changesLinks = ({ link, unlink }: ActionModel): boolean => link !== null || unlink !== null

function* writeLinks({ name, resource, link, unlink }: ActionModel, id: string, scope: WriteScope): Program<void> {
  const { actor } = scope
  const account = accountOf(actor)
  if (isWithoutAccount(actor)) throw withoutAccount()
  invariant(account !== null, `the caller of ${resource.name}.${name} is signed in, since it links them`)
  if (link !== null) yield* linkRecords(link, id, account.id, scope)
  if (unlink !== null) yield* unlinkRecords(unlink, id, account.id, scope)
}

export function* linkRecords(relation: LinkRelation, id: string, other: string, scope: RowScope): Program<void> {
  noteLinks(relation, yield linkOf(relation, id, other, scope.statements.link(relation.link)), 1n, scope)
}

export function* unlinkRecords(relation: LinkRelation, id: string, other: string, scope: RowScope): Program<void> {
  noteLinks(relation, yield linkOf(relation, id, other, scope.statements.unlink(relation.link)), -1n, scope)
}

export function linkOf(relation: LinkRelation, id: string, other: string, prepared: Prepared): Bound {
  const input = relation.side === 'source' ? [id, other] : [other, id]
  return boundTo(prepared, { actor: null, input })
}

type Made = Pick<TargetState, 'id' | 'actions' | 'changed'>
const isMade = ({ action }: TimedMove, { actions }: Made): boolean => actions.some(({ name }) => name === action.name)

/** False if the due time is new, since that is not made yet. */
const isMadeByChange = (move: TimedMove, target: Made): boolean =>
  isMade(move, target) && target.changed.size > 0 && !dueColumns(move).some(({ field }) => target.changed.has(field))

/** Marks records whose move these actions are, before they are changed. */
export function* markMade(
  { timedMoves }: ResourceModel,
  targets: readonly Made[],
  isNew: boolean,
  { statements, dialect }: RowScope,
): Program<void> {
  for (const move of timedMoves) {
    const own = targets.filter((each) => isMade(move, each) && (isNew || !isMadeByChange(move, each)))
    const ids = own.map(({ id }) => id)
    if (ids.length > 0) yield boundTo(statements.markMade(move), { actor: null, keys: dialect.keys(ids) })
  }
}
