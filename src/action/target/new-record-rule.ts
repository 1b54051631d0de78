// Checks rules of records that are not stored yet: in memory if possible, otherwise one query for all. A record created with them
// counts as stored. (contract 4.1, 13.1.4)

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
  const trees = candidates.map((each) => treeOf(each, questions, scope))
  const answers = yield* questions.run()
  return trees.every((tree) => resultOf(tree, answers))
}

/** Checks again without limited tokens, to learn whether one was needed. */
export function* noteUseOf({ condition, record, resource }: Candidate, scope: WriteScope): Program<void> {
  const question = tokenQuestion([condition], resource, scope)
  for (const each of question.conditions)
    if (!(yield* holdAll([{ condition: each, record, resource }], scope)))
      yield* noteUse(question, scope, (narrowed) => holdAll([{ condition, record, resource }], narrowed))
}

/** A condition with unknown results. */
type Tree =
  | boolean
  | { readonly is: 'question'; readonly place: number }
  | { readonly is: 'not'; readonly of: Tree }
  | { readonly is: 'any' | 'all'; readonly of: readonly Tree[] }

function treeOf(candidate: Candidate, questions: Questions, scope: WriteScope): Tree {
  const { condition, record, resource } = candidate
  const inner = pendingInner(condition, record, scope)
  if (inner !== null) return treeOf(inner, questions, scope)
  if (isPlain(condition)) return holds(condition, ({ field }) => record[field] ?? null, shownBy(scope.actor).actor)
  const of = (each: Condition) => treeOf({ condition: each, record, resource }, questions, scope)
  if (!leadsToPending(condition, record, scope)) return { is: 'question', place: questions.add(candidate) }
  if (condition.is === 'not') return { is: 'not', of: of(condition.of) }
  if (condition.is === 'any' || condition.is === 'all') return { is: condition.is, of: condition.of.map(of) }
  return { is: 'question', place: questions.add(candidate) }
}

function resultOf(tree: Tree, answers: readonly boolean[]): boolean {
  if (typeof tree === 'boolean') return tree
  switch (tree.is) {
    case 'question':
      return answers[tree.place]!
    case 'not':
      return !resultOf(tree.of, answers)
    case 'any':
      return tree.of.some((each) => resultOf(each, answers))
    case 'all':
      return tree.of.every((each) => resultOf(each, answers))
  }
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

  add({ condition, record, resource }: Candidate): number {
    const places = this.#places.get(condition) ?? new Map<unknown, number>()
    this.#places.set(condition, places)
    const place = places.get(record['id']) ?? this.#bounds.length
    places.set(record['id'], place)
    if (place === this.#bounds.length) this.#bounds.push(this.#questionOf({ condition, record, resource }))
    return place
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
