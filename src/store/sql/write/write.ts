// Statements that load, lock, insert, change and delete records, built once.

import type { Column, KeyModel } from '../../../resource/model/column.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { contributingColumns } from '../../../resource/model/number/kept-number.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import type { LimitedToken } from '../../../resource/model/rule/token-use.ts'
import { conditionSql, notDeletedSql, recordCondition } from '../condition/condition.ts'
import { insertOf, ofInputs, toKeys } from '../text/batching.ts'
import { encodeValue, selectedSql } from '../text/column-value.ts'
import { type Dialect, type Lock, quote } from '../text/dialect.ts'
import { type AsOf, type Prepared, SqlText } from '../text/sql-text.ts'
import { keySql } from '../text/variants.ts'
import { timedSets } from './due.ts'

export interface Load {
  readonly resource: ResourceModel
  readonly conditions: readonly Condition[]
  readonly columns: readonly Column[]
  readonly lock: Lock | null
  /** What a record must meet to be returned and locked. */
  readonly guard?: readonly Condition[]
  readonly asOf?: AsOf
}

/** Locks in id order, without deleted ones: by `id` or among `keys`. Returns id, version, each condition, then the columns. */
export function loadSql(
  { resource, conditions, columns, lock, guard = [], asOf }: Load,
  by: 'id' | 'keys',
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect, undefined, asOf)
  const alias = sql.alias()
  const tests = conditions.map((condition) => `(${conditionSql(condition, alias, sql)})`)
  const columnList = [
    `${alias}."id"`,
    `${alias}."version"`,
    ...tests,
    ...columns.map((each) => selectedSql(each, alias, dialect)),
  ]
  const id = `${alias}."id"`
  const guards = guard.map((condition) => ` and (${conditionSql(condition, alias, sql)})`).join('')
  const select = (test: string, alsoSelected: string) =>
    `select ${columnList.join(', ')}${alsoSelected} from ${quote(resource.table)} ${alias} ` +
    `where ${test} and ${sql.notDeleted(alias)}${guards} order by ${id}` +
    (lock === null ? '' : dialect.lock(lock, alias))
  if (by === 'id') return keySql(id, { from: 'id' }, select, sql)
  return sql.query(select(dialect.among(id, sql.parameter({ from: 'keys' })), ''))
}

/** By columns equal to the inputs, unless deleted, and if the condition holds. Its rule is that of their index. */
export function findSql(resource: ResourceModel, key: Findable, condition: Condition, dialect: Dialect): Prepared {
  const { columns, where } = key
  const sql = new SqlText(dialect)
  const alias = sql.alias()
  const equal = columns.map(({ name }, index) => `${alias}.${quote(name)} = ${sql.parameter({ from: 'input', index })}`)
  const tests = [...equal, ...recordCondition(where, resource, alias, dialect)]
  const found = `select ${alias}."id" from ${quote(resource.table)} ${alias}`
  return sql.query(
    `${found} where ${tests.join(' and ')} and ${notDeletedSql(condition, alias, sql)}`,
    ofInputs(sql.sources, columns.length, (count) => findManySql(resource, key, condition, count, dialect)),
  )
}

export type Findable = Pick<KeyModel, 'columns' | 'where'>

/** For several records: their inputs follow each other, and each id comes after the index of its record. */
function findManySql(
  resource: ResourceModel,
  { columns, where }: Findable,
  condition: Condition,
  count: number,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const [names, record] = [sql.alias(), sql.alias()]
  const rows = inputRows(columns, count, sql).map((values, place) => `(${place}, ${values})`)
  // Both databases name the columns so.
  const equal = columns.map(({ name }, at) => `${record}.${quote(name)} = ${names}.column${at + 2}`)
  const tests = [...equal, ...recordCondition(where, resource, record, dialect)]
  return sql.query(
    `select ${names}.column1, ${record}."id" from (values ${rows.join(', ')}) ${names} cross join ${quote(resource.table)} ${record} ` +
      `where ${tests.join(' and ')} and ${notDeletedSql(condition, record, sql)}`,
  )
}

/** Returns a row if the condition holds for values that are not stored. Secrets have none. */
export function candidateSql(resource: ResourceModel, condition: Condition, dialect: Dialect): Prepared {
  const columns = candidateColumns(resource)
  const of = (sql: SqlText, place: number): string => {
    const values = columns.map(({ name, type }, at) => {
      const value = sql.parameter({ from: 'input', index: place * columns.length + at })
      const { declared, typed } = dialect.codec(type)
      const stands = dialect.engine === 'postgres' ? `${value}::${declared}` : (typed?.(value) ?? value)
      return `${stands} as ${quote(name)}`
    })
    return `select ${[`${place} as "_place"`, ...values].join(', ')}`
  }
  const statementOf = (count: number, sql: SqlText): string => {
    const alias = sql.alias()
    const rows = Array.from({ length: count }, (_, place) => of(sql, place)).join(' union all ')
    const place = count === 1 ? '' : `${alias}."_place", `
    return `select ${place}${conditionSql(condition, alias, sql)} from (${rows}) ${alias}`
  }
  const sql = new SqlText(dialect)
  const one = statementOf(1, sql)
  const many = (count: number) => {
    const all = new SqlText(dialect)
    return all.query(statementOf(count, all))
  }
  return sql.query(one, ofInputs(sql.sources, columns.length, many))
}
export const candidateColumns = (resource: ResourceModel): readonly Column[] =>
  resource.columns.filter((each) => !each.secret && !each.encrypted)

/** Inputs: the resource's columns in order, then its folded ones. */
export function insertSql(resource: ResourceModel, dialect: Dialect): Prepared {
  const columns = [...resource.columns, ...resource.folded]
  const names = columns.map((each) => quote(each.name))
  const into = `insert into ${quote(resource.table)} (${names.join(', ')})`
  return {
    statement: insertOf(
      into,
      columns.map(({ type }) => dialect.codec(type).cast),
      dialect,
    ),
    sources: names.map((_, index) => ({ from: 'input', index })),
  }
}

export type WrittenColumn = Pick<Column, 'name' | 'type'>

/** Marks the `keys` as deleted, so that unique indexes omit them. */
export function markSql(resource: ResourceModel, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const now = sql.parameter({ from: 'now' })
  const test = dialect.among('"id"', sql.parameter({ from: 'keys' }))
  return sql.command(`update ${quote(resource.table)} set "deleted_at" = ${now} where ${test}`)
}

/** Increments the version. Executions with equal values are combined. */
export function changeSql(resource: ResourceModel, columns: readonly WrittenColumn[], dialect: Dialect): Prepared {
  const { sql, update, id } = changing(resource, columns, dialect)
  const many = `${update} where ${dialect.among('"id"', id)}`
  return sql.command(`${update} where "id" = ${id}`, toKeys(many, sql.placeOf({ from: 'id' }), dialect))
}

/** Answers a row unless the record is missing. */
export function changeExistingSql(
  resource: ResourceModel,
  columns: readonly WrittenColumn[],
  dialect: Dialect,
): Prepared {
  const { sql, update, id } = changing(resource, columns, dialect)
  return sql.query(`${update} where "id" = ${id} and "deleted_at" is null returning "id"`)
}

function changing(resource: ResourceModel, columns: readonly WrittenColumn[], dialect: Dialect) {
  const sql = new SqlText(dialect)
  const written = columns.map(({ name }, index) => ({ name, value: sql.parameter({ from: 'input', index }) }))
  const id = sql.parameter({ from: 'id' })
  return { sql, id, update: `update ${quote(resource.table)} set ${setsOf(resource, written, sql)}` }
}

type Sets = typeof setsOf
/** The id is input 0; executions are combined whatever their values. */
const eachSql =
  (setsOf: Sets) =>
  (resource: ResourceModel, columns: readonly WrittenColumn[], dialect: Dialect): Prepared => {
    const all = [resource.column.get('id')!, ...columns]
    const sql = new SqlText(dialect)
    const [id, ...values] = all.map((_, index) => sql.parameter({ from: 'input', index }))
    const written = columns.map(({ name }, index) => ({ name, value: values[index]! }))
    const update = `update ${quote(resource.table)} set ${setsOf(resource, written, sql)} where "id" = ${id}`
    return sql.command(
      update,
      ofInputs(sql.sources, all.length, (count) => manySql(setsOf, resource, all, count, dialect)),
    )
  }

function manySql(
  setsOf: Sets,
  resource: ResourceModel,
  all: readonly WrittenColumn[],
  count: number,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const values = sql.alias()
  const rows = inputRows(all, count, sql).map((values) => `(${values})`)
  const written = all.slice(1).map(({ name }, at) => ({ name, value: `${values}.column${at + 2}` }))
  return sql.command(
    `update ${quote(resource.table)} set ${setsOf(resource, written, sql)} ` +
      `from (values ${rows.join(', ')}) ${values} where "id" = ${values}.column1`,
  )
}

/** The first row determines the types. */
function inputRows(columns: readonly Pick<Column, 'type'>[], count: number, sql: SqlText): readonly string[] {
  const { dialect } = sql
  return Array.from({ length: count }, (_, place) => {
    const values = columns.map(({ type }, at) => {
      const value = sql.parameter({ from: 'input', index: place * columns.length + at })
      return place === 0 && dialect.engine === 'postgres' ? `${value}::${dialect.codec(type).declared}` : value
    })
    return values.join(', ')
  })
}

/** Counts a use of the access code; returns a row unless it is used up. */
export function countUseSql({ resource, column, uses, maxUses }: LimitedToken, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const used = `coalesce(${quote(uses.name)}, 0)`
  const isShown = `${quote(column.name)} = ${sql.parameter({ from: 'code' })}`
  const max = sql.parameter({ from: 'constant', value: maxUses })
  return sql.query(
    `update ${quote(resource.table)} set ${quote(uses.name)} = ${used} + 1 where ${isShown} and ${used} < ${max} returning "id"`,
  )
}

const setsOf = (
  { timedMoves }: ResourceModel,
  written: readonly { readonly name: string; readonly value: string }[],
  sql: SqlText,
): string =>
  [
    ...written.map(({ name, value }) => `${quote(name)} = ${value}`),
    ...timedSets(timedMoves, written),
    ...touched(sql),
  ].join(', ')

export const changeEachSql = eachSql(setsOf)
/** What follows from the record: neither its version nor its time. */
export const storeSql = eachSql((_, written) =>
  written.map(({ name, value }) => `${quote(name)} = ${value}`).join(', '),
)

const touched = (sql: SqlText): readonly string[] => [
  '"version" = "version" + 1',
  `"updated_at" = ${sql.parameter({ from: 'now' })}`,
]

/** SQLite blocks the process, so references to deleted records are written in steps. */
export const stepRows = 1_000

/** Deletes by `column` among the `keys`, in steps; returns ids and the columns by which events are subscribed. */
export function deleteSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const now = sql.parameter({ from: 'now' })
  const by = resource.actions.get('delete')?.emit?.by?.branches ?? []
  const byColumns = by.map(({ column }) => quote(column.name))
  return sql.query(
    `update ${quote(resource.table)} set ${[`"deleted_at" = ${now}`, ...touched(sql)].join(', ')} ` +
      `where ${inLockedStep(resource, column, '', sql)} returning ${['"id"', ...contributionsSql(resource, dialect), ...byColumns].join(', ')}`,
  )
}

/** Locks and returns the source values of kept numbers, by `column` among the `keys`, in steps. */
export function contributorsSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(resource.table)
  const selected = contributionsSql(resource, dialect).join(', ')
  return sql.query(
    `select ${selected} from ${table} where ${inStep(resource, column, byId, sql)} order by "id"${dialect.lock('no key update', table)}`,
  )
}

/** Distinct combinations of these columns, by `column` among the `keys`. */
export function holdersSql(
  resource: ResourceModel,
  column: Column,
  columns: readonly Column[],
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(resource.table)
  const selected = columns.map((each) => selectedSql(each, table, dialect)).join(', ')
  return sql.query(`select distinct ${selected} from ${table} where ${amongKeys(column, sql)}`)
}

/** Ids and column of up to `limit` records, by `column` among the `keys` and the condition. */
export function childrenSql(
  resource: ResourceModel,
  column: Column,
  { condition, limit }: { readonly condition: Condition; readonly limit: number },
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const alias = sql.alias()
  const among = dialect.among(`${alias}.${quote(column.name)}`, sql.parameter({ from: 'keys' }))
  return sql.query(
    `select ${alias}."id", ${alias}.${quote(column.name)} from ${quote(resource.table)} ${alias} ` +
      `where ${among} and ${notDeletedSql(condition, alias, sql)} limit ${limit}`,
  )
}

const contributionsSql = (resource: ResourceModel, dialect: Dialect): readonly string[] =>
  contributingColumns(resource).map((each) => selectedSql(each, quote(resource.table), dialect))

/** Clears an optional relation to the `keys`, in steps; returns the ids. */
export function clearSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const copies = resource.timedMoves.filter(({ relation }) => relation?.column === column)
  const cleared = [column.name, ...copies.map(({ copy }) => copy!), ...copies.map(({ made }) => made)]
  const sets = setsOf(
    resource,
    cleared.map((name) => ({ name, value: 'null' })),
    sql,
  )
  return sql.query(
    `update ${quote(resource.table)} set ${sets} where ${inLockedStep(resource, column, byId, sql)} returning "id"`,
  )
}

/** Returns a row if an undeleted record refers to one of the `keys`. */
export function refersSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  return sql.query(`select 1 from ${quote(resource.table)} where ${amongKeys(column, sql)} limit 1`)
}

/** Paired statements must select the same records; sorting costs more than the step. */
const byId = ' order by "id"'

/** PostgreSQL locks them by id, so that two such statements do not deadlock. */
function inLockedStep(resource: ResourceModel, column: Column, order: string, sql: SqlText): string {
  if (sql.dialect.engine !== 'postgres' || column.field === 'id') return inStep(resource, column, order, sql)
  const table = quote(resource.table)
  const lock = sql.dialect.lock('no key update', table)
  return `"id" = any(array(select "id" from ${table} where ${amongKeys(column, sql)}${byId}${lock}))`
}

function inStep(resource: ResourceModel, column: Column, order: string, sql: SqlText): string {
  const among = amongKeys(column, sql)
  if (sql.dialect.engine === 'postgres' || column.field === 'id') return among
  return `"id" in (select "id" from ${quote(resource.table)} where ${among}${order} limit ${stepRows})`
}

const amongKeys = (column: Column, sql: SqlText): string =>
  `${sql.dialect.among(quote(column.name), sql.parameter({ from: 'keys' }))} and "deleted_at" is null`

/** Undeleted tenants of the `keys`, even if those are deleted. */
export function tenantsSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const { target } = resource.relations.get(column.field)!
  const among = dialect.among('r."id"', sql.parameter({ from: 'keys' }))
  return sql.query(
    `select distinct t."id" from ${quote(resource.table)} r join ${quote(target.table)} t on t."id" = r.${quote(column.name)} ` +
      `where ${among} and t."deleted_at" is null order by t."id"`,
  )
}

/** Returns a row if an undeleted record has these values; with a tenant, only if its `id` is here. */
export function existsSql(
  resource: ResourceModel,
  like: readonly (readonly [Column, unknown])[],
  tenant: Column | null,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const tests = like.map(([column, value]) => {
    const constant = sql.parameter({ from: 'constant', value: encodeValue(column, value, dialect) })
    return `${quote(column.name)} = ${constant}`
  })
  if (tenant !== null) tests.push(`${quote(tenant.name)} = ${sql.parameter({ from: 'id' })}`)
  return sql.query(
    `select 1 from ${quote(resource.table)} where ${[...tests, '"deleted_at" is null'].join(' and ')} limit 1`,
  )
}
