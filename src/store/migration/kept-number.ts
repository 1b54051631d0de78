// Kept numbers in a table with records: computed once for all. (contract 13.2.9)

import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store.ts'
import { apply, isRefused, label, UnfitDatabase, type Work } from './work.ts'

/** Records per statement. */
const batchSize = 1_000

/** Fills the column once every table exists. Refused while older versions run, which would not maintain it. */
export function* addKept(work: Work, table: Table, column: TableColumn): Program<void> {
  if (yield* isRefused(work, `${label(table, column)} is kept now`)) return
  yield* apply(work, addColumn(table, column.nullable ? column : { ...column, initial: '0' }))
  work.last.push(() => fill(work, table, column))
}

function* fill({ engine, refusals, ...work }: Work, table: Table, column: TableColumn): Program<void> {
  const of = quote(table.name)
  const number = quote(column.name)
  const { sql, excess } = column.keeps!
  const [first, second] = engine === 'sqlite' ? ['?1', '?2'] : ['$1', '$2']
  const next = query(`select "id" from ${of} where "id" > ${first} order by "id" limit 1 offset ${batchSize - 1}`)
  const write = command(`update ${of} set ${number} = ${sql} where "id" > ${first} and "id" <= ${second}`)
  const writeRest = command(`update ${of} set ${number} = ${sql} where "id" > ${first}`)
  try {
    let last = ''
    for (let [row] = yield bind(next, last); row !== undefined; [row] = yield bind(next, last)) {
      yield bind(write, last, row[0]!)
      last = String(row[0])
    }
    yield bind(writeRest, last)
  } catch (cause) {
    throw new UnfitDatabase(tooLarge(table, column), { cause })
  }
  if (excess !== null && (yield bind(query(`select 1 from ${of} where ${excess} limit 1`))).length > 0)
    refusals.push(tooLarge(table, column))
  // SQLite cannot, and has a single instance.
  if (engine === 'postgres' && !column.nullable)
    yield* apply({ engine, refusals, ...work }, `alter table ${of} alter column ${number} drop default`)
}

const tooLarge = (table: Table, column: TableColumn): string =>
  `${label(table, column)} cannot be worked out of what there is: it would be larger than it can be. Strike it, or make what it adds up smaller.`
