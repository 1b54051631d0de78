// Two versions on one database, as in a rolling deploy: whether an older one may start next to a newer one, or return.
// Additions are compatible with both.

import { isComputedName, isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import type { Schema, Table, TableColumn } from '../sql/schema/schema.ts'
import { dialectOf, quote } from '../sql/text/dialect.ts'
import { type Form, isScaled, scaleOf } from '../sql/text/form.ts'
import { bind, command, type Program, query } from '../store.ts'
import { isCompatible } from './alter-table.ts'
import { canLeave } from './folded.ts'
import type { Existing, ExistingTable } from './introspect.ts'
import { removedName } from './removed.ts'
import { label, type Work } from './work.ts'

const versionsMax = 100

const createFormer = command(
  'create table if not exists duet_schema_former (fingerprint text primary key, number integer not null)',
)
export function* isFormer({ engine, fingerprint }: Schema, existing: Existing): Program<boolean> {
  if (!existing.has('duet_schema_former')) return false
  const select = query(`select 1 from duet_schema_former where fingerprint = ${dialectOf(engine).parameter(1)}`)
  return (yield bind(select, fingerprint)).length > 0
}

/** A returning version deletes those after it. */
export function* rememberFormer(
  { engine, fingerprint }: Schema,
  former: string | null,
  isReturn: boolean,
): Program<void> {
  yield bind(createFormer)
  const first = dialectOf(engine).parameter(1)
  const numberOf = `(select number from duet_schema_former where fingerprint = ${first})`
  if (isReturn)
    return void (yield bind(command(`delete from duet_schema_former where number >= ${numberOf}`), fingerprint))
  // Empty once an operator has changed the values of a column.
  if (former === null || former === '') return
  const next = '(select coalesce(max(number), 0) + 1 from duet_schema_former)'
  yield bind(command(`insert into duet_schema_former (fingerprint, number) values (${first}, ${next})`), former)
  const oldest = `(select max(number) - ${versionsMax} from duet_schema_former)`
  yield bind(command(`delete from duet_schema_former where number <= ${oldest}`))
}

export interface Situation {
  readonly isOnly: boolean
  /** `apply` comes before it. */
  readonly isStart: boolean
}

/** Reversible changes are no reason for the only instance, which reverts them. */
export function incompatibilities(
  desired: Schema,
  { existing, forms, stale }: Pick<Work, 'existing' | 'forms' | 'stale'>,
  { isOnly: isOnlyInstance, isStart }: Situation,
): readonly string[] {
  return desired.tables.flatMap((table) => {
    const current = existing.get(table.name)
    if (current === undefined && isOnlyInstance && existing.has(removedName(table.name))) return []
    if (current === undefined) return [`The table ${quote(table.name)} is not there any more.`]
    const names = new Set(table.columns.map((each) => each.name))
    const isOurs = (name: string) => names.has(name) || (isOnlyInstance && (isFoldedName(name) || isKeptName(name)))
    const isLeft = (name: string) => !isStart && canLeave(name)
    const others = [...current.columns].filter(([name]) => !isOurs(name) && !isLeft(name))
    const isMaintained = (name: string) => isComputedName(name) && !stale.has(`${table.name}.${name}`)
    const computed = others.filter(([name]) => isMaintained(name))
    const foreign = others.filter(([name, column]) => !isCompatible(column) && !isMaintained(name))
    return [
      ...table.columns.flatMap((column) => columnProblems(table, column, current, isOnlyInstance)),
      ...table.columns.flatMap((column) => scaleProblems(table, column, forms[table.name]?.[column.name] ?? null)),
      ...foreign.map(([name]) => `The column ${quote(name)} of ${quote(table.name)} is required and has no default.`),
      ...computed.map(
        ([name]) => `The column ${quote(name)} of ${quote(table.name)} is computed by the newer version.`,
      ),
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
  if (current === undefined && isOnlyInstance && columns.has(removedName(column.name))) return []
  if (current === undefined) return [`${subject} is not there any more.`]
  if (current.type !== column.type.toLowerCase()) return [`${subject} is ${current.type} now.`]
  return column.nullable && !current.nullable && !isOnlyInstance ? [`${subject} is required now.`] : []
}

/** SQLite stores numbers without their point, so the column's type does not show the scale. */
function scaleProblems(table: Table, column: TableColumn, form: Form | null): readonly string[] {
  if (!(isScaled(form) || (form !== null && isScaled(column.form))) || scaleOf(form) === scaleOf(column.form)) return []
  return [
    `${label(table, column)}: the column ${quote(column.name)} of ${quote(table.name)} is ${form!.types[0]!} now.`,
  ]
}
