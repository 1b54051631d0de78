// The driving table and the conditions of a list.

import type { LinkRelation, ManyRelation, ResourceModel } from '../../../resource/model/model.ts'
import type { Condition, VisibleSearch } from '../../../resource/model/rule/condition.ts'
import type { ScopeCondition } from '../../../resource/model/rule/query-condition.ts'
import type { ScanSize } from '../../store.ts'
import { conditionSql, isOwn, listConditionSql } from '../condition/condition.ts'
import { drivingTableOf } from '../condition/driving-table.ts'
import { linkSides } from '../condition/list-members.ts'
import { type FilterUse, isDerived, type ListShape } from '../condition/list-shape.ts'
import { filterSql, scopeSql } from '../condition/scope.ts'
import { answerTable, isAnsweredAlone } from '../condition/search.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { type KeyName, ownKey, seekSql } from './keyset.ts'
import { leadingElement, scanSizeOf } from './scan-size.ts'

export type ListRelation = ManyRelation | LinkRelation
export interface Within {
  readonly relation: ListRelation
  readonly parent: string
}

export const limitOnly = (sql: SqlText): string => `limit ${numberSql('limit', sql)}`

export const numberSql = (from: 'limit' | 'offset', sql: SqlText): string =>
  sql.dialect.engine === 'postgres' ? `${sql.parameter({ from })}::bigint` : sql.parameter({ from })

/** For distinct keys on PostgreSQL, which with `in` would sort the keys or scan the table. */
export function keyedRows(keys: string, { table }: ResourceModel, alias: string, sql: SqlText): string {
  const found = sql.alias()
  const row = `select * from ${quote(table)} ${alias} where ${alias}.${rowKey(sql)} = ${found}.k offset 0`
  return `(${keys}) ${found}(k) cross join lateral (${row}) ${alias}`
}

/** Each partial list may have to fill the page. */
export const limitAhead = ({ offset }: ListShape, sql: SqlText): string =>
  offset ? `limit ${numberSql('limit', sql)} + ${numberSql('offset', sql)}` : limitOnly(sql)

export const rowKey = (sql: SqlText): string => (sql.dialect.engine === 'sqlite' ? 'rowid' : '"id"')

export function limitSql(shape: Pick<ListShape, 'offset'>, sql: SqlText): string {
  return shape.offset ? `${limitOnly(sql)} offset ${numberSql('offset', sql)}` : limitOnly(sql)
}

/** It has copies of the usual sort columns, so that its index has the order. */
interface Lead {
  readonly table: string
  readonly id: string
  readonly createdAt: string
  readonly test: (alias: string) => string
}

export function rowsSql(
  scope: RowScope,
  sql: SqlText,
): { readonly from: string; readonly where: string; readonly key: KeyName } {
  const { shape, condition, alias, within } = scope
  const leading = leadingSearch(scope, sql.dialect)
  if (leading !== null) {
    const key = ownKey(alias, sql)
    const answers = answerTable(leading.search, scope.spans, conditionSql, sql)
    const rest = { ...scope, shape: { ...shape, scope: leading.rest } }
    sql.scans('matches')
    return { from: `${answers} ${alias}`, where: scopeTests(rest, null, key, sql).join(' and ') || 'true', key }
  }
  const table = `${quote(shape.resource.table)} ${alias}`
  const isDriven = scope.isDriven === true || within?.relation.kind === 'manyToMany'
  const driving = isDriven ? null : drivingFilter(shape, condition, within, sql)
  const element =
    isDriven || driving !== null || within !== null || isOwn(condition) ? null : leadingElement(shape, sql.dialect)
  const lead = driving !== null ? elementsLead(shape, driving, sql) : (elementLead(element, sql) ?? linkLead(within))
  sql.scans(within === null && !isDriven ? scanSizeOf(shape, condition, sql.dialect) : scanSizeWithin(shape))
  if (sql.dialect.engine === 'sqlite' && leavesOut(scope)) sql.scans('matches')
  // First, because rows that fail an earlier test are not counted.
  const tests = [...sql.watching(alias), `${alias}."deleted_at" is null`]
  const key = ownKey(alias, sql)
  if (lead === null) {
    tests.push(...scopeTests(scope, driving, key, sql))
    return { from: table, where: tests.join(' and '), key }
  }
  const other = sql.alias()
  const copied: KeyName = (each) => {
    if (!isDerived(each) && each.column.field === 'id') return `${other}."${lead.id}"`
    return !isDerived(each) && each.column.field === 'createdAt' ? `${other}."${lead.createdAt}"` : key(each)
  }
  tests.unshift(lead.test(other))
  tests.push(...scopeTests(scope, driving, copied, sql))
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  const from = `${quote(lead.table)} ${other} ${join} ${table} on ${alias}."id" = ${other}."${lead.id}"`
  return { from, where: tests.join(' and '), key: copied }
}

export interface PartialList {
  readonly part: ListShape
  readonly each: Condition
}
/** Those of one list, which its driving table leads if it has one. */
export function rowsOf({ part, each }: PartialList, alias: string, within: Within | null, sql: SqlText) {
  const driven = within === null ? drivingTableOf(part, each) : null
  const { shape, condition } = driven ?? { shape: part, condition: each }
  const { from, where } = rowsSql({ shape, condition, alias, within, isDriven: driven !== null }, sql)
  return { driven, from, where }
}

/**
 * Null if something else drives. Otherwise PostgreSQL would walk an index in the list's order and parse each record's words.
 */
export function leadingSearch(
  { shape, within, isDriven }: Unnamed,
  { engine }: Dialect,
): { readonly search: VisibleSearch; readonly rest: ScopeCondition | null } | null {
  if (engine === 'sqlite' || shape.search == null || shape.scope == null) return null
  if (within !== null || isDriven === true || isRanked(shape)) return null
  const all = shape.scope.is === 'all' ? shape.scope.of : [shape.scope]
  for (const each of all) {
    if (each.is !== 'condition' || each.condition.is !== 'match' || !isAnsweredAlone(each.condition.search)) continue
    const others = all.filter((other) => other !== each)
    return { search: each.condition.search, rest: others.length === 0 ? null : { is: 'all', of: others } }
  }
  return null
}

const scanSizeWithin = ({ where, search, sort }: ListShape): ScanSize =>
  where != null || search != null || sort.some(isDerived) ? 'matches' : 'page'

/** Whether an index in the list's order may read more rows than the page. (contract 12.1.14) */
const leavesOut = ({ shape, condition }: RowScope): boolean =>
  condition.is !== 'always' || shape.filters.length > 0 || shape.scope != null

function linkLead(within: Within | null): Lead | null {
  if (within?.relation.kind !== 'manyToMany') return null
  const [mine, theirs] = linkSides(within.relation)
  return {
    table: within.relation.link.table,
    id: `${theirs}_id`,
    createdAt: `${theirs}_created_at`,
    test: (alias) => `${alias}."${mine}_id" = ${within.parent}`,
  }
}

/** `contains`, if elements are in a table and nothing narrower exists, such as a parent, the actor's own records or a code. */
function drivingFilter(shape: ListShape, condition: Condition, within: Within | null, sql: SqlText): FilterUse | null {
  if (sql.dialect.elements === null || within !== null || isOwn(condition) || shape.search != null) return null
  if (shape.filters.some(({ filter }) => filter.test === 'is')) return null
  return shape.filters.find(({ filter }) => filter.test === 'contains') ?? null
}
function elementsLead(shape: ListShape, driving: FilterUse, sql: SqlText): Lead {
  const { column, part } = driving.filter
  const value = sql.parameter({ from: 'filter', index: shape.filters.indexOf(driving) })
  return {
    table: sql.dialect.elements!(shape.resource.table, column.name, part),
    id: 'id',
    createdAt: 'created_at',
    test: (alias) => `${alias}.value = ${value}`,
  }
}

function elementLead(element: ReturnType<typeof leadingElement>, sql: SqlText): Lead | null {
  const { elements } = sql.dialect
  if (element === null || elements === null) return null
  const { column, operand } = element
  const value = sql.parameter({ from: 'where', index: operand.index })
  return {
    table: elements(operand.table!, column.name, null),
    id: 'id',
    createdAt: 'created_at',
    test: (alias) => `${alias}.value = ${value}`,
  }
}

export interface RowScope {
  readonly shape: ListShape
  readonly condition: Condition
  readonly alias: string
  readonly within: Within | null
  readonly isDriven?: boolean
  /** For a search of records by themselves: SQL for the time spans searched. */
  readonly spans?: string
}

export type Unnamed = Omit<RowScope, 'alias'>

export function scopeTests(scope: RowScope, driving: FilterUse | null, key: KeyName, sql: SqlText): readonly string[] {
  const { shape } = scope
  const tests = isRanked(shape) ? [rankedTest(scope, sql)] : narrowingTests(scope, driving, sql)
  return shape.seek === null ? tests : [...tests, seekSql(shape, shape.seek, key, sql)]
}

/** Only the newest matches are ranked, unless a query found the ids, which are few. */
const isRanked = ({ sort, query }: ListShape): boolean =>
  sort.some(({ search }) => search !== undefined) && query?.query.ids == null

/** Restricts to the newest matches. */
function rankedTest({ shape, condition, alias, within }: RowScope, sql: SqlText): string {
  const other = sql.alias()
  const key = rowKey(sql)
  const tests = [
    ...sql.watching(other),
    `${other}."deleted_at" is null`,
    ...narrowingTests({ shape, condition, alias: other, within }, null, sql),
    ...linkTests(within, other),
  ]
  return (
    `${alias}.${key} in (select ${other}.${key} from ${quote(shape.resource.table)} ${other} where ${tests.join(' and ')} ` +
    `order by ${other}."created_at" desc, ${other}."id" desc limit ${shape.search!.rankedMax})`
  )
}

function linkTests(within: Within | null, alias: string): readonly string[] {
  const lead = linkLead(within)
  return lead === null
    ? []
    : [`${alias}."id" in (select l."${lead.id}" from ${quote(lead.table)} l where ${lead.test('l')})`]
}

function narrowingTests(
  { shape, condition, alias, within }: RowScope,
  driving: FilterUse | null,
  sql: SqlText,
): readonly string[] {
  const tests: string[] = []
  fixFilters(shape, alias, sql)
  if (within?.relation.kind === 'many')
    tests.push(`${alias}.${quote(within.relation.by.column.name)} = ${within.parent}`)
  if (condition.is !== 'always') tests.push(listConditionSql(condition, alias, sql))
  shape.filters.forEach((filter, index) => {
    if (filter !== driving) tests.push(filterSql(filter, index, shape.resource.table, alias, sql))
  })
  if (shape.scope != null) tests.push(scopeSql(shape.scope, shape.resource.table, alias, sql))
  return tests
}

/** Rows filtered by a relation all have the same value, so rules evaluate that record once. */
export function fixFilters({ filters }: ListShape, alias: string, sql: SqlText): void {
  for (const [index, { filter }] of filters.entries())
    if (filter.test === 'is' && filter.column.spec.kind === 'one')
      sql.fix(alias, filter.column.name, { from: 'filter', index })
}
