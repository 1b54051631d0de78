// Which columns an index for a condition begins with.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { type Dialect, quote } from '../text/dialect.ts'

interface Narrowing {
  readonly fixed: readonly string[]
  readonly conditions: readonly string[]
}

/**
 * Columns with a fixed value precede the sort columns, whatever form the statement has; presence can only be a condition of the
 * index. Other conditions are tested per record.
 */
export function narrowing(condition: Condition, dialect: Dialect): Narrowing {
  switch (condition.is) {
    case 'equal':
      return { fixed: [condition.column.name], conditions: [] }
    case 'absent':
      // PostgreSQL does not see that a column without values has one order.
      if (dialect.engine === 'postgres') return { fixed: [], conditions: [`${quote(condition.column.name)} is null`] }
      return { fixed: [condition.column.name], conditions: [] }
    case 'present':
      return { fixed: [], conditions: [`${quote(condition.column.name)} is not null`] }
    case 'all': {
      const parts = condition.of.map((each) => narrowing(each, dialect))
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
