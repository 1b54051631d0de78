// The targets of a create: records as they would be, of which its rule is asked before anything is stored. (contract 4.1)

import { Failure } from '../failure/failure.ts'
import { isTrue } from '../read-plan/print.ts'
import { shownBy } from '../resource/actor.ts'
import { type Condition, holds, innerConditions, isPlain, ofNewRecord } from '../resource/model/condition.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import { allowCondition, isWithoutAccount } from '../resource/model/record-action.ts'
import { executeTogether } from '../store/combine.ts'
import { encodeValue } from '../store/sql/column-value.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import { candidateColumns } from '../store/sql/write.ts'
import type { Bound, Program, StoredRow } from '../store/store.ts'
import { callbackActor } from './callback-actor.ts'
import type { RowValues } from './load.ts'
import { addPending } from './pending.ts'
import { newRecord, withActor } from './record.ts'
import { missingReferences, referenceFailure } from './reference.ts'
import { resolveKeys } from './resolve-keys.ts'
import { type CheckedWrite, outdated, type TargetState } from './target-state.ts'
import { inheritTenants, isSourceOf } from './tenant.ts'
import { noteUse, tokenQuestion } from './token-use.ts'
import { askingOf, type WriteScope } from './write-scope.ts'

/**
 * Fails with FORBIDDEN where the record would not be the actor's to make, or to move at once, and with
 * BUSINESS_RULE_VIOLATION where a record that it names is missing or hidden: before that, where the rule itself leads to it.
 */
export function* createTargets(write: CheckedWrite, scope: WriteScope): Program<TargetState[]> {
  const { call, inputs } = write
  const targets = newTargets(write, scope)
  const records = targets.map(({ after }) => after)
  yield* inheritTenants(call.action.resource, records, scope)
  yield* resolveKeys(call.action, inputs, records, scope, (index, field, id) => {
    records[index]![field] = id
    ;(targets[index]!.callbackArguments.input as RowValues)[field] = id
  })
  const rules = targets.flatMap((target, index): readonly Candidate[] => {
    const moves = inputs[index]!.also.map((move) => allowCondition(move, scope.actor))
    const conditions = [write.condition, ...write.fieldConditions, ...moves].filter(({ is }) => is !== 'always')
    if (conditions.length === 0) return []
    const record = { ...target.after, ...constantsOf(call.action) }
    return conditions.map((condition) => ({ condition: ofNewRecord(condition), record }))
  })
  const [inMemory, inDatabase] = [rules.filter(isDecided), rules.filter((each) => !isDecided(each))]
  if (!inMemory.every((each) => holdsInMemory(each, scope))) throw new Failure('FORBIDDEN')
  const missing = yield* missingReferences(call.action, inputs, records, scope)
  const { resource } = call.action
  const isOnPath = (condition: Condition, field: string) =>
    leadsTo(condition, field) || (isSourceOf(field, resource) && leadsToTenant(condition, resource))
  if (missing.some(({ field }) => inDatabase.some(({ condition }) => isOnPath(condition, field))))
    throw referenceFailure(missing)
  const held = yield* executeTogether(inDatabase.map((each) => questionOf(each, call.action, scope)))
  if (!held.every(isHeld)) throw new Failure('FORBIDDEN')
  for (const each of inDatabase) yield* noteUseOf(each, call.action, scope)
  // `If-Match` asks for a record that is there.
  if (call.targets.some(({ versions }) => versions !== undefined)) throw outdated()
  if (missing.length > 0) throw referenceFailure(missing)
  return targets
}

/** A record as it would be, with what its action sets whatever is sent, and what is asked of it. */
interface Candidate {
  readonly condition: Condition
  readonly record: Readonly<RowValues>
}
const isDecided = ({ condition }: Candidate): boolean => isPlain(condition)
const holdsInMemory = ({ condition, record }: Candidate, { actor }: WriteScope): boolean =>
  holds(condition, ({ field }) => record[field] ?? null, shownBy(actor).actor)

/** Whether the rule of the new record follows this relation. */
const leadsTo = (condition: Condition, field: string): boolean =>
  condition.is === 'related'
    ? condition.relation.field === field
    : condition.is !== 'some' && innerConditions(condition).some((each) => leadsTo(each, field))

const leadsToTenant = (condition: Condition, { tenants }: ResourceModel): boolean =>
  tenants.some(({ field }) => leadsTo(condition, field))

/** Asks the database whether it holds. */
function questionOf({ condition, record }: Candidate, { resource }: ActionModel, scope: WriteScope): Bound {
  const { statements, dialect } = scope
  const input = candidateColumns(resource).map((column) => encodeValue(column, record[column.field] ?? null, dialect))
  return boundTo(statements.candidate(resource, condition), { ...askingOf(scope), input })
}
const isHeld = ([row]: readonly StoredRow[]): boolean => isTrue(row![0]!)

/** Asks again without limited tokens, where one is shown and the rule leads to such tokens. */
function* noteUseOf({ condition, record }: Candidate, action: ActionModel, scope: WriteScope): Program<void> {
  const question = tokenQuestion([condition], action.resource, scope)
  for (const each of question.conditions)
    if (!isHeld(yield questionOf({ condition: each, record }, action, scope))) noteUse(question, scope)
}

const constantsOf = ({ set }: ActionModel): RowValues =>
  Object.fromEntries(set.flatMap(({ column, value }) => (typeof value === 'function' ? [] : [[column.field, value]])))

function newTargets({ call, inputs, secrets }: CheckedWrite, scope: WriteScope): TargetState[] {
  const { context, actor, now } = scope
  const { resource } = call.action
  return inputs.map((input, index) => {
    const id = context.newId(resource, now)
    requireAccountFields(call.action, input.fields, index, scope)
    const values = withActor(resource, input.fields, call.actor)
    const after = newRecord(resource, id, values, now)
    if (call.action.effect !== null || context.model.onWrite !== null) addPending(scope, id, after)
    const callbackArguments = {
      id,
      actor: callbackActor(actor, call.action),
      now,
      input: values === input.fields ? values : acceptedOf(call.action, values),
      record: after,
      tokens: secrets[index]!.tokens,
    }
    return {
      id,
      before: null,
      after,
      changed: new Set<string>(),
      callbackArguments,
      actions: [call.action, ...input.also],
      secrets: secrets[index]!,
    }
  })
}

/** Who is no account says whose the record shall be, where the action takes that. Fails with VALIDATION_ERROR. (contract 10.2.13) */
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

/** The actor is told to callbacks as input only where a client may send somebody else. */
function acceptedOf({ accept }: ActionModel, values: Readonly<RowValues>): Readonly<RowValues> {
  const accepted: RowValues = {}
  for (const { field } of accept) if (field in values) accepted[field] = values[field]
  return accepted
}
