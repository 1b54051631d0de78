// Tokens with a limited number of uses in conditions. (contract 10.1.18)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { memoize } from '../../../cache/memoize.ts'
import type { TokenSpec } from '../../field/secret.ts'
import { usesField } from '../../naming/casing.ts'
import type { Column } from '../column.ts'
import type { ResourceModel } from '../model.ts'
import { allOf, anyOf, type Condition, innerConditions, never, not } from './condition.ts'

export interface LimitedToken {
  readonly resource: ResourceModel
  readonly column: Column
  readonly uses: Column
  readonly maxUses: number
}

export function limitedTokens(condition: Condition, resource: ResourceModel): readonly LimitedToken[] {
  if (condition.is === 'code') return getOrInsert(tokens, condition.column, () => tokenOf(condition.column, resource))
  const of = 'relation' in condition ? condition.relation.target : resource
  return innerConditions(condition).flatMap((each) => limitedTokens(each, of))
}
const tokens = new WeakMap<Column, readonly LimitedToken[]>()

function tokenOf(column: Column, resource: ResourceModel): readonly LimitedToken[] {
  const { maxUses } = column.spec as TokenSpec
  return maxUses === undefined
    ? []
    : [{ resource, column, uses: resource.column.get(usesField(column.field))!, maxUses }]
}

export const hasLimitedToken = ({ columns }: ResourceModel): boolean =>
  columns.some(({ spec }) => spec.kind === 'token' && (spec as TokenSpec).maxUses !== undefined)

/** Returns the same object if it has none. */
export const withoutLimitedTokens: (condition: Condition) => Condition = memoize(strip)

function strip(condition: Condition): Condition {
  switch (condition.is) {
    case 'code':
      return (condition.column.spec as TokenSpec).maxUses === undefined ? condition : never
    case 'related':
    case 'some': {
      const inner = withoutLimitedTokens(condition.condition)
      if (inner === condition.condition) return condition
      return inner.is === 'never' ? never : { ...condition, condition: inner }
    }
    case 'not': {
      const inner = withoutLimitedTokens(condition.of)
      return inner === condition.of ? condition : not(inner)
    }
    case 'any':
    case 'all': {
      const inner = condition.of.map(withoutLimitedTokens)
      if (inner.every((each, at) => each === condition.of[at])) return condition
      return condition.is === 'any' ? anyOf(inner) : allOf(inner)
    }
    default:
      return condition
  }
}
