// Whether whoever reads a kept number may read every record that it follows from. (contract 13.2.3)

import type { Asker, Requester } from '../actor.ts'
import { allOf, type Condition, fold } from './condition.ts'
import { columnsIn, countedCondition } from './kept-number.ts'
import type { KeptNumber, OneRelation } from './model.ts'
import { implies } from './readability.ts'

/** Also every value that is added up, or that its condition looks at. Conservative: what cannot be proven is false. */
export const isReadableThroughout = (number: KeptNumber, everyone: readonly Requester[]): boolean =>
  everyone.every((asker) => {
    const holding = readingOf(number, asker)
    return wantedBy(number, asker).every((wanted) => leads(holding, wanted, number))
  })

/** What holds of the holder for whoever reads its number. */
function readingOf({ holder, column }: KeptNumber, asker: Asker): Condition {
  const own = holder.protect.get(column.field)?.read
  const read = fold(holder.read.allow, holder, asker)
  return own === undefined ? read : allOf([read, fold(own, holder, asker)])
}

/** What must hold of each record that it follows from. */
function wantedBy(number: KeptNumber, asker: Asker): readonly Condition[] {
  const { relation, of } = number
  const { target } = relation
  const condition = countedCondition(number)
  const columns = [...(of === null ? [] : [of]), ...(condition === null ? [] : columnsIn(condition))]
  const rules = columns.flatMap(({ field }) => target.protect.get(field)?.read ?? [])
  return [target.read.allow, ...rules].map((rule) => fold(rule, target, asker))
}

/** Whether a condition on the holder makes sure of another one on the records of its list. */
function leads(holding: Condition, wanted: Condition, number: KeptNumber): boolean {
  if (holding.is === 'never' || wanted.is === 'always') return true
  if (holding.is === 'any') return holding.of.every((each) => leads(each, wanted, number))
  if (wanted.is === 'all') return wanted.of.every((each) => leads(holding, each, number))
  const counted = countedCondition(number)
  if (counted !== null && implies(counted, wanted)) return true
  if (number.relation.kind === 'many' && followsBack(holding, wanted, number.relation.by)) return true
  if (holding.is === 'all' && holding.of.some((each) => leads(each, wanted, number))) return true
  return wanted.is === 'any' && wanted.of.some((each) => leads(holding, each, number))
}

/** Whether it is asked of the holder itself, or of a record that both have in common. */
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
