// Kept numbers in a table with records: computed once for all. (contract 13.2.9)

import { isUnavailable } from '../../failure/failure.ts'
import { tallyName } from '../../resource/naming/casing.ts'
import { LostRace } from '../program.ts'
import { addColumn, type Table, type TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { bind, type Engine, query } from '../store.ts'
import { batchOf, lockedBatchOf } from './batch.ts'
import { dropDefault, markFresh, markStale, toleranceOf } from './stale.ts'
import { type Fill, fillKey, isNew, label, UnfitDatabase, type Work } from './work.ts'

/** Filled once every table exists. Older versions do not maintain it: it is computed again when they have ended. */
export function addKept(work: Work, table: Table, column: TableColumn, isAgain = false): void {
  const about = label(table, column)
  const key = fillKey(table, column)
  const tolerance = toleranceOf(work, `${about} is kept now`, true)
  const step = { change: 'numbers to fill', about, table: table.name, ...tolerance } as const
  if (isNew(work, table, column)) {
    const statements = [addColumn(table, column.nullable ? column : { ...column, initial: '0' })]
    work.steps.push({ ...step, statements, marks: key })
  }
  const of = quote(table.name)
  const { excess, depth } = column.keeps!
  work.last.push({
    ...step,
    ...(isAgain ? { isLate: true, alone: `${about} is kept now` } : {}),
    statements: markStale(work, key),
    marks: key,
    fill: {
      key,
      depth,
      batch: fillOf(work.engine, table, column, isAgain),
      last: [...(column.nullable ? [] : dropDefault(work, table, column)), ...(isAgain ? markFresh(work, key) : [])],
      *verdict() {
        if (excess === null) return null
        const found = yield bind(query(`select 1 from ${of} where ${excess} limit 1`))
        return found.length > 0 ? tooLarge(table, column) : null
      },
    },
  })
}

function fillOf(engine: Engine, table: Table, column: TableColumn, isAgain: boolean): Fill['batch'] {
  const [name, { sql }] = [quote(column.name), column.keeps!]
  const hasTally = isAgain && table.columns.some((each) => each.name === tallyName)
  const set = `${name} = ${sql}${hasTally ? `, ${quote(tallyName)} = ${quote(tallyName)} + 1` : ''}`
  const differs = `${name} is distinct from ${sql}`
  // SQLite has a single writer.
  const batch =
    isAgain && engine === 'postgres'
      ? lockedBatchOf(table.name, set, differs)
      : batchOf(engine, table.name, (range) => `update ${quote(table.name)} set ${set} where ${differs} and ${range}`)
  return function* (after, size) {
    try {
      return yield* batch(after, size)
    } catch (cause) {
      if (cause instanceof LostRace || isUnavailable(cause)) throw cause
      throw new UnfitDatabase(tooLarge(table, column), { cause })
    }
  }
}

const tooLarge = (table: Table, column: TableColumn): string =>
  `${label(table, column)} cannot be worked out of what there is: it would be larger than it can be. Strike it, or make what it adds up smaller.`
