// Link and unlink records of many-to-many relations. Statements are cached.

import type { Link } from '../../../resource/model/model.ts'
import { numbersOfLink } from '../../../resource/model/number/kept-number.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import { notDeletedSql } from '../condition/condition.ts'
import { aboutKeys } from '../text/batching.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Prepared, SqlText } from '../text/sql-text.ts'
import { stepRows } from './write.ts'

/** Input 0 is the source, 1 the target. Skips linked and deleted records. */
export function linkSql(link: Link, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [source, target] = [sql.parameter({ from: 'input', index: 0 }), sql.parameter({ from: 'input', index: 1 })]
  return linkedSql(link, insertSql(link, `s."id" = ${source} and t."id" = ${target}`), sql)
}

const insertSql = (link: Link, test: string): string =>
  `insert into ${quote(link.table)} ("source_id", "target_id", "source_created_at", "target_created_at") ` +
  `select s."id", t."id", s."created_at", t."created_at" ` +
  `from ${quote(link.source.table)} s cross join ${quote(link.target.table)} t ` +
  `where ${test} and s."deleted_at" is null and t."deleted_at" is null on conflict do nothing`

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

/** Links the `id` at `side` to undeleted `keys`; returns both ids of each new link. Executions with equal keys are combined. */
export function linkAllSql(link: Link, side: 'source' | 'target', dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [own, other] = side === 'source' ? ['s', 't'] : ['t', 's']
  const id = sql.parameter({ from: 'id' })
  const among = dialect.among(`${other}."id"`, sql.parameter({ from: 'keys' }))
  const insert = (test: string) => `${insertSql(link, `${test} and ${among}`)} returning "source_id", "target_id"`
  return ofRecords(insert, `${own}."id"`, { id, side, sql })
}

/**
 * Removes links to records that meet the condition, except `keys`; returns both ids of each. Executions with equal keys are
 * combined.
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
  const readable = `select 1 from ${quote(link[other].table)} ${alias} where ${alias}."id" = ${table}."${other}_id" and ${notDeletedSql(condition, alias, sql)}`
  const remove = (test: string) =>
    `delete from ${table} where ${test} and not (${isListed}) and exists (${readable}) returning "source_id", "target_id"`
  return ofRecords(remove, `"${side}_id"`, { id, side, sql })
}

/** For one record or several; `name` is the column of its id, rows are both ids of a link. */
function ofRecords(
  statement: (test: string) => string,
  name: string,
  { id, side, sql }: { readonly id: string; readonly side: 'source' | 'target'; readonly sql: SqlText },
): Prepared {
  const many = statement(sql.dialect.among(name, id))
  const batching = aboutKeys(many, sql.placeOf({ from: 'id' }), side === 'source' ? 0 : 1, sql.dialect)
  return sql.query(statement(`${name} = ${id}`), batching)
}

/** In steps; returns both ids of each. */
export function unlinkAllSql(link: Link, end: 'source' | 'target', dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(link.table)
  const among = dialect.among(`"${end}_id"`, sql.parameter({ from: 'keys' }))
  if (dialect.engine === 'postgres') return linkedSql(link, `delete from ${table} where ${among}`, sql)
  const ids = '"source_id", "target_id"'
  const step = `select ${ids} from ${table} where ${among} limit ${stepRows}`
  return sql.query(`delete from ${table} where (${ids}) in (${step}) returning ${ids}`)
}

export function linkedIdsSql(link: Link, side: 'source' | 'target', dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const other = side === 'source' ? 'target' : 'source'
  const among = dialect.among(`"${side}_id"`, sql.parameter({ from: 'keys' }))
  return sql.query(`select distinct "${other}_id" from ${quote(link.table)} where ${among}`)
}
