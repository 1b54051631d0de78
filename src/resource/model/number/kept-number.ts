// Compiles kept numbers: their holders, and the records they depend on. (contract 13.2)

import { memoize } from '../../../cache/memoize.ts'
import type { Definition } from '../../language/definition.ts'
import type { Column } from '../column.ts'
import type { KeptNumber, Link, LinkRelation, ManyRelation, ResourceModel } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { type Condition, fold, innerConditions } from '../rule/condition.ts'
import { numberDefinitions } from './kept-number-definition.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>

export function compileKeptNumbers(definition: Definition, drafts: Drafts): void {
  const holder = drafts.get(definition.name)!
  for (const own of numberDefinitions(definition)) {
    const relation = holder.relations.get(own.list) as ManyRelation | LinkRelation
    const { target } = relation
    const number: KeptNumber = {
      column: holder.column.get(own.field)!,
      holder,
      relation,
      of: own.of === null ? null : target.column.get(own.of)!,
      where: own.where,
      isShownToAll: own.isShownToAll,
    }
    holder.keptNumbers.push(number)
    if (relation.kind === 'many') drafts.get(target.name)!.contributions.push(number)
  }
}

/** Which records of the list count, the same for every caller; null: all. */
export const countedCondition = ({ where, relation }: KeptNumber): Condition | null =>
  where === null ? null : fold(where, relation.target, null)

export const contributingColumns = memoize(({ contributions }: ResourceModel): readonly Column[] => [
  ...new Set(contributions.flatMap(columnsOf)),
])
export const contributingFields = (number: KeptNumber): readonly string[] => columnsOf(number).map(({ field }) => field)

function columnsOf(number: KeptNumber): readonly Column[] {
  const { relation, of } = number
  const condition = countedCondition(number)
  return [
    ...(relation.kind === 'many' ? [relation.by.column] : []),
    ...(of === null ? [] : [of]),
    ...(condition === null ? [] : columnsIn(condition)),
  ]
}

export function columnsIn(condition: Condition): readonly Column[] {
  const own = 'column' in condition ? [condition.column] : []
  const other = condition.is === 'compare' && 'column' in condition.operand ? [condition.operand.column as Column] : []
  return [...own, ...other, ...innerConditions(condition).flatMap(columnsIn)]
}

/** The kept number that a sum adds; null if it adds a field. */
export const summedNumber = memoize(
  ({ of, relation: { target } }: KeptNumber): KeptNumber | null =>
    target.keptNumbers.find(({ column }) => column === of) ?? null,
)

/** The sums that add these numbers, and those that add the sums. */
export const sumsOver = (numbers: readonly KeptNumber[]): readonly KeptNumber[] =>
  numbers.flatMap((number) => {
    const sums = number.holder.contributions.filter((each) => summedNumber(each) === number)
    return [...sums, ...sumsOver(sums)]
  })

export const numbersOfLink = memoize((link: Link): readonly KeptNumber[] =>
  [...new Set([...link.source.keptNumbers, ...link.target.keptNumbers])].filter(
    ({ relation }) => relation.kind === 'manyToMany' && relation.link === link,
  ),
)
