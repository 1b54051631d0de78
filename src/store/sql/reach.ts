// How many rows a list may have to look at for one page. What `duet check` names of a definition is what SQLite runs on a thread of
// its own, because both ask here. (contract 12.1.14, 12.3.1)

import type { Column } from '../../resource/model/column.ts'
import { allOf, type Condition } from '../../resource/model/condition.ts'
import type { ResourceModel, WhereBranch } from '../../resource/model/model.ts'
import type { ScopeCondition } from '../../resource/model/query-condition.ts'
import type { Reach } from '../store.ts'
import { isDirect, isOwn } from './condition.ts'
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
    case 'related':
      return dialect.engine === 'postgres' && isFoundAlong(condition, shape.resource.where) ? 'matches' : 'walk'
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
      if (isWhole && dialect.engine === 'sqlite' && areLists(condition.of, shape, dialect)) return 'page'
      // SQLite would rather walk in the order of the list, but for values of one column.
      const isOne = dialect.engine === 'postgres' || new Set(condition.of.map(columnOf)).size === 1
      const isServed = condition.of.every((each) => reachOfWhere(each, shape, dialect, false) !== 'walk')
      return isServed && isOne ? 'matches' : 'walk'
    }
    default:
      return 'walk'
  }
}

/**
 * Whether each of these is a list of its own: on SQLite in its order by an index. PostgreSQL puts indexes together by itself, but
 * for those of several tables.
 */
function areLists(of: readonly Condition[], shape: ListShape, dialect: Dialect): boolean {
  if (shape.query !== undefined) return false
  if (dialect.engine === 'sqlite') return of.every((each) => reachOfWhere(each, shape, dialect) === 'page')
  return !of.every(isDirect) && of.every((each) => reachOfWhere(each, shape, dialect) !== 'walk')
}

/** The list as several, whose pages are made into one: what a client asks by alternatives, for each of which there is an index. */
export function alternativeLists(shape: ListShape, dialect: Dialect): readonly ListShape[] {
  const { scope, search } = shape
  if (search != null || scope?.is !== 'condition' || scope.condition.is !== 'any') return [shape]
  if (!areLists(scope.condition.of, shape, dialect)) return [shape]
  return scope.condition.of.map((condition) => ({ ...shape, scope: { is: 'condition', condition } }))
}

/** The element whose table should lead to the records that a client asks for, where nothing else finds them. */
export function leadingElement(shape: ListShape, dialect: Dialect): BoundComparison | null {
  const { scope, search, query, filters } = shape
  if (search != null || query !== undefined || scope?.is !== 'condition') return null
  if (filters.some(({ filter }) => filter.test === 'is') || inOrder(shape) !== 'page') return null
  const all = scope.condition.is === 'all' ? scope.condition.of : [scope.condition]
  const elements = all.filter((each) => isElement(each))
  const others = all.filter((each) => !isElement(each))
  return others.every((each) => reachOfWhere(each, shape, dialect, false) === 'walk') ? (elements[0] ?? null) : null
}
/** A comparison with values that a request brings. */
export type BoundComparison = Extract<Condition, { is: 'compare' }> & { readonly operand: { readonly from: 'bound' } }

/** The values of which one is asked for, and what else is asked of a list of each. */
export interface LeadingValues {
  readonly value: BoundComparison
  readonly rest: readonly Condition[]
  /** The list without the values. */
  readonly shape: ListShape
}

/** Where PostgreSQL should take the list of each value, since the index of each has the order. */
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

/**
 * What a client asks, where an index has the answer in the order of the list whatever the values are, so that one plan is the best
 * for all of them; null where nothing is asked, or the plan may depend on the values.
 */
export function orderedComparison(shape: ListShape, condition: Condition, dialect: Dialect): BoundComparison | null {
  const { scope, search, query, filters } = shape
  if (scope?.is !== 'condition' || search != null || query !== undefined || filters.length > 0) return null
  const leading = leadingValues(shape, condition, dialect)
  if (leading !== null) return leading.rest.length === 0 ? leading.value : null
  const { condition: comparison } = scope
  return isBound(comparison) && reachOfWhere(comparison, shape, dialect) === 'page' ? comparison : null
}
const isBound = (condition: Condition): condition is BoundComparison =>
  condition.is === 'compare' && condition.operand.from === 'bound'
const isAmong = (condition: Condition): condition is BoundComparison => isBound(condition) && condition.test === 'oneOf'
const isElement = (condition: Condition): condition is BoundComparison =>
  isBound(condition) && condition.test === 'contains' && condition.operand.table !== null

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

/** Whether an index finds the record that a relation names: from it those are found that name it. */
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

/** Behind a value its index has the usual order. */
const inOrder = ({ sort: [first] }: ListShape): Reach =>
  first === undefined || (first.column.field === 'createdAt' && !isDerived(first)) ? 'page' : 'matches'
