// How many rows a list may have to look at for one page. What `duet check` names of a definition is what SQLite runs on a thread of
// its own, because both ask here. (contract 12.1.14, 12.3.1)

import type { Condition } from '../../resource/model/condition.ts'
import type { Column, ResourceModel } from '../../resource/model/model.ts'
import type { ScopeCondition } from '../../resource/model/query-condition.ts'
import type { Reach } from '../store.ts'
import { isOwn } from './condition.ts'
import type { Dialect } from './dialect.ts'
import { isIndexed } from './indexes.ts'
import { isDerived, type ListShape } from './list-shape.ts'

/**
 * Of a list without a holder, to which no rule leads. `page`: an index has the answer in its order. `matches`: one finds what
 * answers, of which much may have to be put in order or left out. `walk`: none finds it.
 */
export function reachOf(shape: ListShape, condition: Condition, dialect: Dialect): Reach {
  const { search, sort, where, scope, filters, query } = shape
  if (search != null) return 'matches'
  const isSorted = sort.some(isDerived)
  if (where == null && !isSorted) return 'page'
  const reach = where == null || scope == null ? 'walk' : reachOfWhere(lastOf(scope), shape, dialect)
  const isFound = isOwn(condition) || filters.some(({ filter }) => filter.test === 'is')
  if (reach === 'walk') return isFound ? 'matches' : 'walk'
  const isAlone = condition.is === 'always' && filters.length === 0 && query === undefined && !isSorted
  return isAlone ? reach : 'matches'
}

/** What the client asks stands behind what its query asks. */
function lastOf(scope: ScopeCondition): Condition | null {
  if (scope.is === 'condition') return scope.condition
  return scope.is === 'all' ? lastOf(scope.of.at(-1)!) : null
}

function reachOfWhere(condition: Condition | null, shape: ListShape, dialect: Dialect): Reach {
  switch (condition?.is) {
    case 'always':
    case 'never':
      return 'page'
    case 'actor':
      return isFindable(condition.column, shape.resource) ? inOrder(shape) : 'walk'
    case 'absent':
      return isFindable(condition.column, shape.resource) ? inOrder(shape) : 'walk'
    case 'compare':
      return reachOfComparison(condition, shape, dialect)
    case 'all': {
      // The best of them finds; the others leave out.
      const isServed = condition.of.some((each) => reachOfWhere(each, shape, dialect) !== 'walk')
      return isServed ? 'matches' : 'walk'
    }
    case 'any': {
      // SQLite would rather walk in the order of the list, but for values of one column.
      const isOne = dialect.engine === 'postgres' || new Set(condition.of.map(columnOf)).size === 1
      const isServed = condition.of.every((each) => reachOfWhere(each, shape, dialect) !== 'walk')
      return isServed && isOne ? 'matches' : 'walk'
    }
    default:
      return 'walk'
  }
}

/** The column that an equality compares; anything else stands for itself. */
const columnOf = (condition: Condition): unknown =>
  condition.is === 'compare' && condition.test === 'is' ? condition.column : condition

function reachOfComparison(
  { column, test, operand }: Extract<Condition, { is: 'compare' }>,
  shape: ListShape,
  { engine }: Dialect,
): Reach {
  if (test === 'contains') {
    // SQLite walks the list and looks each of its elements up.
    const hasTable = operand.from === 'bound' && operand.table !== null
    return hasTable && engine === 'postgres' ? 'matches' : 'walk'
  }
  const [first] = shape.sort
  if (first !== undefined && first.column === column && !isDerived(first) && test !== 'oneOf') return 'page'
  if (!isFindable(column, shape.resource)) return 'walk'
  if (test === 'is') return column.field === 'id' ? 'page' : inOrder(shape)
  return test === 'oneOf' || test === 'startsWith' ? 'matches' : 'walk'
}

/** Whether an index begins with this column. */
function isFindable(column: Column, { where }: ResourceModel): boolean {
  if (column.field === 'id') return true
  const value = where?.values.get(column.field)
  // Of a list its elements are.
  return value !== undefined && value.column === column && !value.tests.has('contains') && isIndexed(value)
}

/** Behind a value its index has the usual order. */
const inOrder = ({ sort: [first] }: ListShape): Reach =>
  first === undefined || (first.column.field === 'createdAt' && !isDerived(first)) ? 'page' : 'matches'
