// Columns that the service works out of others of the record: folded forms of texts, and computed fields that are stored. Derived,
// so they are added, filled and dropped with the definition.

import { storedValueOf } from '../../resource/model/number/stored-value.ts'
import { foldedForm } from '../../resource/model/search/folded.ts'
import { isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { decodeValue, encodeValue, selectedSql } from '../sql/text/column-value.ts'
import { dialectOf, quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, query, type StoredRow, type Value } from '../store.ts'
import { type Fill, fillKey, isNew, label, type Work } from './work.ts'

const verb = { caseless: 'caseless', words: 'searched', parts: 'searched' } as const

/** Older versions would not write them. */
export function addFolded(work: Work, table: Table, column: TableColumn): void {
  const about = label(table, { ...column, field: column.folds!.field })
  const statements = isNew(work, table, column) ? [addColumn(table, { ...column, initial: `''` })] : []
  const { form, of } = column.folds!
  const step = { change: 'numbers to fill', about, table: table.name, alone: `${about} is ${verb[form]} now` } as const
  // A text that is stored is filled first, and unique values are compared before that.
  const isLate = of.spec.isKept === true
  if (isLate) work.steps.push({ ...step, statements, marks: fillKey(table, column) })
  const steps = isLate ? work.last : work.steps
  steps.push({
    ...step,
    statements: isLate ? [] : statements,
    marks: fillKey(table, column),
    fill: {
      key: fillKey(table, column),
      batch: foldedBatch(work.engine, table.name, column),
      // SQLite cannot, and has a single instance.
      last:
        work.engine === 'postgres'
          ? [`alter table ${quote(table.name)} alter column ${quote(column.name)} drop default`]
          : [],
      verdict: null,
    },
  })
}

/** Drops an unused folded form or kept number; returns false for other columns. */
export function dropFollowing(work: Work, table: string, column: string): boolean {
  if (!isFoldedName(column) && !isKeptName(column)) return false
  const end = isKeptName(column) ? 'kept' : column.endsWith('__folded') ? 'compared' : 'searched'
  const about = `${quote(table)}.${quote(column)}`
  const statements = [`alter table ${quote(table)} drop column ${quote(column)}`]
  work.steps.push({ change: 'numbers that go', about, table, statements, alone: `${about} is ${end} no more` })
  return true
}

/** Filled once the numbers are that it may be made from. (contract 13.2.13) */
export function addStored(work: Work, table: Table, column: TableColumn): void {
  const about = label(table, column)
  const key = fillKey(table, column)
  const step = { change: 'numbers to fill', about, table: table.name, alone: `${about} is stored now` } as const
  if (isNew(work, table, column)) work.steps.push({ ...step, statements: [addColumn(table, column)], marks: key })
  const batch = storedBatch(work.engine, table.name, column)
  work.last.push({ ...step, statements: [], fill: { key, batch, last: [], verdict: null } })
}

function storedBatch(engine: Engine, table: string, column: TableColumn): Fill['batch'] {
  const dialect = dialectOf(engine)
  const { from, column: stored } = column.stores!
  const selected = from.map((each) => selectedSql(each, quote(table), dialect))
  return batchOfRows(engine, table, column, selected, null, (values) => {
    const record = from.map((each, at) => [each.field, decodeValue(each, values[at]!, dialect)])
    return encodeValue(stored, storedValueOf(column.stores!, Object.fromEntries(record)), dialect)
  })
}

function foldedBatch(engine: Engine, table: string, column: TableColumn): Fill['batch'] {
  const text = quote(column.folds!.of.name)
  const condition = `${text} is not null`
  return batchOfRows(engine, table, column, [text], condition, ([value]) => foldedForm(column.folds!, String(value)))
}

/** Reads what is `selected`, and writes what is worked out of it by one statement. */
function batchOfRows(
  engine: Engine,
  table: string,
  { name, type }: TableColumn,
  selected: readonly string[],
  condition: string | null,
  workOut: (values: StoredRow) => Value,
): Fill['batch'] {
  const { parameter: p } = dialectOf(engine)
  const of = quote(table)
  const where = `where ${condition === null ? '' : `${condition} and `}"id" > ${p(1)}`
  const page = query(`select "id", ${selected.join(', ')} from ${of} ${where} order by "id" limit ${p(2)}`)
  const [values, id, value] = written[engine]
  const write = command(`update ${of} set ${quote(name)} = ${value(type)} from ${values} where ${of}."id" = ${id}`)
  return function* (after, size) {
    const rows = yield bind(page, after, size)
    yield bind(write, JSON.stringify(rows.map(([id, ...all]) => ({ id, value: workOut(all) }))))
    return rows.length < size ? null : String(rows.at(-1)![0])
  }
}

/** The values that are written, and each one's id and value. */
const written: Readonly<Record<Engine, readonly [values: string, id: string, value: (type: string) => string]>> = {
  sqlite: ['json_each(?1) v', `v.value ->> 'id'`, () => `v.value ->> 'value'`],
  postgres: ['json_to_recordset($1::json) as v(id text collate "C", value text)', 'v.id', (type) => `v.value::${type}`],
}
