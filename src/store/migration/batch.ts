// Statements that change a range of records by primary key.

import { dialectOf, postgresDialect, quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'

/** `write` makes a statement of a condition for ids. */
export function batchOf(engine: Engine, table: string, write: (range: string) => string) {
  const { toEnd, toNext } = rangesOf(engine)
  const [last, next] = [command(write(toEnd)), command(write(toNext))]
  return function* (after: string, size: number): Program<string | null> {
    const end = yield* endOf(engine, table, after, size)
    if (end === null) yield bind(last, after)
    else yield bind(next, after, end)
    return end
  }
}

/**
 * Locks the records of the condition before, so that all earlier writes are read: one that was waited for might make the condition
 * false, judged by what was there before it. PostgreSQL only.
 */
export function lockedBatchOf(table: string, set: string, condition: string) {
  const [engine, of] = ['postgres', quote(table)] as const
  const { toEnd, toNext } = rangesOf(engine)
  const [last, next] = [toEnd, toNext].map((range) => query(`select "id" from ${of} where ${condition} and ${range}`))
  const isAmong = postgresDialect.among('"id"', '$1')
  const lock = query(`select "id" from ${of} where ${isAmong} order by "id" for no key update`)
  const write = command(`update ${of} set ${set} where ${isAmong} and ${condition}`)
  return function* (after: string, size: number): Program<string | null> {
    const end = yield* endOf(engine, table, after, size)
    const rows = yield end === null ? bind(last!, after) : bind(next!, after, end)
    const ids = postgresDialect.keys(rows.map(([id]) => id!))
    if (rows.length > 0) yield bind(lock, ids)
    if (rows.length > 0) yield bind(write, ids)
    return end
  }
}

function rangesOf(engine: Engine) {
  const { parameter: p } = dialectOf(engine)
  const toEnd = `"id" > ${p(1)}`
  return { toEnd, toNext: `${toEnd} and "id" <= ${p(2)}` }
}

function* endOf(engine: Engine, table: string, after: string, size: number): Program<string | null> {
  const { parameter: p } = dialectOf(engine)
  const next = query(`select "id" from ${quote(table)} where "id" > ${p(1)} order by "id" limit 1 offset ${p(2)}`)
  const [row] = yield bind(next, after, size - 1)
  return row === undefined ? null : String(row[0])
}
