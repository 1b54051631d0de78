// The targets of a create: records as they would be, of which its rule is asked before anything is stored. (contract 4.1)

import { Failure } from '../failure/failure.ts'
import { isTrue } from '../read-plan/print.ts'
import { actorIdOf, actorOf } from '../resource/actor.ts'
import { type Condition, fold, holds, isPlain, ofNewRecord } from '../resource/model/condition.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import { candidateColumns } from '../store/sql/write.ts'
import type { Program } from '../store/store.ts'
import type { RowValues } from './load.ts'
import { callbackActor } from './move.ts'
import { newRecord, withActor } from './record.ts'
import { missingReferences, referenceFailure } from './reference.ts'
import type { CheckedWrite, TargetState } from './target-state.ts'
import { askingOf, type WriteScope } from './write-scope.ts'

/**
 * Fails with FORBIDDEN where the record would not be the actor's to make, or to move at once, and with
 * BUSINESS_RULE_VIOLATION where a record that it names is missing or hidden: before that, where the rule itself leads to it.
 */
export function* createTargets(write: CheckedWrite, scope: WriteScope): Program<TargetState[]> {
  const { call, inputs } = write
  const targets = newTargets(write, scope)
  const rules = targets.flatMap((target, index): readonly Candidate[] => {
    const moves = inputs[index]!.also.map((move) => fold(move.allow, move.resource, scope.actor))
    const conditions = [write.condition, ...moves].filter(({ is }) => is !== 'always')
    if (conditions.length === 0) return []
    const record = { ...target.after, ...constantsOf(call.action) }
    return conditions.map((condition) => ({ condition: ofNewRecord(condition), record }))
  })
  const [inMemory, inDatabase] = [rules.filter(isDecided), rules.filter((each) => !isDecided(each))]
  if (!inMemory.every((each) => holdsInMemory(each, scope))) throw new Failure('FORBIDDEN')
  const missing = yield* missingReferences(
    call.action,
    inputs,
    targets.map((each) => each.after),
    scope,
  )
  if (missing.some(({ field }) => inDatabase.some(({ condition }) => leadsTo(condition, field))))
    throw referenceFailure(missing)
  for (const each of inDatabase) if (!(yield* holdsInDatabase(each, call.action, scope))) throw new Failure('FORBIDDEN')
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
  holds(condition, ({ field }) => record[field] ?? null, actorIdOf(actor))

/** Whether the rule of the new record follows this relation. */
function leadsTo(condition: Condition, field: string): boolean {
  switch (condition.is) {
    case 'related':
      return condition.relation.field === field
    case 'not':
      return leadsTo(condition.of, field)
    case 'any':
    case 'all':
      return condition.of.some((each) => leadsTo(each, field))
    default:
      return false
  }
}

function* holdsInDatabase({ condition, record }: Candidate, action: ActionModel, scope: WriteScope): Program<boolean> {
  const { statements, dialect } = scope
  const { resource } = action
  const input = candidateColumns(resource).map(({ field, type }) => dialect.encode(record[field] ?? null, type))
  const [row] = yield boundTo(statements.candidate(resource, condition), { ...askingOf(scope), input })
  return isTrue(row![0]!)
}

const constantsOf = ({ set }: ActionModel): RowValues =>
  Object.fromEntries(set.flatMap(({ column, value }) => (typeof value === 'function' ? [] : [[column.field, value]])))

function newTargets({ call, inputs, secrets }: CheckedWrite, { context, actor, now }: WriteScope): TargetState[] {
  const { resource } = call.action
  return inputs.map((input, index) => {
    const id = context.newId(resource, now)
    const values = withActor(resource, input.fields, actorOf(call.actor))
    const after = newRecord(resource, id, values, now)
    const callbackArguments = {
      actor: callbackActor(actor),
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

/** The actor is told to callbacks as input only where a client may send somebody else. */
const acceptedOf = ({ accept }: ActionModel, values: Readonly<RowValues>): Readonly<RowValues> =>
  Object.fromEntries(accept.flatMap(({ field }) => (field in values ? [[field, values[field]]] : [])))
