// Columns that the service works out of others of the record: folded forms of texts, and computed fields that are stored. Derived,
// so they are added, filled and dropped with the definition.

import { storedValueOf } from '../../resource/model/number/stored-value.ts'
import { foldedForm } from '../../resource/model/search/folded.ts'
import { isComputedName, isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { decodeValue, encodeValue, selectedSql } from '../sql/text/column-value.ts'
import { dialectOf, quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, query, type StoredRow, type Value } from '../store.ts'
import type { ExistingColumn } from './introspect.ts'
import { dropDefault, markFresh, markStale, toleranceOf } from './stale.ts'
import { type Fill, fillKey, isNew, label, type Work } from './work.ts'

const verb = { caseless: 'caseless', words: 'searched', parts: 'searched' } as const

/** Older versions do not write them: values that are compared wait for their end, and words are made again then. */
export function addFolded(work: Work, table: Table, column: TableColumn, isAgain = false): void {
  const about = label(table, { ...column, field: column.folds!.field })
  const statements = isNew(work, table, column) ? [addColumn(table, { ...column, initial: `''` })] : []
  const { form, of } = column.folds!
  const key = fillKey(table, column)
  const alone = `${about} is ${verb[form]} now`
  const tolerance = toleranceOf(work, alone, form !== 'caseless')
  const step = { change: 'numbers to fill', about, table: table.name, ...tolerance } as const
  // A text that is stored is filled first, and unique values are compared before that.
  const isLate = of.spec.isKept === true
  if (isLate && statements.length > 0) work.steps.push({ ...step, statements, marks: key })
  const steps = isLate ? work.last : work.steps
  steps.push({
    ...step,
    ...(isAgain ? { isLate: true, alone } : {}),
    statements: [...(isLate ? [] : statements), ...markStale(work, key)],
    marks: key,
    fill: {
      key,
      batch: foldedBatch(work.engine, table.name, column, isAgain),
      last: [...dropDefault(work, table, column), ...(isAgain ? markFresh(work, key) : [])],
      verdict: null,
    },
  })
}

/** Drops an unused folded form or kept number; returns false for other columns. An older version computes it until it ends. */
export function dropFollowing(work: Work, table: string, column: string, existing: ExistingColumn): boolean {
  if (!isFoldedName(column) && !isKeptName(column)) return false
  const end = isKeptName(column) ? 'kept' : column.endsWith('__folded') ? 'compared' : 'searched'
  const about = `${quote(table)}.${quote(column)}`
  const key = `${table}.${column}`
  const isLate = work.engine === 'postgres' && (!work.isAlone || work.stale.has(key))
  if (isLate) leaveFollowing(work, table, column, existing)
  const drop = `alter table ${quote(table)} drop column ${quote(column)}`
  const statements = [drop, ...markFresh(work, key)]
  const step = { change: 'numbers that go', about, table, alone: `${about} is ${end} no more` } as const
  work.steps.push({ ...step, statements, isLate })
  return true
}

/** Those that are compared without case would collide. */
export const canLeave = (column: string): boolean => isComputedName(column) && !column.endsWith('__folded')

/** Lets this version write without the column that another one computes. */
export function leaveFollowing(work: Work, table: string, column: string, existing: ExistingColumn): void {
  const key = `${table}.${column}`
  if (work.stale.has(key) || !isComputedName(column)) return
  const initial = isFoldedName(column) ? `''` : '0'
  const setDefault = `alter table ${quote(table)} alter column ${quote(column)} set default ${initial}`
  const statements = [...(existing.nullable || existing.hasDefault ? [] : [setDefault]), ...markStale(work, key)]
  const about = `${quote(table)}.${quote(column)}`
  work.steps.push({ change: 'numbers that go', about, table, statements, isTolerant: true })
}

/** Filled once the numbers are that it may be made from. Readers expect one that is not optional. (contract 13.2.13) */
export function addStored(work: Work, table: Table, column: TableColumn, isAgain = false): void {
  const about = label(table, column)
  const key = fillKey(table, column)
  const alone = `${about} is stored now`
  const tolerance = toleranceOf(work, alone, column.stores!.column.nullable)
  const step = { change: 'numbers to fill', about, table: table.name, ...tolerance } as const
  if (isNew(work, table, column)) work.steps.push({ ...step, statements: [addColumn(table, column)], marks: key })
  const batch = storedBatch(work.engine, table.name, column, isAgain)
  work.last.push({
    ...step,
    ...(isAgain ? { isLate: true, alone } : {}),
    statements: markStale(work, key),
    marks: key,
    fill: { key, batch, last: isAgain ? markFresh(work, key) : [], verdict: null },
  })
}

function storedBatch(engine: Engine, table: string, column: TableColumn, isAgain: boolean): Fill['batch'] {
  const dialect = dialectOf(engine)
  const { from, column: stored } = column.stores!
  const selected = from.map((each) => selectedSql(each, quote(table), dialect))
  const more = isAgain ? `, "version" = ${quote(table)}."version" + 1` : ''
  return batchOfRows(engine, table, column, { selected, condition: null, more, isAgain }, (values) => {
    const record = from.map((each, at) => [each.field, decodeValue(each, values[at]!, dialect)])
    return encodeValue(stored, storedValueOf(column.stores!, Object.fromEntries(record)), dialect)
  })
}

function foldedBatch(engine: Engine, table: string, column: TableColumn, isAgain: boolean): Fill['batch'] {
  const text = quote(column.folds!.of.name)
  const condition = `${text} is not null`
  return batchOfRows(engine, table, column, { selected: [text], condition, more: '', isAgain }, ([value]) =>
    foldedForm(column.folds!, String(value)),
  )
}

interface Rows {
  readonly selected: readonly string[]
  readonly condition: string | null
  /** What is set besides, where the value is another one. */
  readonly more: string
  readonly isAgain: boolean
}

/**
 * Reads what is `selected`, and writes what is worked out of it by one statement. Next to requests, records whose value is
 * another one are locked and read again before.
 */
function batchOfRows(
  engine: Engine,
  table: string,
  { name, type }: TableColumn,
  { selected, condition, more, isAgain }: Rows,
  workOut: (values: StoredRow) => Value,
): Fill['batch'] {
  const { parameter: p, among, keys } = dialectOf(engine)
  const of = quote(table)
  const select = `select "id", ${selected.join(', ')} from ${of}`
  const where = `where ${condition === null ? '' : `${condition} and `}"id" > ${p(1)}`
  const page = query(`${select} ${where} order by "id" limit ${p(2)}`)
  const records = query(`${select} where ${among('"id"', p(1))}`)
  const { values, id, value, differs } = written[engine]
  const isChanged = `where ${of}."id" = ${id} and ${differs(`${of}.${quote(name)}`, value(type))}`
  const write = command(`update ${of} set ${quote(name)} = ${value(type)}${more} from ${values} ${isChanged}`)
  const lock = `select ${of}."id" from ${of}, ${values} ${isChanged} order by ${of}."id" for no key update of ${of}`
  // SQLite has a single writer.
  const lockChanged = isAgain && engine === 'postgres' ? query(lock) : null
  const valuesOf = (rows: readonly StoredRow[]) =>
    JSON.stringify(rows.map(([id, ...all]) => ({ id, value: workOut(all) })))
  return function* (after, size) {
    const rows = yield bind(page, after, size)
    const changed = lockChanged === null ? [] : yield bind(lockChanged, valuesOf(rows))
    if (lockChanged === null) yield bind(write, valuesOf(rows))
    else if (changed.length > 0) yield bind(write, valuesOf(yield bind(records, keys(changed.map(([id]) => id!)))))
    return rows.length < size ? null : String(rows.at(-1)![0])
  }
}

/** The values that are written, and each one's id and value. Values of JSON are compared in another form. */
const written = {
  sqlite: {
    values: 'json_each(?1) v',
    id: `v.value ->> 'id'`,
    value: (_type: string) => `v.value ->> 'value'`,
    differs: (one: string, other: string) => `${one} is not ${other}`,
  },
  postgres: {
    values: 'json_to_recordset($1::json) as v(id text collate "C", value text)',
    id: 'v.id',
    value: (type: string) => `v.value::${type}`,
    differs: (one: string, other: string) => `to_jsonb(${one}) is distinct from to_jsonb(${other})`,
  },
} as const satisfies Readonly<Record<Engine, unknown>>
