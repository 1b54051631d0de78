// The statements that write records: load and lock, insert, change, delete, link. Each is made once and kept.

import type { Column } from '../../resource/model/column.ts'
import type { Condition } from '../../resource/model/condition.ts'
import { contributingColumns, numbersOfLink } from '../../resource/model/kept-number.ts'
import type { Link, ResourceModel } from '../../resource/model/model.ts'
import type { LimitedToken } from '../../resource/model/token-use.ts'
import { aboutKeys, insertOf, ofInputs, toKeys } from './batching.ts'
import { encodeValue, selectedSql } from './column-value.ts'
import { conditionSql, livingSql } from './condition.ts'
import { type Dialect, type Lock, quote } from './dialect.ts'
import { type Living, type Prepared, SqlText } from './sql-text.ts'
import { keySql } from './variants.ts'

/** Which records are read for a write, and what of them. */
export interface Load {
  readonly resource: ResourceModel
  readonly conditions: readonly Condition[]
  readonly columns: readonly Column[]
  readonly lock: Lock | null
  readonly living?: Living
}

/**
 * The record with this `id`, or those among `keys`, unless deleted, locked in id order: id, version, whether each condition holds,
 * then the columns.
 */
export function loadSql(
  { resource, conditions, columns, lock, living }: Load,
  by: 'id' | 'keys',
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect, undefined, living)
  const alias = sql.alias()
  const tests = conditions.map((condition) => `(${conditionSql(condition, alias, sql)})`)
  const columnList = [
    `${alias}."id"`,
    `${alias}."version"`,
    ...tests,
    ...columns.map((each) => selectedSql(each, alias, dialect)),
  ]
  const id = `${alias}."id"`
  const select = (test: string, alsoSelected: string) =>
    `select ${columnList.join(', ')}${alsoSelected} from ${quote(resource.table)} ${alias} ` +
    `where ${test} and ${sql.living(alias)} order by ${id}` +
    (lock === null ? '' : dialect.lock(lock, alias))
  if (by === 'id') return keySql(id, { from: 'id' }, select, sql)
  return sql.query(select(dialect.among(id, sql.parameter({ from: 'keys' })), ''))
}

/** The id of the living record whose columns have the inputs, if the condition holds for it. */
export function findSql(
  resource: ResourceModel,
  columns: readonly Column[],
  condition: Condition,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const alias = sql.alias()
  const tests = columns.map(({ name }, index) => `${alias}.${quote(name)} = ${sql.parameter({ from: 'input', index })}`)
  const found = `select ${alias}."id" from ${quote(resource.table)} ${alias}`
  return sql.query(
    `${found} where ${tests.join(' and ')} and ${livingSql(condition, alias, sql)}`,
    ofInputs(sql.sources, columns.length, (count) => findManySql(resource, columns, condition, count, dialect)),
  )
}

/** The same of so many records: the inputs of one after those of another, before each id its place. */
function findManySql(
  resource: ResourceModel,
  columns: readonly Column[],
  condition: Condition,
  count: number,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const [names, record] = [sql.alias(), sql.alias()]
  const rows = Array.from({ length: count }, (_, place) => {
    const values = columns.map(({ type }, at) => {
      const value = sql.parameter({ from: 'input', index: place * columns.length + at })
      // The first row says the types of all.
      return place === 0 && dialect.engine === 'postgres' ? `${value}::${dialect.codec(type).declared}` : value
    })
    return `(${[place, ...values].join(', ')})`
  })
  // Both databases call the columns so.
  const tests = columns.map(({ name }, at) => `${record}.${quote(name)} = ${names}.column${at + 2}`)
  return sql.query(
    `select ${names}.column1, ${record}."id" from (values ${rows.join(', ')}) ${names} cross join ${quote(resource.table)} ${record} ` +
      `where ${tests.join(' and ')} and ${livingSql(condition, record, sql)}`,
  )
}

/** Whether the condition holds for a record with these values, which is not stored: one row. Secrets have no values here. */
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
  const ask = (count: number, sql: SqlText): string => {
    const alias = sql.alias()
    const rows = Array.from({ length: count }, (_, place) => of(sql, place)).join(' union all ')
    const place = count === 1 ? '' : `${alias}."_place", `
    return `select ${place}${conditionSql(condition, alias, sql)} from (${rows}) ${alias}`
  }
  const sql = new SqlText(dialect)
  const one = ask(1, sql)
  const many = (count: number) => {
    const all = new SqlText(dialect)
    return all.query(ask(count, all))
  }
  return sql.query(one, ofInputs(sql.sources, columns.length, many))
}
export const candidateColumns = (resource: ResourceModel): readonly Column[] =>
  resource.columns.filter((each) => !each.secret && !each.encrypted)

/** One new record; its values are the inputs, in the order of the resource's columns, then of its folded ones. */
export function insertSql(resource: ResourceModel, dialect: Dialect): Prepared {
  const names = [...resource.columns, ...resource.folded].map((each) => quote(each.name))
  const into = `insert into ${quote(resource.table)} (${names.join(', ')})`
  return {
    statement: insertOf(into, names.length, dialect),
    sources: names.map((_, index) => ({ from: 'input', index })),
  }
}

/** Writes these columns of the record with this `id`; their values are the inputs. Raises its version. Equal ones are combined. */
export function changeSql(resource: ResourceModel, columns: readonly Column[], dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const sets = columns.map((each, index) => `${quote(each.name)} = ${sql.parameter({ from: 'input', index })}`)
  const id = sql.parameter({ from: 'id' })
  const update = `update ${quote(resource.table)} set ${[...sets, ...touched(sql)].join(', ')}`
  const many = `${update} where ${dialect.among('"id"', id)}`
  return sql.command(`${update} where "id" = ${id}`, toKeys(many, sql.placeOf({ from: 'id' }), dialect))
}

/** The same where records become different ones: the id is input 0, and several are combined whatever their values. */
export function changeEachSql(resource: ResourceModel, columns: readonly Column[], dialect: Dialect): Prepared {
  const all = [resource.column.get('id')!, ...columns]
  const sql = new SqlText(dialect)
  const [id, ...values] = all.map((_, index) => sql.parameter({ from: 'input', index }))
  const sets = columns.map(({ name }, index) => `${quote(name)} = ${values[index]}`)
  const update = `update ${quote(resource.table)} set ${[...sets, ...touched(sql)].join(', ')} where "id" = ${id}`
  return sql.command(
    update,
    ofInputs(sql.sources, all.length, (count) => changeManySql(resource, all, count, dialect)),
  )
}

function changeManySql(resource: ResourceModel, all: readonly Column[], count: number, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const values = sql.alias()
  const rows = inputRows(all, count, sql)
  // As above.
  const sets = all.slice(1).map(({ name }, at) => `${quote(name)} = ${values}.column${at + 2}`)
  return sql.command(
    `update ${quote(resource.table)} set ${[...sets, ...touched(sql)].join(', ')} ` +
      `from (values ${rows}) ${values} where "id" = ${values}.column1`,
  )
}

/** So many rows of inputs for these columns, one after the other. The first of them says the types of all. */
function inputRows(columns: readonly Column[], count: number, sql: SqlText): string {
  const { dialect } = sql
  const rows = Array.from({ length: count }, (_, place) => {
    const values = columns.map(({ type }, at) => {
      const value = sql.parameter({ from: 'input', index: place * columns.length + at })
      return place === 0 && dialect.engine === 'postgres' ? `${value}::${dialect.codec(type).declared}` : value
    })
    return `(${values.join(', ')})`
  })
  return rows.join(', ')
}

/** One more use of the token that is shown, unless it has none left: a row where it had. */
export function countUseSql({ resource, column, uses, maxUses }: LimitedToken, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const used = `coalesce(${quote(uses.name)}, 0)`
  const isShown = `${quote(column.name)} = ${sql.parameter({ from: 'code' })}`
  const max = sql.parameter({ from: 'constant', value: maxUses })
  return sql.query(
    `update ${quote(resource.table)} set ${quote(uses.name)} = ${used} + 1 where ${isShown} and ${used} < ${max} returning "id"`,
  )
}

const touched = (sql: SqlText): readonly string[] => [
  '"version" = "version" + 1',
  `"updated_at" = ${sql.parameter({ from: 'now' })}`,
]

/** Deletes the living records whose `column` is among the `keys`; answers their ids, and last what their event is heard by. */
export function deleteSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const now = sql.parameter({ from: 'now' })
  const by = resource.actions.get('delete')?.emit?.by ?? null
  const heardBy = by === null ? [] : [quote(by.column.name)]
  return sql.query(
    `update ${quote(resource.table)} set ${[`"deleted_at" = ${now}`, ...touched(sql)].join(', ')} ` +
      `where ${amongKeys(column, sql)} returning ${['"id"', ...contributionsSql(resource, dialect), ...heardBy].join(', ')}`,
  )
}

/** What kept numbers follow from, of the living records whose `column` is among the `keys`, locked. */
export function contributorsSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(resource.table)
  const selected = contributionsSql(resource, dialect).join(', ')
  return sql.query(
    `select ${selected} from ${table} where ${amongKeys(column, sql)} order by "id"${dialect.lock('update', table)}`,
  )
}

/** Of the living records whose column is among the keys and for which the condition holds, so many: the id, and that column. */
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
      `where ${among} and ${livingSql(condition, alias, sql)} limit ${limit}`,
  )
}

const contributionsSql = (resource: ResourceModel, dialect: Dialect): readonly string[] =>
  contributingColumns(resource).map((each) => selectedSql(each, quote(resource.table), dialect))

/** Clears an optional relation of the living records that refer to one of the `keys`. */
export function clearSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  return sql.command(
    `update ${quote(resource.table)} set ${[`${quote(column.name)} = null`, ...touched(sql)].join(', ')} where ${amongKeys(column, sql)}`,
  )
}

/** One row if a living record refers to one of the `keys`. */
export function refersSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  return sql.query(`select 1 from ${quote(resource.table)} where ${amongKeys(column, sql)} limit 1`)
}

const amongKeys = (column: Column, sql: SqlText): string =>
  `${sql.dialect.among(quote(column.name), sql.parameter({ from: 'keys' }))} and "deleted_at" is null`

/** Links the records whose ids are inputs 0 (source) and 1 (target), unless they are linked or gone. */
export function linkSql(link: Link, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [source, target] = [sql.parameter({ from: 'input', index: 0 }), sql.parameter({ from: 'input', index: 1 })]
  const insert =
    `insert into ${quote(link.table)} ("source_id", "target_id", "source_created_at", "target_created_at") ` +
    `select s."id", t."id", s."created_at", t."created_at" ` +
    `from ${quote(link.source.table)} s cross join ${quote(link.target.table)} t ` +
    `where s."id" = ${source} and t."id" = ${target} and s."deleted_at" is null and t."deleted_at" is null ` +
    'on conflict do nothing'
  return linkedSql(link, insert, sql)
}

/** Answers the ends of what it links or unlinks, where numbers follow from them. */
const linkedSql = (link: Link, statement: string, sql: SqlText): Prepared =>
  numbersOfLink(link).length === 0
    ? sql.command(statement)
    : sql.query(`${statement} returning "source_id", "target_id"`)

export function unlinkSql(link: Link, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [source, target] = [sql.parameter({ from: 'input', index: 0 }), sql.parameter({ from: 'input', index: 1 })]
  return linkedSql(
    link,
    `delete from ${quote(link.table)} where "source_id" = ${source} and "target_id" = ${target}`,
    sql,
  )
}

/**
 * Links the record with this `id`, at the link's `side`, to the living records among `keys`; answers the two ids of each link that
 * is new. Several records that are linked to the same are combined.
 */
export function linkAllSql(link: Link, side: 'source' | 'target', dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [own, other] = side === 'source' ? ['s', 't'] : ['t', 's']
  const id = sql.parameter({ from: 'id' })
  const among = dialect.among(`${other}."id"`, sql.parameter({ from: 'keys' }))
  const insert = (test: string) =>
    `insert into ${quote(link.table)} ("source_id", "target_id", "source_created_at", "target_created_at") ` +
    `select s."id", t."id", s."created_at", t."created_at" ` +
    `from ${quote(link.source.table)} s cross join ${quote(link.target.table)} t ` +
    `where ${test} and ${among} and s."deleted_at" is null and t."deleted_at" is null ` +
    `on conflict do nothing returning "source_id", "target_id"`
  return ofRecords(insert, `${own}."id"`, { id, side, sql })
}

/**
 * Removes the links of the record with this `id` to records for which the condition holds, but to those among `keys`; the two ids
 * of each. Several records that keep the same are combined.
 */
export function unlinkOthersSql(
  link: Link,
  side: 'source' | 'target',
  condition: Condition,
  dialect: Dialect,
): Prepared {
  const sql = new SqlText(dialect)
  const other = side === 'source' ? 'target' : 'source'
  const table = quote(link.table)
  const id = sql.parameter({ from: 'id' })
  const isListed = dialect.among(`${table}."${other}_id"`, sql.parameter({ from: 'keys' }))
  const alias = sql.alias()
  const readable = `select 1 from ${quote(link[other].table)} ${alias} where ${alias}."id" = ${table}."${other}_id" and ${livingSql(condition, alias, sql)}`
  const remove = (test: string) =>
    `delete from ${table} where ${test} and not (${isListed}) and exists (${readable}) returning "source_id", "target_id"`
  return ofRecords(remove, `"${side}_id"`, { id, side, sql })
}

/** A statement about the links of one record, or of several; `name` is the column of its id, and rows are the two ids of a link. */
function ofRecords(
  statement: (test: string) => string,
  name: string,
  { id, side, sql }: { readonly id: string; readonly side: 'source' | 'target'; readonly sql: SqlText },
): Prepared {
  const many = statement(sql.dialect.among(name, id))
  const batching = aboutKeys(many, sql.placeOf({ from: 'id' }), side === 'source' ? 0 : 1, sql.dialect)
  return sql.query(statement(`${name} = ${id}`), batching)
}

/** Removes every link of the `keys` at this end. */
export function unlinkAllSql(link: Link, end: 'source' | 'target', dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const among = dialect.among(`"${end}_id"`, sql.parameter({ from: 'keys' }))
  return linkedSql(link, `delete from ${quote(link.table)} where ${among}`, sql)
}

/** The living tenants, by this column, of the `keys`: of deleted records too. */
export function tenantsSql(resource: ResourceModel, column: Column, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const { target } = resource.relations.get(column.field)!
  const among = dialect.among('r."id"', sql.parameter({ from: 'keys' }))
  return sql.query(
    `select distinct t."id" from ${quote(resource.table)} r join ${quote(target.table)} t on t."id" = r.${quote(column.name)} ` +
      `where ${among} and t."deleted_at" is null order by t."id"`,
  )
}

/** One row if a living record has these values; with a tenant, one whose `id` is in this column. */
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
