// How many rows a list may have to look at for one page. What `duet check` names of a definition is what SQLite runs on a thread of
// its own, because both ask here. (contract 12.1.14, 12.3.1)

import type { Column } from '../../resource/model/column.ts'
import type { Condition } from '../../resource/model/condition.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
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

/** `isWhole`: what a list of its own asks, not a part of that. */
function reachOfWhere(condition: Condition | null, shape: ListShape, dialect: Dialect, isWhole = true): Reach {
  switch (condition?.is) {
    case 'always':
    case 'never':
      return 'page'
    case 'actor':
      return isFindable(condition.column, shape.resource) ? inOrder(shape) : 'walk'
    case 'absent':
      return isFindable(condition.column, shape.resource) ? inOrder(shape) : 'walk'
    case 'compare':
      return isElement(condition) && !isWhole && dialect.engine === 'sqlite'
        ? 'walk'
        : reachOfComparison(condition, shape, dialect)
    case 'all': {
      // The best of them finds; the others leave out.
      const isServed = condition.of.some(
        (each) => reachOfWhere(each, shape, dialect, isWhole && isElement(each)) !== 'walk',
      )
      return isServed ? 'matches' : 'walk'
    }
    case 'any': {
      if (isWhole && areLists(condition.of, shape, dialect)) return 'page'
      // SQLite would rather walk in the order of the list, but for values of one column.
      const isOne = dialect.engine === 'postgres' || new Set(condition.of.map(columnOf)).size === 1
      const isServed = condition.of.every((each) => reachOfWhere(each, shape, dialect, false) !== 'walk')
      return isServed && isOne ? 'matches' : 'walk'
    }
    default:
      return 'walk'
  }
}

/** Whether each of these is a list of its own, in its order by an index. PostgreSQL puts indexes together by itself. */
const areLists = (of: readonly Condition[], shape: ListShape, dialect: Dialect): boolean =>
  dialect.engine === 'sqlite' &&
  shape.query === undefined &&
  of.every((each) => reachOfWhere(each, shape, dialect) === 'page')

/** The list as several, whose pages are made into one: what a client asks by alternatives that SQLite finds by an index each. */
export function alternativeLists(shape: ListShape, dialect: Dialect): readonly ListShape[] {
  const { scope, search } = shape
  if (search != null || scope?.is !== 'condition' || scope.condition.is !== 'any') return [shape]
  if (!areLists(scope.condition.of, shape, dialect)) return [shape]
  return scope.condition.of.map((condition) => ({ ...shape, scope: { is: 'condition', condition } }))
}

/** The element whose table should lead to the records that a client asks for, where nothing else finds them. */
export function leadingElement(shape: ListShape, dialect: Dialect): Element | null {
  const { scope, search, query, filters } = shape
  if (search != null || query !== undefined || scope?.is !== 'condition') return null
  if (filters.some(({ filter }) => filter.test === 'is') || inOrder(shape) !== 'page') return null
  const all = scope.condition.is === 'all' ? scope.condition.of : [scope.condition]
  const elements = all.filter((each) => isElement(each))
  const others = all.filter((each) => !isElement(each))
  return others.every((each) => reachOfWhere(each, shape, dialect, false) === 'walk') ? (elements[0] ?? null) : null
}
type Element = Extract<Condition, { is: 'compare' }> & { readonly operand: { readonly from: 'bound' } }
const isElement = (condition: Condition): condition is Element =>
  condition.is === 'compare' &&
  condition.test === 'contains' &&
  condition.operand.from === 'bound' &&
  condition.operand.table !== null

/** The column that an equality compares; anything else stands for itself. */
const columnOf = (condition: Condition): unknown =>
  condition.is === 'compare' && condition.test === 'is' ? condition.column : condition

function reachOfComparison(
  { column, test, operand }: Extract<Condition, { is: 'compare' }>,
  shape: ListShape,
  { engine }: Dialect,
): Reach {
  if (test === 'contains') {
    if (operand.from !== 'bound' || operand.table === null) return 'walk'
    // In another order SQLite walks the list and looks each of its elements up.
    if (engine === 'postgres') return 'matches'
    return shape.query === undefined && inOrder(shape) === 'page' ? 'page' : 'walk'
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
