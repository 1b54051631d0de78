// Proves that readers of a kept number may read every record it includes. (contract 13.2.3)

import type { Caller, Requester } from '../../actor.ts'
import type { KeptNumber, OneRelation } from '../model.ts'
import { allOf, type Condition, fold } from '../rule/condition.ts'
import { implies, isImplied } from '../rule/readability.ts'
import { columnsIn, countedCondition } from './kept-number.ts'

/** Includes the values summed or tested. False if it cannot be proven. */
export const isReadableThroughout = (number: KeptNumber, everyone: readonly Requester[]): boolean =>
  everyone.every((caller) => {
    const holding = readingOf(number, caller)
    return wantedBy(number, caller).every((wanted) => ensures(holding, wanted, number))
  })

function readingOf({ holder, column }: KeptNumber, caller: Caller): Condition {
  const own = holder.protect.get(column.field)?.read
  const read = fold(holder.read.allow, holder, caller)
  return own === undefined ? read : allOf([read, fold(own, holder, caller)])
}

function wantedBy(number: KeptNumber, caller: Caller): readonly Condition[] {
  const { relation, of } = number
  const { target } = relation
  const condition = countedCondition(number)
  const columns = [...(of === null ? [] : [of]), ...(condition === null ? [] : columnsIn(condition))]
  const rules = columns.flatMap(({ field }) => target.protect.get(field)?.read ?? [])
  return [target.read.allow, ...rules].map((rule) => fold(rule, target, caller))
}

/** Whether the condition on the holder implies the other one on the records of its list. */
function ensures(holding: Condition, wanted: Condition, number: KeptNumber): boolean {
  const counted = countedCondition(number)
  const { relation } = number
  return isImplied(
    holding,
    wanted,
    (one, other) =>
      (counted !== null && implies(counted, other)) ||
      (relation.kind === 'many' && followsBack(one, other, relation.by)),
  )
}

/** Whether both concern the holder, or a record that both refer to. */
function followsBack(holding: Condition, wanted: Condition, by: OneRelation): boolean {
  if (wanted.is === 'actor')
    return wanted.column === by.column && holding.is === 'actor' && holding.column.field === 'id'
  if (wanted.is !== 'related') return false
  if (wanted.relation === by) return implies(holding, wanted.condition)
  const { field, target, from } = wanted.relation
  const isCommon = by.same.includes(field) || from === by.field
  return (
    isCommon &&
    holding.is === 'related' &&
    holding.relation.field === field &&
    holding.relation.target === target &&
    implies(holding.condition, wanted.condition)
  )
}
