// Keeps the join table of a tree: a row per record and each record above it, itself included.

import { defaultLimits } from '../../../limits.ts'
import type { Link } from '../../../resource/model/model.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Derived, derivedName } from '../text/names.ts'
import { type Prepared, SqlText } from '../text/sql-text.ts'

const { treeLevels: levelsMax } = defaultLimits

export interface TreeStatements {
  /** Adds the records above the `keys`; returns the id of a `key` per row. */
  readonly enter: Prepared
  /** For the record of input 0 under that of input 1: whether that is below it, its level, and how many levels move. */
  readonly place: Prepared
  /** Moves the record of input 0, with all below it, under that of input 1; null: to the top. */
  readonly move: readonly Prepared[]
}

export const treeStatements = (link: Link, dialect: Dialect): TreeStatements => ({
  enter: enterSql(link, dialect),
  place: placeSql(link, dialect),
  move: moveSql(link, dialect),
})

/** A cycle, which only foreign SQL can make, ends with the levels. */
function climbing({ table, source, parent }: Link, first: string): string {
  const [records, above] = [quote(source.table), quote(parent!.column.name)]
  const climb =
    `with recursive up(source_id, target_id, level) as (select r."id", r."id", 1 from ${records} r where ${first} ` +
    `union all select up.source_id, r.${above}, up.level + 1 from up join ${records} r on r."id" = up.target_id ` +
    `where r.${above} is not null and up.level <= ${levelsMax})`
  return `insert into ${quote(table)} ("source_id", "target_id") ${climb} select source_id, target_id from up where true on conflict do nothing`
}

function enterSql(link: Link, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const first = dialect.among('r."id"', sql.parameter({ from: 'keys' }))
  return sql.query(`${climbing(link, first)} returning "source_id"`)
}

function placeSql({ table }: Link, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const [id, parent] = [sql.parameter({ from: 'input', index: 0 }), sql.parameter({ from: 'input', index: 1 })]
  const tree = quote(table)
  const above = (of: string) => `(select count(*) from ${tree} where "source_id" = ${of})`
  const levels =
    `(select max(n) from (select count(*) as n from ${tree} b join ${tree} a on a."source_id" = b."source_id" ` +
    `where b."target_id" = ${id} group by b."source_id") m)`
  const isBelow = `exists (select 1 from ${tree} where "source_id" = ${parent} and "target_id" = ${id})`
  return sql.query(`select ${isBelow}, ${above(parent)}, ${levels} - ${above(id)} + 1`)
}

function moveSql({ table }: Link, dialect: Dialect): readonly Prepared[] {
  const tree = quote(table)
  const written = () => {
    const sql = new SqlText(dialect)
    const [id, parent] = [sql.parameter({ from: 'input', index: 0 }), sql.parameter({ from: 'input', index: 1 })]
    const above = (of: string) => `select "target_id" from ${tree} where "source_id" = ${of}`
    const leave =
      `delete from ${tree} where "source_id" in (select "source_id" from ${tree} where "target_id" = ${id}) ` +
      `and "target_id" in (${above(id)} and "target_id" <> ${id}) and "target_id" not in (${above(parent)})`
    const enter =
      `insert into ${tree} ("source_id", "target_id") select b."source_id", a."target_id" from ${tree} b cross join ${tree} a ` +
      `where b."target_id" = ${id} and a."source_id" = ${parent}`
    return { sql, leave, enter, formerly: ` and a."target_id" not in (${above(id)})` }
  }
  // Both parts see the tree as it was, so they must not concern the same rows.
  const { sql, leave, enter, formerly } = written()
  if (dialect.engine === 'postgres') return [sql.command(`with gone as (${leave}) ${enter}${formerly}`)]
  const [first, then] = [written(), written()]
  return [first.sql.command(first.leave), then.sql.command(`${then.enter} on conflict do nothing`)]
}

/** Made with the rows of existing records. */
export function treeIndex(link: Link): Derived {
  const definition = `on ${quote(link.table)} ("target_id", "source_id")`
  const name = derivedName(`${link.table}_target_id`, definition, 'idx')
  const fill = climbing(link, 'r."deleted_at" is null')
  return { name, create: [`create index ${quote(name)} ${definition}`, fill], unique: null }
}
