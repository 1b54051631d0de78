// Two versions of a service on one database, as in a rolling deploy: what a newer one may do while instances of an older
// one run, and whether an older one may start beside a newer one. What is only added hurts neither.

import { quote } from '../sql/dialect.ts'
import type { Schema, Table, TableColumn } from '../sql/schema.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'
import { isBearable, label } from './alter-table.ts'
import type { ExistingTable } from './introspect.ts'

/** Versions that are remembered. */
const remembered = 100

const createFormer = command(
  'create table if not exists duet_schema_former (fingerprint text primary key, number integer not null)',
)
/** Whether a version with this schema has been applied before, and another one after it. */
export function* isFormer({ engine, fingerprint }: Schema): Program<boolean> {
  yield bind(createFormer)
  const select = query(`select 1 from duet_schema_former where fingerprint = ${parameter(engine, 1)}`)
  return (yield bind(select, fingerprint)).length > 0
}

/** Remembers the version that was applied until now as older than this one. One that returns forgets those after it. */
export function* rememberFormer(
  { engine, fingerprint }: Schema,
  former: string | null,
  returns: boolean,
): Program<void> {
  const first = parameter(engine, 1)
  const numberOf = `(select number from duet_schema_former where fingerprint = ${first})`
  if (returns)
    return void (yield bind(command(`delete from duet_schema_former where number >= ${numberOf}`), fingerprint))
  if (former === null) return
  const next = '(select coalesce(max(number), 0) + 1 from duet_schema_former)'
  yield bind(command(`insert into duet_schema_former (fingerprint, number) values (${first}, ${next})`), former)
  const oldest = `(select max(number) - ${remembered} from duet_schema_former)`
  yield bind(command(`delete from duet_schema_former where number <= ${oldest}`))
}

/**
 * Why this version, which was applied before, cannot run on what a newer one has made of the database; or nothing. What
 * can be changed back is no reason for one that is alone.
 */
export function whyNotHere(
  desired: Schema,
  existing: ReadonlyMap<string, ExistingTable>,
  alone: boolean,
): readonly string[] {
  return desired.tables.flatMap((table) => {
    const known = existing.get(table.name)
    if (known === undefined) return [`The table ${quote(table.name)} is not there any more.`]
    const wanted = new Set(table.columns.map((each) => each.name))
    const foreign = [...known.columns].filter(([name, found]) => !wanted.has(name) && !isBearable(found))
    return [
      ...table.columns.flatMap((column) => columnProblems(table, column, known, alone)),
      ...foreign.map(([name]) => `The column ${quote(name)} of ${quote(table.name)} is required and has no default.`),
    ]
  })
}

function columnProblems(
  table: Table,
  column: TableColumn,
  { columns }: ExistingTable,
  alone: boolean,
): readonly string[] {
  const found = columns.get(column.name)
  const named = `${label(table, column)}: the column ${quote(column.name)} of ${quote(table.name)}`
  if (found === undefined) return [`${named} is not there any more.`]
  if (found.type !== column.type.toLowerCase()) return [`${named} is ${found.type} now.`]
  return column.nullable && !found.nullable && !alone ? [`${named} is required now.`] : []
}

const parameter = (engine: Engine, number: number): string => (engine === 'sqlite' ? `?${number}` : `$${number}`)
