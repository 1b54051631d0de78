// Which columns an index for a condition begins with.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { quote } from '../text/dialect.ts'

/**
 * Columns with a fixed value, null included, precede the sort columns, whatever form the statement has; presence can only be a
 * condition of the index. Other conditions are tested per record.
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
