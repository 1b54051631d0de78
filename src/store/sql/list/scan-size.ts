// How many rows a list may read for a page, for `duet check` and SQLite's choice of thread. (contract 12.1.14, 12.3.1)

import type { Column } from '../../../resource/model/column.ts'
import type { ResourceModel, WhereBranch } from '../../../resource/model/model.ts'
import { allOf, type Condition } from '../../../resource/model/rule/condition.ts'
import type { ScopeCondition } from '../../../resource/model/rule/query-condition.ts'
import type { ScanSize } from '../../store.ts'
import { isDirect, isOwn } from '../condition/condition.ts'
import { isDerived, type ListShape } from '../condition/list-shape.ts'
import { isIndexed } from '../schema/indexes.ts'
import type { Dialect } from '../text/dialect.ts'

/**
 * `page`: an index has the matches in order. `matches`: an index finds them, but many may be sorted or dropped. `walk`: no
 * index finds them.
 */
export function scanSizeOf(shape: ListShape, condition: Condition, dialect: Dialect): ScanSize {
  const { search, sort, where, scope, filters, query } = shape
  if (search != null) return 'matches'
  const isSorted = sort.some(isDerived)
  if (where == null && !isSorted) return 'page'
  const scanSize = where == null || scope == null ? 'walk' : scanSizeOfWhere(lastOf(scope), shape, dialect)
  const isFound = isOwn(condition) || filters.some(({ filter }) => filter.test === 'is')
  if (scanSize === 'walk') return isFound ? 'matches' : 'walk'
  const isAlone = condition.is === 'always' && filters.length === 0 && query === undefined && !isSorted
  return isAlone ? scanSize : 'matches'
}

function lastOf(scope: ScopeCondition): Condition | null {
  if (scope.is === 'condition') return scope.condition
  return scope.is === 'all' ? lastOf(scope.of.at(-1)!) : null
}

/** `isWhole`: the complete condition of a list, not a part. */
function scanSizeOfWhere(condition: Condition | null, shape: ListShape, dialect: Dialect, isWhole = true): ScanSize {
  switch (condition?.is) {
    case 'always':
    case 'never':
      return 'page'
    case 'actor':
      return isFindable(condition.column, shape.resource) ? inOrder(shape) : 'walk'
    case 'absent':
      if (!isFindable(condition.column, shape.resource)) return 'walk'
      // PostgreSQL does not see that a column without values has one order.
      return dialect.engine === 'postgres' ? 'matches' : inOrder(shape)
    case 'related':
      return dialect.engine === 'postgres' && isFoundAlong(condition, shape.resource.where) ? 'matches' : 'walk'
    case 'compare':
      return isElement(condition) && !isWhole && dialect.engine === 'sqlite'
        ? 'walk'
        : reachOfComparison(condition, shape, dialect)
    case 'all': {
      // The best one drives, the others filter.
      const isServed = condition.of.some(
        (each) => scanSizeOfWhere(each, shape, dialect, isWhole && isElement(each)) !== 'walk',
      )
      return isServed ? 'matches' : 'walk'
    }
    case 'any': {
      if (isWhole && dialect.engine === 'sqlite' && areLists(condition.of, shape, dialect)) return 'page'
      // Otherwise SQLite prefers a walk in the list's order.
      const isOne = dialect.engine === 'postgres' || new Set(condition.of.map(columnOf)).size === 1
      const isServed = condition.of.every((each) => scanSizeOfWhere(each, shape, dialect, false) !== 'walk')
      return isServed && isOne ? 'matches' : 'walk'
    }
    default:
      return 'walk'
  }
}

/** On SQLite, each alternative needs an index in order. PostgreSQL combines indexes, except across tables. */
function areLists(of: readonly Condition[], shape: ListShape, dialect: Dialect): boolean {
  if (shape.query !== undefined) return false
  if (dialect.engine === 'sqlite') return of.every((each) => scanSizeOfWhere(each, shape, dialect) === 'page')
  return !of.every(isDirect) && of.every((each) => scanSizeOfWhere(each, shape, dialect) !== 'walk')
}

/** One list per alternative of the condition, each with an index. */
export function alternativeLists(shape: ListShape, dialect: Dialect): readonly ListShape[] {
  const { scope, search } = shape
  if (search != null || scope?.is !== 'condition' || scope.condition.is !== 'any') return [shape]
  if (!areLists(scope.condition.of, shape, dialect)) return [shape]
  return scope.condition.of.map((condition) => ({ ...shape, scope: { is: 'condition', condition } }))
}

/** The element whose table should drive the list, if nothing else does. */
export function leadingElement(shape: ListShape, dialect: Dialect): BoundComparison | null {
  const { scope, search, query, filters } = shape
  if (search != null || query !== undefined || scope?.is !== 'condition') return null
  if (filters.some(({ filter }) => filter.test === 'is') || inOrder(shape) !== 'page') return null
  const all = scope.condition.is === 'all' ? scope.condition.of : [scope.condition]
  const elements = all.filter((each) => isElement(each))
  const others = all.filter((each) => !isElement(each))
  return others.every((each) => scanSizeOfWhere(each, shape, dialect, false) === 'walk') ? (elements[0] ?? null) : null
}
export type BoundComparison = Extract<Condition, { is: 'compare' }> & { readonly operand: { readonly from: 'bound' } }

export interface LeadingValues {
  readonly value: BoundComparison
  readonly rest: readonly Condition[]
  readonly shape: ListShape
}

/** On PostgreSQL, if the index of each value has the list's order. */
export function leadingValues(shape: ListShape, condition: Condition, { engine }: Dialect): LeadingValues | null {
  const { scope, search, query, filters, resource } = shape
  if (engine === 'sqlite' || scope?.is !== 'condition' || search != null || query !== undefined || filters.length > 0)
    return null
  if (isOwn(condition) || inOrder(shape) !== 'page' || shape.sort.some(isDerived)) return null
  const all = scope.condition.is === 'all' ? scope.condition.of : [scope.condition]
  const value = all.filter(isAmong).find(({ column }) => column.field !== 'id' && isFindable(column, resource))
  if (value === undefined) return null
  const rest = all.filter((each) => each !== value)
  return {
    value,
    rest,
    shape: { ...shape, scope: rest.length === 0 ? null : { is: 'condition', condition: allOf(rest) } },
  }
}

/** A condition for which an index has the list's order with any values, so that one plan fits all. */
export function orderedComparison(shape: ListShape, condition: Condition, dialect: Dialect): BoundComparison | null {
  const { scope, search, query, filters } = shape
  if (scope?.is !== 'condition' || search != null || query !== undefined || filters.length > 0) return null
  const leading = leadingValues(shape, condition, dialect)
  if (leading !== null) return leading.rest.length === 0 ? leading.value : null
  const { condition: comparison } = scope
  return isBound(comparison) && scanSizeOfWhere(comparison, shape, dialect) === 'page' ? comparison : null
}
const isBound = (condition: Condition): condition is BoundComparison =>
  condition.is === 'compare' && condition.operand.from === 'bound'
const isAmong = (condition: Condition): condition is BoundComparison => isBound(condition) && condition.test === 'oneOf'
const isElement = (condition: Condition): condition is BoundComparison =>
  isBound(condition) && condition.test === 'contains' && condition.operand.table !== null

const columnOf = (condition: Condition): unknown =>
  condition.is === 'compare' && condition.test === 'is' ? condition.column : condition

function reachOfComparison(
  { column, test, operand }: Extract<Condition, { is: 'compare' }>,
  shape: ListShape,
  { engine }: Dialect,
): ScanSize {
  if (test === 'contains') {
    if (operand.from !== 'bound' || operand.table === null) return 'walk'
    // In another order SQLite walks the list, and looks up the elements of each record.
    if (engine === 'postgres') return 'matches'
    return shape.query === undefined && inOrder(shape) === 'page' ? 'page' : 'walk'
  }
  if (test === 'endsWith' || test === 'includes')
    return operand.from === 'bound' && operand.parts !== undefined ? 'matches' : 'walk'
  const [first] = shape.sort
  if (first !== undefined && first.column === column && !isDerived(first) && test !== 'oneOf') return 'page'
  if (!isFindable(column, shape.resource)) return 'walk'
  if (test === 'is') return column.field === 'id' ? 'page' : inOrder(shape)
  return test === 'oneOf' || test === 'startsWith' ? 'matches' : 'walk'
}

function isFindable(column: Column, { where }: ResourceModel): boolean {
  if (column.field === 'id') return true
  const value = where?.values.get(column.field)
  // Elements of a list have their own index.
  return value !== undefined && value.column === column && !value.tests.has('contains') && isIndexed(value)
}

/** Whether an index finds the related record, and from it those that refer to it. */
function isFoundAlong({ relation, condition }: Related, branch: WhereBranch | null): boolean {
  const of = branch?.steps.get(relation.field)?.of
  if (of === undefined) return false
  const isFound = (each: Condition): boolean => {
    if (each.is === 'related') return isFoundAlong(each, of)
    if (each.is !== 'compare' || !['is', 'oneOf', 'startsWith'].includes(each.test)) return false
    const value = of.values.get(each.column.field)
    return each.operand.from === 'bound' && value?.column === each.column && isIndexed(value)
  }
  return condition.is === 'all' ? condition.of.some(isFound) : isFound(condition)
}
type Related = Extract<Condition, { is: 'related' }>

const inOrder = ({ sort: [first] }: ListShape): ScanSize =>
  first === undefined || (first.column.field === 'createdAt' && !isDerived(first)) ? 'page' : 'matches'
