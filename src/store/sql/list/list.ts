// Lists: filters, order, keyset and offset, within a parent, scoped to what the actor may read.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { alternatives, conditionSql, drivingTableSql, isDirect } from '../condition/condition.ts'
import { drivingTableOf, isTreeLed } from '../condition/driving-table.ts'
import { type FilterUse, isDerived, type ListShape } from '../condition/list-shape.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import type { Prepared, SqlText } from '../text/sql-text.ts'
import { pageSql, type Varying } from '../text/variants.ts'
import { type Aggregate, aggregateColumn } from './aggregate.ts'
import type { Select } from './join.ts'
import { orderSql, ownKey, seekParts } from './keyset.ts'
import {
  fixFilters,
  keyedRows,
  type ListRelation,
  limitAhead,
  limitOnly,
  limitSql,
  type PartialList,
  type RowScope,
  rowKey,
  rowsOf,
  rowsSql,
  type Unnamed,
  type Within,
} from './list-rows.ts'
import { isNewestSearch, newestRows } from './newest-search.ts'
import { alternativeLists, type BoundComparison, leadingValues, orderedComparison } from './scan-size.ts'
import { fewTenantsSql } from './tenant-count.ts'
import { keysByValue } from './value-lists.ts'

export function listSql(
  shape: ListShape,
  condition: Condition,
  select: Select,
  relation: ListRelation | null,
  sql: SqlText,
): Prepared {
  const make = (own: SqlText): string => {
    const alias = own.alias()
    fixFilters(shape, alias, own)
    const { columns, joins } = select(alias, own)
    return `select ${columns} ${pageRows({ shape, condition, alias, within: withinOf(relation, own) }, own, joins)}`
  }
  return pageSql(make, varyingOf(shape, condition, relation, sql), sql)
}

const holder = { from: 'id' } as const
const withinOf = (relation: ListRelation | null, sql: SqlText): Within | null =>
  relation && { relation, parent: sql.parameter(holder) }

/** Values that may differ between combined executions. Empty if the best plan may depend on them. */
function varyingOf(
  shape: ListShape,
  condition: Condition,
  relation: ListRelation | null,
  { dialect }: SqlText,
): readonly Varying[] {
  const { filters, seek, sort } = shape
  if (relation?.kind === 'manyToMany' || sort.some(isDerived)) return []
  const comparison = relation === null ? orderedComparison(shape, condition, dialect) : null
  if (shape.scope != null && comparison === null) return []
  const parts = partsOf(shape, condition, relation === null)
  if (parts.length > 1 || (relation === null && drivingTableOf(shape, parts[0]!) !== null)) return []
  const isHolder = ({ filter }: FilterUse) => filter.test === 'is' && filter.column.spec.kind === 'one'
  if (filters.length > (relation === null ? 1 : 0) || !filters.every(isHolder)) return []
  const cursor = seek === null ? [] : sort.map(({ column }, index) => ({ from: 'cursor' as const, index, column }))
  return [
    { source: holder, type: 'text' },
    { source: { from: 'filter', index: 0 }, type: 'text' },
    ...(comparison === null ? [] : variesBy(comparison, dialect)),
    ...cursor.map(({ column, ...source }) => ({ source, type: dialect.codec(column.type).cast })),
  ]
}

/** A prefix compares with two values; a list of values is one text. */
function variesBy({ column, test, operand: { index } }: BoundComparison, dialect: Dialect): readonly Varying[] {
  const type = test === 'oneOf' ? 'text' : dialect.codec(column.type).cast
  const indexes = test === 'startsWith' ? [index, index + 1] : [index]
  return indexes.map((index) => ({ source: { from: 'where', index }, type }))
}

/** A list for each of the `keys`; the first column is the index of the parent. */
export function childListSql(
  shape: ListShape,
  condition: Condition,
  select: Select,
  relation: ListRelation,
  sql: SqlText,
): Prepared {
  const { place, from, within } = parentsOf(relation, sql)
  const alias = sql.alias()
  const { columns, joins } = select(alias, sql)
  const start = `select ${place}, ${columns} from ${from}`
  const order = `order by ${place}, ${orderSql(shape, ownKey(alias, sql), sql)}`
  const table = quote(shape.resource.table)
  const keys = scopedKeys({ shape, condition, within }, sql)
  return sql.dialect.engine === 'sqlite'
    ? sql.query(`${start} cross join ${table} ${alias} on ${alias}.rowid in (${keys})${joins} ${order}`)
    : sql.query(
        `${start} cross join lateral (${keys}) k(id) join ${table} ${alias} on ${alias}."id" = k.id${joins} ${order}`,
      )
}

/** As `childListSql`, each list as one text; null if empty. */
export function childTextSql(
  shape: ListShape,
  condition: Condition,
  text: (alias: string) => string,
  relation: ListRelation,
  sql: SqlText,
): Prepared {
  const { place, from, within } = parentsOf(relation, sql)
  const alias = sql.alias()
  const rows = pageRows({ shape, condition, alias, within }, sql)
  const list = `select ${sql.dialect.joinTexts('record')} from (select ${text(alias)} as record ${rows}) page`
  return sql.query(`select ${place}, (${list}) from ${from}`)
}

function parentsOf(relation: ListRelation, sql: SqlText): { place: string; from: string; within: Within } {
  const parents = sql.alias()
  const from = sql.dialect.keyTable(sql.parameter({ from: 'keys' }), parents)
  return { place: `${parents}.place`, from, within: { relation, parent: `${parents}.value` } }
}

export const countSql = (
  shape: ListShape,
  condition: Condition,
  relation: ListRelation | null,
  sql: SqlText,
): Prepared => sql.query(`select count(*) from (${keysSql(shape, condition, relation, sql)}) counted`)

export function aggregateSql(
  shape: ListShape,
  condition: Condition,
  { aggregate, visible }: { readonly aggregate: Aggregate; readonly visible: Condition },
  sql: SqlText,
): Prepared {
  // Unlike a total, it has no limit.
  if (sql.dialect.engine === 'sqlite') sql.scans('matches')
  const alias = sql.alias()
  const value = `${alias}.${quote(aggregate.column.name)}`
  const visibleValue =
    visible.is === 'always' ? value : `case when ${conditionSql(visible, alias, sql)} then ${value} end`
  const rows = `${quote(shape.resource.table)} ${alias} where ${alias}.${rowKey(sql)} in`
  return sql.query(
    `select ${aggregateColumn(visibleValue, aggregate, sql.dialect)} from ${rows} (${keysSql(shape, condition, null, sql)})`,
  )
}

function keysSql(shape: ListShape, condition: Condition, relation: ListRelation | null, sql: SqlText): string {
  const within = withinOf(relation, sql)
  const parts = listsOf(shape, condition, within === null, sql).map((list) => {
    const alias = sql.alias()
    const { driven, ...rows } = rowsOf(list, alias, within, sql)
    const keys =
      driven === null
        ? `select ${alias}.${rowKey(sql)} k from ${rows.from} where ${rows.where} ${limitOnly(sql)}`
        : countedKeys(driven, rows, alias, sql)
    return `select * from (${keys}) ${sql.alias()}`
  })
  return `${parts.join(' union ')} ${limitOnly(sql)}`
}
/** If the page combines several lists or is reached by a link, its keys are found first. */
function pageRows(scope: RowScope, sql: SqlText, joins = ''): string {
  const { shape, condition, alias, within } = scope
  const isFew = within === null ? fewTenantsSql(shape, condition, sql) : null
  const first = isFew === null ? '' : `${isFew} and `
  const page = (rows: string) => `from ${rows}${joins} order by ${orderSql(shape, ownKey(alias, sql), sql)}`
  if (isNewestSearch(scope, sql.dialect)) return page(`(${newestRows(scope, first, sql)}) ${alias}`)
  if (isOneList(scope, sql) && within?.relation.kind !== 'manyToMany')
    return `${orderedRows(scope, sql, joins, first)} ${limitSql(shape, sql)}`
  // Only rows of the page are joined.
  const keys =
    joins === '' ? candidateKeys(scope, sql) : { text: scopedKeys(scope, sql), isPage: true, areDistinct: false }
  const order = `order by ${orderSql(shape, ownKey(alias, sql), sql)}${keys.isPage ? '' : ` ${limitSql(shape, sql)}`}`
  const table = quote(shape.resource.table)
  if (keys.areDistinct && isFew === null && sql.dialect.engine === 'postgres')
    return `from ${keyedRows(keys.text, shape.resource, alias, sql)} ${order}`
  return `from ${table} ${alias}${joins} where ${first}${alias}.${rowKey(sql)} in (${keys.text}) ${order}`
}

/** Whether one index can have the list in order. */
function isOneList({ shape, condition, within }: Unnamed, sql: SqlText): boolean {
  const [list, ...others] = listsOf(shape, condition, within === null, sql)
  if (others.length > 0 || seekParts(shape, sql).length > 1) return false
  return (
    within !== null ||
    (drivingTableOf(list!.part, list!.each) === null && leadingValues(list!.part, list!.each, sql.dialect) === null)
  )
}

function scopedKeys(scope: Unnamed, sql: SqlText): string {
  const { text, isPage } = candidateKeys(scope, sql)
  if (isPage) return text
  const { shape } = scope
  const alias = sql.alias()
  return (
    `select ${alias}.${rowKey(sql)} from ${quote(shape.resource.table)} ${alias} ` +
    `where ${alias}.${rowKey(sql)} in (${text}) order by ${orderSql(shape, ownKey(alias, sql), sql)} ${limitSql(shape, sql)}`
  )
}

interface CandidateKeys {
  readonly text: string
  readonly isPage: boolean
  readonly areDistinct: boolean
}

/** One limited list per alternative of the rule, united. */
function candidateKeys(scope: Unnamed, sql: SqlText): CandidateKeys {
  const { shape, condition, within } = scope
  const lists = seekParts(shape, sql).flatMap((part) => listsOf(part, condition, within === null, sql))
  if (isOneList(scope, sql)) {
    const alias = sql.alias()
    return {
      text: `select ${alias}.${rowKey(sql)} ${orderedRows({ ...scope, alias }, sql)} ${limitSql(shape, sql)}`,
      isPage: true,
      areDistinct: false,
    }
  }
  const limit = limitAhead(shape, sql)
  const keys = lists.map(({ part, each }) => {
    const driven = within === null ? drivingTableOf(part, each) : null
    if (driven !== null) return drivenKeys(driven, limit, sql)
    const values = within === null ? leadingValues(part, each, sql.dialect) : null
    if (values !== null) return keysByValue(values, each, limit, sql)
    const alias = sql.alias()
    return `select ${alias}.${rowKey(sql)} k ${orderedRows({ shape: part, condition: each, alias, within }, sql)} ${limit}`
  })
  return {
    text: keys.map((each) => `select * from (${each}) ${sql.alias()}`).join(' union '),
    isPage: false,
    // A union removes duplicates; links may repeat a record.
    areDistinct: keys.length > 1 || within !== null || drivingTableOf(lists[0]!.part, lists[0]!.each) === null,
  }
}

/** The alternatives that are separate lists. Within a parent, the parent drives. */
export const partsOf = (shape: ListShape, condition: Condition, isRoot: boolean): readonly Condition[] =>
  isRoot && shape.search == null
    ? alternatives(
        condition,
        (each) =>
          isDirect(each) || isOwnAmong(each) || isTreeLed(each) || drivingTableOf(noScope(shape), each) !== null,
      )
    : shape.search == null
      ? alternatives(condition)
      : [condition]

export function listsOf(
  shape: ListShape,
  condition: Condition,
  isRoot: boolean,
  { dialect }: SqlText,
): readonly PartialList[] {
  const conditions = partsOf(shape, condition, isRoot)
  const lists = isRoot ? alternativeLists(shape, dialect) : [shape]
  // SQLite unites at most 500 selects.
  const parts = conditions.length * lists.length > partsMax ? [shape] : lists
  return parts.flatMap((part) => conditions.map((each) => ({ part, each })))
}
const partsMax = 480

const noScope = (shape: ListShape): ListShape => ({ ...shape, scope: null })
const isOwnAmong = (condition: Condition): boolean =>
  condition.is === 'all' && condition.of.some(({ is }) => is === 'actor')

type DrivenList = NonNullable<ReturnType<typeof drivingTableOf>>

export function drivenTable({ drivingTable }: DrivenList, from: string, alias: string, sql: SqlText): string {
  const owner = sql.alias()
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  return `${drivingTableSql(drivingTable, sql)} ${owner} ${join} ${from} on ${alias}.${quote(drivingTable.column)} = ${owner}.id`
}

function countedKeys(
  driven: DrivenList,
  rows: { readonly from: string; readonly where: string },
  alias: string,
  sql: SqlText,
): string {
  const { from, where } = rows
  const key = `${alias}.${rowKey(sql)} k`
  if (sql.dialect.engine === 'sqlite')
    return `select ${key} from ${drivenTable(driven, from, alias, sql)} where ${where} ${limitOnly(sql)}`
  const [owner, own] = [sql.alias(), sql.alias()]
  const test = `${alias}.${quote(driven.drivingTable.column)} = ${owner}.id and ${where}`
  const each = `cross join lateral (select ${key} from ${from} where ${test} ${limitOnly(sql)}) ${own}`
  return `select ${own}.k from ${drivingTableSql(driven.drivingTable, sql)} ${owner} ${each} ${limitOnly(sql)}`
}

/** A page of N records has at most N owners: the N whose first record sorts first, then the first N records of each. */
function drivenKeys({ drivingTable, shape, condition }: DrivenList, limit: string, sql: SqlText): string {
  const [owner, first, each, rows] = [sql.alias(), sql.alias(), sql.alias(), sql.alias()]
  const key = rowKey(sql)
  const table = quote(shape.resource.table)
  if (shape.sort.some(isDerived)) return drivenRows({ drivingTable, shape, condition }, limit, sql)
  const rowsOf = (id: string, limit: string, columns = (alias: string) => `${alias}.${key} k`): string => {
    const alias = sql.alias()
    const { where } = rowsSql({ shape, condition, alias, within: null, isDriven: true }, sql)
    const own = `${alias}.${quote(drivingTable.column)} = ${id}`
    const order = orderSql(shape, ownKey(alias, sql), sql)
    return `select ${columns(alias)} from ${table} ${alias} where ${own} and ${where} order by ${order} ${limit}`
  }
  const byFirst = `order by ${orderSql(shape, ownKey(first, sql), sql)} ${limit}`
  if (sql.dialect.engine === 'postgres') {
    const sorted = (alias: string) => shape.sort.map(({ column }) => `${alias}.${quote(column.name)}`).join(', ')
    const firsts = `cross join lateral (${rowsOf(`${owner}.id`, 'limit 1', sorted)}) ${first}`
    const owners = `select ${owner}.id from ${drivingTableSql(drivingTable, sql)} ${owner} ${firsts} ${byFirst}`
    return `select ${rows}.k from (${owners}) ${each} cross join lateral (${rowsOf(`${each}.id`, limit)}) ${rows}`
  }
  const ranked = sql.alias()
  const firsts = `select ${owner}.id, (${rowsOf(`${owner}.id`, 'limit 1')}) as k from ${drivingTableSql(drivingTable, sql)} ${owner}`
  const found = `from (${firsts}) ${ranked} cross join ${table} ${first} where ${first}.${key} = ${ranked}.k`
  const page = `json_each((select json_group_array(k) from (${rowsOf(`${each}.id`, limit)})))`
  return `select ${rows}.value k from (select ${ranked}.id ${found} ${byFirst}) ${each} cross join ${page} ${rows}`
}

/** Without an index in order: reads each record once. */
function drivenRows({ drivingTable, shape, condition }: DrivenList, limit: string, sql: SqlText): string {
  const alias = sql.alias()
  const { from, where, key } = rowsSql({ shape, condition, alias, within: null, isDriven: true }, sql)
  const order = orderSql(shape, key, sql)
  return `select ${alias}.${rowKey(sql)} k from ${drivenTable({ drivingTable, shape, condition }, from, alias, sql)} where ${where} order by ${order} ${limit}`
}

function orderedRows(scope: RowScope, sql: SqlText, joins = '', first = ''): string {
  const { from, where, key } = rowsSql(scope, sql)
  return `from ${from}${joins} where ${first}${where} order by ${orderSql(scope.shape, key, sql)}`
}
