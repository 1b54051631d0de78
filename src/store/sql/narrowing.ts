// How an index serves a condition about the record itself.

import type { Condition } from '../../resource/model/condition.ts'
import { quote } from './dialect.ts'

/**
 * Columns of one value, null among them, stand before what is sorted by, so that it does not matter how a statement says the
 * value; presence can only be a condition of the index. What no index serves is tested of the records that one leads to.
 */
export function narrowing(condition: Condition): {
  readonly fixed: readonly string[]
  readonly conditions: readonly string[]
} {
  switch (condition.is) {
    case 'equal':
    case 'absent':
      return { fixed: [condition.column.name], conditions: [] }
    case 'present':
      return { fixed: [], conditions: [`${quote(condition.column.name)} is not null`] }
    case 'all': {
      const parts = condition.of.map(narrowing)
      return { fixed: parts.flatMap((each) => each.fixed), conditions: parts.flatMap((each) => each.conditions) }
    }
    case 'compare':
      return isFixed(condition) ? { fixed: [condition.column.name], conditions: [] } : nothing
    default:
      return nothing
  }
}
const isFixed = ({ test, operand }: Extract<Condition, { is: 'compare' }>): boolean =>
  test === 'is' && operand.from !== 'field'
const nothing = { fixed: [], conditions: [] }
