// Existing tables, columns and derived objects, as far as migrations need them.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { bind, type Engine, type Program, query, type Statement } from '../store.ts'

export type Existing = ReadonlyMap<string, ExistingTable>
export interface ExistingTable {
  readonly columns: ReadonlyMap<string, ExistingColumn>
  readonly indexes: ReadonlyMap<string, ExistingIndex>
}
export interface ExistingColumn {
  /** As in the dialect's column types. */
  readonly type: string
  readonly nullable: boolean
  readonly hasDefault: boolean
  /** The referenced table. */
  readonly references: string | null
}
export interface ExistingIndex {
  /** Approximately the creating statement; null if created with the table. */
  readonly definition: string | null
  /** False if building it concurrently has not ended. */
  readonly isValid: boolean
}

/** On PostgreSQL only the current schema. */
export function* introspect(engine: Engine): Program<Existing> {
  const { columns, indexes } = questions[engine]
  const tables = new Map<string, { columns: Map<string, ExistingColumn>; indexes: Map<string, ExistingIndex> }>()
  for (const [table, column, type, required, hasDefault, references] of yield bind(columns)) {
    const { columns } = getOrInsert(tables, String(table), () => ({ columns: new Map(), indexes: new Map() }))
    columns.set(String(column), {
      type: String(type).toLowerCase(),
      nullable: !required,
      hasDefault: Boolean(hasDefault),
      references: references === null ? null : String(references),
    })
  }
  for (const [table, name, definition, isValid] of yield bind(indexes)) {
    const index = { definition: definition === null ? null : String(definition), isValid: Boolean(isValid) }
    tables.get(String(table))?.indexes.set(String(name), index)
  }
  return tables
}

const questions: Readonly<Record<Engine, { readonly columns: Statement; readonly indexes: Statement }>> = {
  sqlite: {
    columns: query(
      `select t.name, c.name, c.type, c."notnull", c.dflt_value is not null, f."table"
      from sqlite_schema t
      join pragma_table_info(t.name) c
      left join pragma_foreign_key_list(t.name) f on f."from" = c.name
      where t.type = 'table'`,
    ),
    indexes: query(`select tbl_name, name, sql, 1 from sqlite_schema where type = 'index'`),
  },
  postgres: {
    columns: query(
      `select t.relname, a.attname,
        case format_type(a.atttypid, a.atttypmod)
          when 'timestamp(3) with time zone' then 'timestamptz(3)'
          else format_type(a.atttypid, a.atttypmod) || case when l.collname = 'C' then ' collate "c"' else '' end
        end,
        a.attnotnull, a.atthasdef, target.relname
      from pg_class t
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation
      left join pg_constraint f on f.conrelid = t.oid and f.contype = 'f' and f.conkey = array[a.attnum]
      left join pg_class target on target.oid = f.confrelid
      where t.relkind in ('r', 'p')
        and t.relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
    ),
    indexes: query(
      `select t.relname, i.relname, pg_get_indexdef(i.oid), x.indisvalid
      from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      where t.relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
    ),
  },
}
