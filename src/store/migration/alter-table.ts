// Changes an existing table if no data is lost; otherwise reports what to do.

import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { literal, quote } from '../sql/text/dialect.ts'
import { dropElements } from '../sql/text/elements.ts'
import { isDerived, referenceName } from '../sql/text/names.ts'
import { bind, type Program, query } from '../store.ts'
import { conversion, type Held, heldBy, isNumber } from './conversion.ts'
import { addCounter, countForgotten } from './counter.ts'
import { addFolded, addStored, dropFollowing } from './folded.ts'
import { addPair, endPair } from './former-kind.ts'
import type { ExistingColumn, ExistingTable } from './introspect.ts'
import { addKept } from './kept-number.ts'
import { lostValue } from './lost-value.ts'
import { isRemoved, removedName, restoreSentence } from './removed.ts'
import { fillKey, label, pairOf, remedyOf, storedName, type Work } from './work.ts'

export function* alterTable(work: Work, table: Table, current: ExistingTable): Program<void> {
  const columns = renameColumns(work, table, current)
  for (const column of table.columns) {
    const existing = columns.get(column.name)
    const key = fillKey(table, column)
    const isAgain = existing !== undefined && !work.unfilled.has(key)
    const isFilled = isAgain && !work.stale.has(key)
    if (!isFilled && column.folds !== undefined) addFolded(work, table, column, isAgain)
    else if (!isFilled && column.keeps !== undefined) addKept(work, table, column, isAgain)
    else if (!isFilled && column.stores !== undefined) addStored(work, table, column, isAgain)
    else if (existing === undefined && columns.has(removedName(column.name))) restoreColumn(work, table, column)
    else if (hasFormerKind(column, existing, columns)) yield* addPair(work, table, column, columns)
    else if (existing === undefined && column.counts !== undefined) addCounter(work, table, column)
    else if (existing === undefined) yield* addTo(work, table, column)
    else if (isFormerJson(existing, column)) rewriteJson(work, table, column)
    else if (isAnother(existing, column)) yield* otherType(work, table, column, existing)
    else if (pairOf(work, table.name, column.name) !== undefined) continue
    else if (existing.nullable !== column.nullable) yield* changeNullable(work, table, column)
    else if (column.counts !== undefined) yield* countForgotten(work, table, column)
  }
  const names = new Set(table.columns.map((each) => each.name))
  for (const [name, existing] of columns) {
    if (names.has(name) || isRemoved(name) || dropFollowing(work, table.name, name, existing)) continue
    if (work.isReturn && isCompatible(existing)) continue
    const pair = pairOf(work, table.name, name)
    if (pair !== undefined) endPair(work, table, pair, name)
    else if (table.columns.every(({ former }) => former?.column !== name)) removeColumn(work, table, name, existing)
  }
}

const hasFormerKind = (
  column: TableColumn,
  existing: ExistingColumn | undefined,
  columns: ReadonlyMap<string, ExistingColumn>,
): boolean =>
  column.former !== undefined &&
  columns.has(column.former.column) &&
  (existing === undefined || !isAnother(existing, column))

/** Whether a version without this column can add records. */
export const isCompatible = ({ nullable, hasDefault }: ExistingColumn): boolean => nullable || hasDefault

function renameColumns(work: Work, table: Table, { columns }: ExistingTable): ReadonlyMap<string, ExistingColumn> {
  const result = new Map(columns)
  for (const column of table.columns) {
    const { name, was } = column
    if (was === null || result.has(name) || !result.has(was)) continue
    const alter = `alter table ${quote(table.name)}`
    const statements = [`${alter} rename column ${quote(was)} to ${quote(name)}`]
    if (work.engine === 'postgres' && result.get(was)!.references !== null) {
      const [former, constraint] = [was, name].map((each) => quote(referenceName(table.name, each)))
      statements.push(`${alter} rename constraint ${former} to ${constraint}`)
    }
    const about = label(table, column)
    const alone = `${about} had the name "${was}" before`
    work.steps.push({ change: 'other name', about, table: table.name, statements, alone })
    result.set(name, result.get(was)!)
    result.delete(was)
  }
  return result
}

function* addTo(work: Work, table: Table, column: TableColumn): Program<void> {
  const statement = addColumn(table, column)
  const about = label(table, column)
  const step = { change: 'new field', about, table: table.name, statements: [statement] } as const
  if (column.nullable || column.initial !== null) return void work.steps.push(step)
  if (yield* isEmpty(table.name))
    return void work.steps.push({ ...step, alone: `${about} is required and has no default` })
  work.refusals.push(
    `${about} is required and has no default, but there are records without it. Make it optional, give it a default, or run: ${statement} default <value>`,
  )
}

function* changeNullable(work: Work, table: Table, column: TableColumn): Program<void> {
  const [of, name, about] = [quote(table.name), quote(column.name), label(table, column)]
  const step = { about, table: table.name }
  if (column.nullable) {
    const statements = [`alter table ${of} alter column ${name} drop not null`]
    return void work.steps.push({ change: 'optional field', ...step, statements })
  }
  const stored = quote(storedName(work, table, column))
  if ((yield bind(query(`select 1 from ${of} where ${stored} is null limit 1`))).length === 0) {
    const statements = [`alter table ${of} alter column ${name} set not null`]
    const alone = `${about} was optional and is required now`
    return void work.steps.push({ change: 'required field', ...step, statements, alone })
  }
  work.refusals.push(
    `${about} is required, but there are records without it. Make it optional, or run: ` +
      remedyOf(work, table, column, `update ${of} set ${name} = <value> where ${name} is null`),
  )
}

function* isEmpty(table: string): Program<boolean> {
  return (yield bind(query(`select 1 from ${quote(table)} limit 1`))).length === 0
}

/** A former column type with the same values in another order. */
const isFormerJson = (existing: ExistingColumn, { type }: TableColumn): boolean =>
  existing.type === 'jsonb' && type === 'json'

function rewriteJson(work: Work, table: Table, column: TableColumn): void {
  const [name, about] = [quote(column.name), label(table, column)]
  const statements = [`alter table ${quote(table.name)} alter column ${name} type json using ${name}::json`]
  const alone = `${about} is kept as json and was jsonb before`
  work.steps.push({ change: 'other type', about, table: table.name, statements, alone })
}

const isAnother = (existing: ExistingColumn, column: TableColumn): boolean =>
  existing.type !== column.type.toLowerCase() || existing.references !== column.references

function* otherType(work: Work, table: Table, column: TableColumn, existing: ExistingColumn): Program<void> {
  const describe = (type: string, references: string | null) =>
    references === null ? type : `${type} that refers to ${quote(references)}`
  const stored = storedName(work, table, column)
  const before = work.forms[table.name]?.[stored] ?? null
  // An integer of SQLite may be a decimal.
  const isUnknown = work.engine === 'sqlite' && existing.type === 'integer' && before === null
  const remedy = isUnknown ? null : yield* remedyFor(work, table, column, heldBy(existing.type, before), existing)
  refuseType(
    work,
    table,
    column,
    remedy,
    `${label(table, column)} is ${describe(column.type, column.references)} by its definition, but the column ` +
      `${quote(stored)} of ${quote(table.name)} is ${describe(existing.type, existing.references)}` +
      `${unfitSentence(remedy)}. Give the field another ` +
      (remedy === null ? 'name.' : `name, or run: ${remedyOf(work, table, column, sentenceOf(work, remedy))}`),
  )
}

/** Only `apply` converts values. */
export function refuseType(
  work: Work,
  table: Table,
  column: TableColumn,
  remedy: Remedy | null,
  refusal: string,
): void {
  if (remedy === null || remedy.unfit > 0) return void work.refusals.push(refusal)
  const about = label(table, column)
  const alone = `${about} is of another kind now`
  work.steps.push({ change: 'other type', about, table: table.name, statements: remedy.statements, alone, refusal })
}

/** Pasted by an operator, they have to be one transaction. */
export const sentenceOf = ({ engine }: Work, { statements, unfit }: Remedy): string =>
  (engine === 'sqlite' && unfit === 0 ? ['begin', ...statements, 'commit'] : statements).join('; ')

/** How many values are changed by hand first. */
export const unfitSentence = (remedy: Remedy | null): string =>
  remedy === null || remedy.unfit === 0
    ? ''
    : `, and ${remedy.unfit === 1 ? 'one of its values does' : `${remedy.unfit} of its values do`} not convert`

export interface Remedy {
  readonly statements: readonly string[]
  /** Values that conversion would change. */
  readonly unfit: number
}

/** Statements that preserve the column's meaning; while there are values that would be lost, the one that fixes these. */
export function* remedyFor(
  work: Work,
  table: Table,
  column: TableColumn,
  from: Held,
  existing: ExistingColumn,
): Program<Remedy> {
  const [of, name, to] = [quote(table.name), quote(column.name), heldBy(column.type, column.form)]
  const lost = (stored: string) => lostValue(work.engine, stored, from, to)
  const current = lost(quote(storedName(work, table, column)))
  const [[count] = []] = current === null ? [] : yield bind(query(`select count(*) from ${of} where ${current}`))
  const unfit = Number(count ?? 0)
  if (unfit > 0) return { statements: [`update ${of} set ${name} = <value> where ${lost(name)}`], unfit }
  const value = conversion(work.engine, name, from, to)
  if (work.engine === 'postgres')
    return { statements: changeType(table, column, storedName(work, table, column), existing, value), unfit }
  const statements = isAnother(existing, column)
    ? replaceColumn(work, table, column, value)
    : [`update ${of} set ${name} = ${value}`]
  return { statements: [...statements, remembering(table, column, to)], unfit }
}

function replaceColumn(work: Work, table: Table, column: TableColumn, value: string): readonly string[] {
  const of = quote(table.name)
  const other = { ...column, name: `${column.name}_new`, nullable: true }
  return [
    addColumn(table, other),
    `update ${of} set ${quote(other.name)} = ${value}`,
    ...dropColumn(work, table, column.name, storedName(work, table, column)),
    `alter table ${of} rename column ${quote(other.name)} to ${quote(column.name)}`,
  ]
}

/** Makes the next start check the values. Clears the fingerprint: an earlier version would misread the new numbers. */
function remembering(table: Table, column: TableColumn, { kind, scale }: Held): string {
  const form = JSON.stringify({ types: [isNumber(kind) ? `decimal(18,${scale})` : 'unknown'] })
  const path = literal(`$."${table.name}"."${column.name}"`)
  return `update duet_schema set fingerprint = '', tables = json_set(tables, ${path}, json(${literal(form)}))`
}

function changeType(
  table: Table,
  column: TableColumn,
  stored: string,
  existing: ExistingColumn,
  value: string,
): readonly string[] {
  const [of, name] = [quote(table.name), quote(column.name)]
  const constraint = quote(referenceName(table.name, column.name))
  const refers = `foreign key (${name}) references ${quote(column.references ?? '')} ("id")`
  return [
    ...(existing.references === null
      ? []
      : [`alter table ${of} drop constraint ${quote(referenceName(table.name, stored))}`]),
    `alter table ${of} alter column ${name} type ${column.type} using ${value}`,
    ...(column.references === null ? [] : [`alter table ${of} add constraint ${constraint} ${refers}`]),
  ]
}

/** A start refuses to forget values; `apply` puts them aside, if that is accepted. */
function removeColumn(work: Work, table: Table, name: string, existing: ExistingColumn): void {
  const loss = `${table.name}.${name}`
  const of = quote(table.name)
  const step = { about: `${of}.${quote(name)}`, table: table.name }
  if (!isCompatible(existing)) {
    const statements = [`alter table ${of} alter column ${quote(name)} drop not null`]
    work.steps.push({ change: 'optional field', ...step, statements })
  }
  const refusal =
    `The table ${of} has a column ${quote(name)}, but ${table.resource ?? 'its relation'} has no field ` +
    `that is kept there. Give a field was: '…' if that is its name now, or, to lose its values, run: ` +
    dropColumn(work, table, name).join('; ')
  const statements = [`alter table ${of} rename column ${quote(name)} to ${quote(removedName(name))}`]
  work.steps.push({ change: 'removed field', ...step, statements, loss, refusal, alone: `${loss} is removed` })
}

/** Rows that were added meanwhile have the default. */
function restoreColumn(work: Work, table: Table, column: TableColumn): void {
  const [of, name] = [quote(table.name), quote(column.name)]
  const statements = [`alter table ${of} rename column ${quote(removedName(column.name))} to ${name}`]
  if (column.initial !== null) statements.push(`update ${of} set ${name} = ${column.initial} where ${name} is null`)
  const about = label(table, column)
  const refusal = restoreSentence(about)
  work.steps.push({ change: 'restored values', about, table: table.name, statements, refusal })
}

/** SQLite refuses to drop a column used by an index or trigger. */
function dropColumn({ engine, existing }: Work, table: Table, name: string, stored = name): readonly string[] {
  const drop = `alter table ${quote(table.name)} drop column ${quote(name)}`
  if (engine === 'postgres') return [drop]
  const indexes = [...existing.get(table.name)!.indexes].filter(([, each]) => each.definition?.includes(quote(stored)))
  const elements = [...existing.keys()].filter((each) => isDerived(each) && each.startsWith(`${table.name}_${stored}_`))
  return [...indexes.map(([index]) => `drop index ${quote(index)}`), ...elements.flatMap(dropElements), drop]
}
