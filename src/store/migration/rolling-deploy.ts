// Two versions of a service on one database, as in a rolling deploy: whether an older version may start beside a newer one,
// or return in its place. Additions are compatible with both.

import { isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import { quote } from '../sql/dialect.ts'
import type { Schema, Table, TableColumn } from '../sql/schema.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'
import { isCompatible } from './alter-table.ts'
import type { ExistingTable } from './introspect.ts'
import { label } from './work.ts'

/** Versions whose fingerprints are stored. */
const versionsMax = 100

const createFormer = command(
  'create table if not exists duet_schema_former (fingerprint text primary key, number integer not null)',
)
/** Whether a version with this schema has been applied before, and another one after it. */
export function* isFormer({ engine, fingerprint }: Schema): Program<boolean> {
  yield bind(createFormer)
  const select = query(`select 1 from duet_schema_former where fingerprint = ${parameter(engine, 1)}`)
  return (yield bind(select, fingerprint)).length > 0
}

/** Stores the version that was applied until now as older than this one. One that returns deletes those after it. */
export function* rememberFormer(
  { engine, fingerprint }: Schema,
  former: string | null,
  isReturn: boolean,
): Program<void> {
  const first = parameter(engine, 1)
  const numberOf = `(select number from duet_schema_former where fingerprint = ${first})`
  if (isReturn)
    return void (yield bind(command(`delete from duet_schema_former where number >= ${numberOf}`), fingerprint))
  if (former === null) return
  const next = '(select coalesce(max(number), 0) + 1 from duet_schema_former)'
  yield bind(command(`insert into duet_schema_former (fingerprint, number) values (${first}, ${next})`), former)
  const oldest = `(select max(number) - ${versionsMax} from duet_schema_former)`
  yield bind(command(`delete from duet_schema_former where number <= ${oldest}`))
}

/**
 * Why this version, which was applied before, cannot run on the database of a newer one; none where it can. The only
 * instance changes back what can be changed back, so that is no reason then.
 */
export function incompatibilities(
  desired: Schema,
  existing: ReadonlyMap<string, ExistingTable>,
  isOnlyInstance: boolean,
): readonly string[] {
  return desired.tables.flatMap((table) => {
    const current = existing.get(table.name)
    if (current === undefined) return [`The table ${quote(table.name)} is not there any more.`]
    const names = new Set(table.columns.map((each) => each.name))
    const isOurs = (name: string) => names.has(name) || (isOnlyInstance && (isFoldedName(name) || isKeptName(name)))
    const foreign = [...current.columns].filter(([name, column]) => !isOurs(name) && !isCompatible(column))
    return [
      ...table.columns.flatMap((column) => columnProblems(table, column, current, isOnlyInstance)),
      ...foreign.map(([name]) => `The column ${quote(name)} of ${quote(table.name)} is required and has no default.`),
    ]
  })
}

function columnProblems(
  table: Table,
  column: TableColumn,
  { columns }: ExistingTable,
  isOnlyInstance: boolean,
): readonly string[] {
  const current = columns.get(column.name)
  const subject = `${label(table, column)}: the column ${quote(column.name)} of ${quote(table.name)}`
  if (current === undefined) return [`${subject} is not there any more.`]
  if (current.type !== column.type.toLowerCase()) return [`${subject} is ${current.type} now.`]
  return column.nullable && !current.nullable && !isOnlyInstance ? [`${subject} is required now.`] : []
}

const parameter = (engine: Engine, number: number): string => (engine === 'sqlite' ? `?${number}` : `$${number}`)
