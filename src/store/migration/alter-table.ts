// One table that is there already: what can be changed without losing data, and what to say about the rest.

import { quote } from '../sql/dialect.ts'
import { dropElements } from '../sql/elements.ts'
import { isJson, isScaled } from '../sql/form.ts'
import { isDerived, referenceName } from '../sql/names.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema.ts'
import { bind, type Engine, type Program, query } from '../store.ts'
import { addCounter, countForgotten } from './counter.ts'
import { addFolded, dropFollowing } from './folded.ts'
import type { ExistingColumn, ExistingTable } from './introspect.ts'
import { addKept } from './kept-number.ts'
import { apply, isRefused, label, type Work } from './work.ts'

/** Renames and adds columns and changes whether they may be null; everything else is refused. */
export function* alterTable(work: Work, table: Table, current: ExistingTable): Program<void> {
  const columns = yield* renameColumns(work, table, current)
  for (const column of table.columns) {
    const existing = columns.get(column.name)
    if (existing === undefined && column.folds !== undefined) yield* addFolded(work, table, column)
    else if (existing === undefined && column.keeps !== undefined) yield* addKept(work, table, column)
    else if (existing === undefined && column.counts !== undefined) yield* addCounter(work, table, column)
    else if (existing === undefined) yield* addTo(work, table, column)
    else if (isFormerJson(existing, column)) yield* rewriteJson(work, table, column)
    else if (isAnother(existing, column)) work.refusals.push(otherType(work, table, column, existing))
    else if (existing.nullable !== column.nullable) yield* changeNullable(work, table, column)
    else if (column.counts !== undefined) yield* countForgotten(work, table, column)
  }
  const names = new Set(table.columns.map((each) => each.name))
  for (const [name, existing] of columns) {
    if (names.has(name) || (yield* dropFollowing(work, table.name, name))) continue
    if (work.isReturn && isCompatible(existing)) continue
    work.refusals.push(unknownColumn(work, table, name))
  }
}

/** Whether a version without this column can add records. */
export const isCompatible = ({ nullable, hasDefault }: ExistingColumn): boolean => nullable || hasDefault

/** Renames columns that the definition says had another name, and answers the columns as they are then. */
function* renameColumns(
  work: Work,
  table: Table,
  { columns }: ExistingTable,
): Program<ReadonlyMap<string, ExistingColumn>> {
  const result = new Map(columns)
  for (const column of table.columns) {
    const { name, was } = column
    if (was === null || result.has(name) || !result.has(was)) continue
    if (!(yield* isRefused(work, `${label(table, column)} had the name "${was}" before`)))
      yield* apply(work, `alter table ${quote(table.name)} rename column ${quote(was)} to ${quote(name)}`)
    result.set(name, result.get(was)!)
    result.delete(was)
  }
  return result
}

function* addTo(work: Work, table: Table, column: TableColumn): Program<void> {
  const statement = addColumn(table, column)
  if (column.nullable || column.initial !== null) return yield* apply(work, statement)
  if (yield* isEmpty(table.name)) {
    if (yield* isRefused(work, `${label(table, column)} is required and has no default`)) return
    return yield* apply(work, statement)
  }
  work.refusals.push(
    `${label(table, column)} is required and has no default, but there are records without it. Make it optional, ` +
      `give it a default, or run: ${statement} default <value>`,
  )
}

function* changeNullable(work: Work, table: Table, column: TableColumn): Program<void> {
  const [of, name] = [quote(table.name), quote(column.name)]
  if (column.nullable) return yield* apply(work, `alter table ${of} alter column ${name} drop not null`)
  if ((yield bind(query(`select 1 from ${of} where ${name} is null limit 1`))).length === 0) {
    if (yield* isRefused(work, `${label(table, column)} was optional and is required now`)) return
    return yield* apply(work, `alter table ${of} alter column ${name} set not null`)
  }
  work.refusals.push(
    `${label(table, column)} is required, but there are records without it. Make it optional, or run: ` +
      `update ${of} set ${name} = <value> where ${name} is null`,
  )
}

function* isEmpty(table: string): Program<boolean> {
  return (yield bind(query(`select 1 from ${quote(table)} limit 1`))).length === 0
}

/** PostgreSQL's jsonb held the same values in another order. */
const isFormerJson = (existing: ExistingColumn, { type }: TableColumn): boolean =>
  existing.type === 'jsonb' && type === 'json'

function* rewriteJson(work: Work, table: Table, column: TableColumn): Program<void> {
  if (yield* isRefused(work, `${label(table, column)} is kept as json and was jsonb before`)) return
  const name = quote(column.name)
  yield* apply(work, `alter table ${quote(table.name)} alter column ${name} type json using ${name}::json`)
}

const isAnother = (existing: ExistingColumn, column: TableColumn): boolean =>
  existing.type !== column.type.toLowerCase() || existing.references !== column.references

function otherType(work: Work, table: Table, column: TableColumn, existing: ExistingColumn): string {
  const describe = (type: string, references: string | null) =>
    references === null ? type : `${type} that refers to ${quote(references)}`
  return (
    `${label(table, column)} is ${describe(column.type, column.references)} by its definition, but the column ` +
    `${quote(column.name)} of ${quote(table.name)} is ${describe(existing.type, existing.references)}. Give the field another ` +
    (isScaled(column.form) ? 'name.' : `name, or run: ${changeType(work, table, column, existing).join('; ')}`)
  )
}

function changeType(work: Work, table: Table, column: TableColumn, existing: ExistingColumn): readonly string[] {
  const [of, name] = [quote(table.name), quote(column.name)]
  const value = conversion(work.engine, name, baseOf(existing.type), column)
  if (work.engine === 'sqlite') {
    const other = { ...column, name: `${column.name}_new`, nullable: true }
    return [
      addColumn(table, other),
      `update ${of} set ${quote(other.name)} = ${value}`,
      ...dropColumn(work, table, column.name),
      `alter table ${of} rename column ${quote(other.name)} to ${name}`,
    ]
  }
  const constraint = quote(referenceName(table.name, column.name))
  const refers = `foreign key (${name}) references ${quote(column.references ?? '')} ("id")`
  return [
    ...(existing.references === null ? [] : [`alter table ${of} drop constraint ${constraint}`]),
    `alter table ${of} alter column ${name} type ${column.type} using ${value}`,
    ...(column.references === null ? [] : [`alter table ${of} add constraint ${constraint} ${refers}`]),
  ]
}

/** `text` of `text collate "C"`, `timestamptz` of `timestamptz(3)`. */
const baseOf = (type: string): string => /^\w+/.exec(type.toLowerCase())![0]

const isMoment = (type: string): boolean => type === 'timestamptz' || type === 'date'

/** What a column held, as the new type has it. Numbers are Unix seconds where they become moments, and the reverse. */
function conversion(engine: Engine, name: string, from: string, { type, form }: TableColumn): string {
  const to = baseOf(type)
  if (engine === 'sqlite') {
    // Texts and numbers are all the types that it has: what else they are is in the form.
    if (form?.types[0] === 'timestamp') return `strftime('%Y-%m-%dT%H:%M:%fZ', ${name}, 'unixepoch')`
    return to === 'text' && isJson(form) ? `json_quote(${name})` : `cast(${name} as ${to})`
  }
  if (to === 'json') return `to_json(${name})`
  if (from === 'json' && to !== 'text') return `(${name} #>> '{}')::${to}`
  if (to === 'double') return `${name}::double precision`
  if ((to === 'timestamptz' || to === 'date') && isMoment(from)) return `${name}::${to}`
  if (to === 'timestamptz' && from !== 'text') return `to_timestamp(${name}::integer)`
  if (from === 'timestamptz' && to !== 'text')
    return to === 'boolean' ? `${name} is not null` : `extract(epoch from ${name})::integer`
  return `${name}::${to}`
}

const unknownColumn = (work: Work, table: Table, name: string): string =>
  `The table ${quote(table.name)} has a column ${quote(name)}, but ${table.resource ?? 'its relation'} has no field ` +
  `that is kept there. Give a field was: '…' if that is its name now, or, to lose its values, run: ` +
  dropColumn(work, table, name).join('; ')

/** SQLite keeps a column for as long as an index or trigger mentions it. */
function dropColumn({ engine, existing }: Work, table: Table, name: string): readonly string[] {
  const drop = `alter table ${quote(table.name)} drop column ${quote(name)}`
  if (engine === 'postgres') return [drop]
  const indexes = [...existing.get(table.name)!.indexes].filter(([, each]) => each.definition?.includes(quote(name)))
  const elements = [...existing.keys()].filter((each) => isDerived(each) && each.startsWith(`${table.name}_${name}_`))
  return [...indexes.map(([index]) => `drop index ${quote(index)}`), ...elements.flatMap(dropElements), drop]
}
