// Kept numbers in a table with records: computed once for all. (contract 13.2.9)

import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { bind, type Engine, query } from '../store.ts'
import { batchOf } from './batch.ts'
import { type Fill, fillKey, isNew, label, UnfitDatabase, type Work } from './work.ts'

/** Filled once every table exists. Older versions would not maintain it. */
export function addKept(work: Work, table: Table, column: TableColumn): void {
  const about = label(table, column)
  const key = fillKey(table, column)
  const step = { change: 'numbers to fill', about, table: table.name } as const
  if (isNew(work, table, column)) {
    const statements = [addColumn(table, column.nullable ? column : { ...column, initial: '0' })]
    work.steps.push({ ...step, statements, alone: `${about} is kept now`, marks: key })
  }
  const of = quote(table.name)
  const { excess } = column.keeps!
  const dropDefault = `alter table ${of} alter column ${quote(column.name)} drop default`
  work.last.push({
    ...step,
    statements: [],
    alone: `${about} is kept now`,
    fill: {
      key,
      batch: fillOf(work.engine, table, column),
      // SQLite cannot, and has a single instance.
      last: work.engine === 'postgres' && !column.nullable ? [dropDefault] : [],
      *verdict() {
        if (excess === null) return null
        const found = yield bind(query(`select 1 from ${of} where ${excess} limit 1`))
        return found.length > 0 ? tooLarge(table, column) : null
      },
    },
  })
}

function fillOf(engine: Engine, table: Table, column: TableColumn): Fill['batch'] {
  const batch = batchOf(engine, table.name, `${quote(column.name)} = ${column.keeps!.sql}`)
  return function* (after, size) {
    try {
      return yield* batch(after, size)
    } catch (cause) {
      throw new UnfitDatabase(tooLarge(table, column), { cause })
    }
  }
}

const tooLarge = (table: Table, column: TableColumn): string =>
  `${label(table, column)} cannot be worked out of what there is: it would be larger than it can be. Strike it, or make what it adds up smaller.`
