// Columns with the folded form of a text: derived, so they are added, filled and dropped with the definition.

import { foldedForm } from '../../resource/model/search/folded.ts'
import { isFoldedName, isKeptName } from '../../resource/naming/casing.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'
import { apply, isRefused, label, type Work } from './work.ts'

/** Records per batch in memory. */
const pageSize = 1_000

const verb = { caseless: 'caseless', words: 'searched', parts: 'searched' } as const

/** Refused while older versions run, which cannot write them. */
export function* addFolded(work: Work, table: Table, column: TableColumn): Program<void> {
  if (
    yield* isRefused(
      work,
      `${label(table, { ...column, field: column.folds!.field })} is ${verb[column.folds!.form]} now`,
    )
  )
    return
  yield* apply(work, addColumn(table, { ...column, initial: `''` }))
  yield* fill(work.engine, table.name, column)
  // SQLite cannot, and has a single instance.
  if (work.engine === 'postgres')
    yield* apply(work, `alter table ${quote(table.name)} alter column ${quote(column.name)} drop default`)
}

/** Drops an unused folded form or kept number; returns false for other columns. */
export function* dropFollowing(work: Work, table: string, column: string): Program<boolean> {
  if (!isFoldedName(column) && !isKeptName(column)) return false
  const end = isKeptName(column) ? 'kept' : column.endsWith('__folded') ? 'compared' : 'searched'
  if (!(yield* isRefused(work, `${quote(table)}.${quote(column)} is ${end} no more`)))
    yield* apply(work, `alter table ${quote(table)} drop column ${quote(column)}`)
  return true
}

function* fill(engine: Engine, table: string, { name, folds }: TableColumn): Program<void> {
  const [first, second] = engine === 'sqlite' ? ['?1', '?2'] : ['$1', '$2']
  const text = quote(folds!.of.name)
  const page = query(
    `select "id", ${text} from ${quote(table)} where ${text} is not null and "id" > ${first} order by "id" limit ${pageSize}`,
  )
  const write = command(`update ${quote(table)} set ${quote(name)} = ${second} where "id" = ${first}`)
  for (let last = ''; ; ) {
    const rows = yield bind(page, last)
    for (const [id, value] of rows) yield bind(write, id!, foldedForm(folds!, String(value)))
    if (rows.length < pageSize) return
    last = String(rows.at(-1)![0])
  }
}
