// Columns that the service works out of others of the record: folded forms of texts, and computed fields that are stored. Derived,
// so they are added, filled and dropped with the definition.

import { storedValueOf } from '../../resource/model/number/stored-value.ts'
import { foldedForm } from '../../resource/model/search/folded.ts'
import { isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { decodeValue, encodeValue, selectedSql } from '../sql/text/column-value.ts'
import { dialectOf, quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'
import { fillKey, isNew, label, type Work } from './work.ts'

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
      batch: (after, size) => fill(work.engine, table.name, column, after, size),
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
  const batch = (after: string, size: number) => fillStored(work.engine, table.name, column, after, size)
  work.last.push({ ...step, statements: [], fill: { key, batch, last: [], verdict: null } })
}

function* fillStored(
  engine: Engine,
  table: string,
  { name, stores }: TableColumn,
  after: string,
  size: number,
): Program<string | null> {
  const dialect = dialectOf(engine)
  const { from, column } = stores!
  const of = quote(table)
  const selected = from.map((each) => selectedSql(each, of, dialect)).join(', ')
  const p = dialect.parameter
  const page = query(`select "id", ${selected} from ${of} where "id" > ${p(1)} order by "id" limit ${size}`)
  const write = command(`update ${of} set ${quote(name)} = ${p(2)} where "id" = ${p(1)}`)
  const rows = yield bind(page, after)
  for (const [id, ...values] of rows) {
    const record = from.map((each, at) => [each.field, decodeValue(each, values[at]!, dialect)])
    yield bind(write, id!, encodeValue(column, storedValueOf(stores!, Object.fromEntries(record)), dialect))
  }
  return rows.length < size ? null : String(rows.at(-1)![0])
}

function* fill(
  engine: Engine,
  table: string,
  { name, folds }: TableColumn,
  after: string,
  size: number,
): Program<string | null> {
  const { parameter: p } = dialectOf(engine)
  const text = quote(folds!.of.name)
  const page = query(
    `select "id", ${text} from ${quote(table)} where ${text} is not null and "id" > ${p(1)} order by "id" limit ${size}`,
  )
  const write = command(`update ${quote(table)} set ${quote(name)} = ${p(2)} where "id" = ${p(1)}`)
  const rows = yield bind(page, after)
  for (const [id, value] of rows) yield bind(write, id!, foldedForm(folds!, String(value)))
  return rows.length < size ? null : String(rows.at(-1)![0])
}
