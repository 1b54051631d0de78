// The rows of a list under one alias: what leads to them, and what narrows them.

import type { Condition, SearchSight } from '../../resource/model/condition.ts'
import type { LinkRelation, ManyRelation, ResourceModel } from '../../resource/model/model.ts'
import type { ScopeCondition } from '../../resource/model/query-condition.ts'
import type { Reach } from '../store.ts'
import { conditionSql, isOwn } from './condition.ts'
import { type Dialect, quote } from './dialect.ts'
import { filterSql } from './filter.ts'
import { type KeyName, ownKey, seekSql } from './keyset.ts'
import { linkSides } from './list-members.ts'
import { type FilterUse, isDerived, type ListShape } from './list-shape.ts'
import { leadingElement, reachOf } from './reach.ts'
import { scopeSql } from './scope.ts'
import { answerTable, isAnsweredAlone } from './search.ts'
import type { SqlText } from './sql-text.ts'

/** The relation of a list within a parent. */
export type ListRelation = ManyRelation | LinkRelation
/** Whose list it is: the relation, and SQL for the parent's id. */
export interface Within {
  readonly relation: ListRelation
  readonly parent: string
}

export const limitOnly = (sql: SqlText): string => `limit ${numberSql('limit', sql)}`

export const numberSql = (from: 'limit' | 'offset', sql: SqlText): string =>
  sql.dialect.engine === 'postgres' ? `${sql.parameter({ from })}::bigint` : sql.parameter({ from })

/**
 * PostgreSQL's rows of keys that are distinct. Asked for rows whose key is among them, it would sort the keys to drop equal ones, or
 * read the whole table.
 */
export function keyedRows(keys: string, { table }: ResourceModel, alias: string, sql: SqlText): string {
  const found = sql.alias()
  const row = `select * from ${quote(table)} ${alias} where ${alias}.${rowKey(sql)} = ${found}.k offset 0`
  return `(${keys}) ${found}(k) cross join lateral (${row}) ${alias}`
}

/** As many rows as a page needs of each of the lists that it is made of. */
export const reachLimit = ({ offset }: ListShape, sql: SqlText): string =>
  offset ? `limit ${numberSql('limit', sql)} + ${numberSql('offset', sql)}` : limitOnly(sql)

export const rowKey = (sql: SqlText): string => (sql.dialect.engine === 'sqlite' ? 'rowid' : '"id"')

export function limitSql(shape: Pick<ListShape, 'offset'>, sql: SqlText): string {
  return shape.offset ? `${limitOnly(sql)} offset ${numberSql('offset', sql)}` : limitOnly(sql)
}

/** A table that leads to the records, and copies what lists are sorted by unless told, so that its index has the order. */
interface Lead {
  readonly table: string
  readonly id: string
  readonly createdAt: string
  /** Which of its rows. */
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
    sql.reachTo('matches')
    return { from: `${answers} ${alias}`, where: scopeTests(rest, null, key, sql).join(' and ') || 'true', key }
  }
  const table = `${quote(shape.resource.table)} ${alias}`
  const isLed = scope.isLed === true || within?.relation.kind === 'manyToMany'
  const driving = isLed ? null : drivingFilter(shape, condition, within, sql)
  const element =
    isLed || driving !== null || within !== null || isOwn(condition) ? null : leadingElement(shape, sql.dialect)
  const lead = driving !== null ? elementsLead(shape, driving, sql) : (elementLead(element, sql) ?? linkLead(within))
  sql.reachTo(within === null && !isLed ? reachOf(shape, condition, sql.dialect) : reachWithin(shape))
  // First of all, for what fails an earlier test is not counted.
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

/**
 * The search that PostgreSQL finds the records by, and what else is asked; null where something else does. It would walk an index in
 * the order of the list, and work out the words of each record; else it would read what was found once more.
 */
export function leadingSearch(
  { shape, within, isLed }: Unnamed,
  { engine }: Dialect,
): { readonly search: SearchSight; readonly rest: ScopeCondition | null } | null {
  if (engine === 'sqlite' || shape.search == null || shape.scope == null) return null
  if (within !== null || isLed === true || isRanked(shape)) return null
  const all = shape.scope.is === 'all' ? shape.scope.of : [shape.scope]
  for (const each of all) {
    if (each.is !== 'condition' || each.condition.is !== 'match' || !isAnsweredAlone(each.condition.search)) continue
    const others = all.filter((other) => other !== each)
    return { search: each.condition.search, rest: others.length === 0 ? null : { is: 'all', of: others } }
  }
  return null
}

/** Who or what leads to the records leads to all that match. */
const reachWithin = ({ where, search, sort }: ListShape): Reach =>
  where != null || search != null || sort.some(isDerived) ? 'matches' : 'page'

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

/**
 * The filter whose index should lead to the records: `contains` where the engine keeps elements in a table, unless
 * something else leads to fewer, such as a parent the actor's own, or a code.
 */
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

/** The rows of a list under one alias. */
export interface RowScope {
  readonly shape: ListShape
  readonly condition: Condition
  readonly alias: string
  readonly within: Within | null
  /** A rule leads to them. */
  readonly isLed?: boolean
  /** Of a search that the records answer by themselves: the spans of time that they were created in, as SQL. */
  readonly spans?: string
}

export type Unnamed = Omit<RowScope, 'alias'>

/** The tests of a row, but for the filter that leads to it. `key` names the columns that a cursor compares. */
export function scopeTests(scope: RowScope, driving: FilterUse | null, key: KeyName, sql: SqlText): readonly string[] {
  const { shape } = scope
  const tests = isRanked(shape) ? [rankedTest(scope, sql)] : narrowingTests(scope, driving, sql)
  return shape.seek === null ? tests : [...tests, seekSql(shape, shape.seek, key, sql)]
}

/** Whether only the newest of its matches are put in its order. Ids that a query found are few. */
const isRanked = ({ sort, query }: ListShape): boolean =>
  sort.some(({ search }) => search !== undefined) && query?.query.ids == null

/** The newest of what is narrowed to. */
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
  if (condition.is !== 'always') tests.push(conditionSql(condition, alias, sql))
  shape.filters.forEach((filter, index) => {
    if (filter !== driving) tests.push(filterSql(filter, index, shape.resource.table, alias, sql))
  })
  if (shape.scope != null) tests.push(scopeSql(shape.scope, shape.resource.table, alias, sql))
  return tests
}

/** All rows of a list that is filtered by whose they are belong to the same: rules ask about that one record once. */
export function fixFilters({ filters }: ListShape, alias: string, sql: SqlText): void {
  for (const [index, { filter }] of filters.entries())
    if (filter.test === 'is' && filter.column.spec.kind === 'one')
      sql.fix(alias, filter.column.name, { from: 'filter', index })
}
