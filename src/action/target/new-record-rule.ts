// Checks rules of records that are not stored yet: in memory if possible, otherwise one query for all. A record created with them
// counts as stored. (contract 4.1, 13.1.4)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { isTrue } from '../../read-plan/print.ts'
import { shownBy } from '../../resource/actor.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { type Condition, holds, innerConditions, isPlain, ofNewRecord } from '../../resource/model/rule/condition.ts'
import { executeTogether } from '../../store/combine.ts'
import { encodeValue } from '../../store/sql/text/column-value.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import { candidateColumns } from '../../store/sql/write/write.ts'
import type { Bound, Program } from '../../store/store.ts'
import type { RowValues } from '../row/load.ts'
import { noteUse, tokenQuestion } from '../row/token-use.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'

/** A new record, with the values that its action sets, and its rules. */
export interface Candidate {
  readonly resource: ResourceModel
  readonly condition: Condition
  readonly record: Readonly<RowValues>
}

/** Decidable without the database. */
export const isDecided = ({ condition, record }: Candidate, scope: Pick<WriteScope, 'pending'>): boolean => {
  const inner = pendingInner(condition, record, scope)
  if (inner !== null) return isDecided(inner, scope)
  if (isPlain(condition)) return true
  return (
    (condition.is === 'not' || condition.is === 'any' || condition.is === 'all') &&
    innerConditions(condition).every((each) => isDecided({ resource: anyResource, condition: each, record }, scope))
  )
}
// Conditions decided in memory do not use the resource.
const anyResource = {} as ResourceModel

export function* holdAll(candidates: readonly Candidate[], scope: WriteScope): Program<boolean> {
  const questions = new Questions(scope)
  const verdicts = candidates.map((each) => verdictOf(each, questions, scope))
  const answers = yield* questions.run()
  return verdicts.every((verdict) => verdict(answers))
}

/** Checks again without limited tokens, to learn whether one was needed. */
export function* noteUseOf({ condition, record, resource }: Candidate, scope: WriteScope): Program<void> {
  const question = tokenQuestion([condition], resource, scope)
  for (const each of question.conditions)
    if (!(yield* holdAll([{ condition: each, record, resource }], scope)))
      yield* noteUse(question, scope, (narrowed) => holdAll([{ condition, record, resource }], narrowed))
}

/** Whether a condition holds, once its questions are answered. */
type Verdict = (answers: readonly boolean[]) => boolean

function verdictOf(candidate: Candidate, questions: Questions, scope: WriteScope): Verdict {
  const { condition, record, resource } = candidate
  const inner = pendingInner(condition, record, scope)
  if (inner !== null) return verdictOf(inner, questions, scope)
  if (isPlain(condition)) {
    const isMet = holds(condition, ({ field }) => record[field] ?? null, shownBy(scope.actor).actor)
    return () => isMet
  }
  const parts = leadsToPending(condition, record, scope) ? innerConditions(condition) : []
  const of = parts.map((each) => verdictOf({ condition: each, record, resource }, questions, scope))
  if (of.length > 0) {
    if (condition.is === 'not') return (answers) => !of[0]!(answers)
    return (answers) => of[condition.is === 'any' ? 'some' : 'every']((each) => each(answers))
  }
  const place = questions.add(candidate)
  return (answers) => answers[place]!
}

const leadsToPending = (
  condition: Condition,
  record: Readonly<RowValues>,
  scope: Pick<WriteScope, 'pending'>,
): boolean =>
  pendingInner(condition, record, scope) !== null ||
  ((condition.is === 'not' || condition.is === 'any' || condition.is === 'all') &&
    innerConditions(condition).some((each) => leadsToPending(each, record, scope)))

/** The condition on a referenced record that is created with this one. */
function pendingInner(
  condition: Condition,
  record: Readonly<RowValues>,
  { pending }: Pick<WriteScope, 'pending'>,
): Candidate | null {
  if (condition.is !== 'related' || pending.size === 0) return null
  const { relation } = condition
  const other = pending.get(record[relation.field] as string)
  if (other === undefined) return null
  const { target } = relation
  const create = target.actions.get('create')
  return {
    resource: target,
    condition: ofNewRecord(condition.condition),
    record: create === undefined ? other.record : { ...other.record, ...constantsOf(create) },
  }
}

export const constantsOf = ({ set }: Pick<ActionModel, 'set'>): RowValues =>
  Object.fromEntries(set.flatMap(({ column, value }) => (typeof value === 'function' ? [] : [[column.field, value]])))

/** Equal questions about a record are merged. */
class Questions {
  readonly #scope: WriteScope
  readonly #bounds: Bound[] = []
  readonly #places = new Map<Condition, Map<unknown, number>>()

  constructor(scope: WriteScope) {
    this.#scope = scope
  }

  add(candidate: Candidate): number {
    const places = getOrInsert(this.#places, candidate.condition, () => new Map<unknown, number>())
    return getOrInsert(places, candidate.record['id'], () => this.#bounds.push(this.#questionOf(candidate)) - 1)
  }

  *run(): Program<readonly boolean[]> {
    const answers = yield* executeTogether(this.#bounds)
    return answers.map(([row]) => isTrue(row![0]!))
  }

  #questionOf({ condition, record, resource }: Candidate): Bound {
    const { statements, dialect } = this.#scope
    const input = candidateColumns(resource).map((column) => encodeValue(column, record[column.field] ?? null, dialect))
    return boundTo(statements.candidate(resource, condition), { ...ruleInputsOf(this.#scope), input })
  }
}
