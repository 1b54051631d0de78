// One statement that changes a range of records by primary key.

import { dialectOf, quote } from '../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../store.ts'

/** If it `locks` them before, the statement reads what all writes of these records before it have left. */
export function batchOf(engine: Engine, table: string, set: string, condition?: string, locks = false) {
  const of = quote(table)
  const { parameter: p } = dialectOf(engine)
  const write = `update ${of} set ${set} where ${condition === undefined ? '' : `${condition} and `}"id" > ${p(1)}`
  const [toEnd, toNext] = [command(write), command(`${write} and "id" <= ${p(2)}`)]
  const next = query(`select "id" from ${of} where "id" > ${p(1)} order by "id" limit 1 offset ${p(2)}`)
  const locked = `select "id" from ${of} where "id" > ${p(1)} order by "id" limit ${p(2)} for no key update`
  const lock = query(`select count(*) from (${locked}) locked`)
  return function* (after: string, size: number): Program<string | null> {
    const [row] = yield bind(next, after, size - 1)
    if (locks && engine === 'postgres') yield bind(lock, after, size)
    if (row === undefined) yield bind(toEnd, after)
    else yield bind(toNext, after, row[0]!)
    return row === undefined ? null : String(row[0])
  }
}
