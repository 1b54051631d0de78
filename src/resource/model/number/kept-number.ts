// Compiles kept numbers: their holders, and the records they depend on. (contract 13.2)

import { hash } from 'node:crypto'
import { memoize } from '../../../cache/memoize.ts'
import type { Definition } from '../../language/definition.ts'
import type { Column } from '../column.ts'
import type { KeptNumber, Link, LinkRelation, ManyRelation, ResourceModel } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'
import { type Condition, fold, innerConditions } from '../rule/condition.ts'
import { type NumberDefinition, numberDefinitions } from './kept-number-definition.ts'

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

/** Differs whenever the value would have to be recomputed. */
export function definitionHash({ field, list, of, where }: NumberDefinition, { fields }: Definition): string {
  const { target, by } = fields[list] as { readonly target?: string; readonly by?: string }
  const { kind, scale } = fields[field] as { readonly kind: string; readonly scale?: number }
  const text = JSON.stringify([target, by, of, where, kind, scale], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  return hash('sha256', text).slice(0, 8)
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

export const numbersOfLink = memoize((link: Link): readonly KeptNumber[] =>
  [...new Set([...link.source.keptNumbers, ...link.target.keptNumbers])].filter(
    ({ relation }) => relation.kind === 'manyToMany' && relation.link === link,
  ),
)
