// The statement that gives the next numbers of a counter: the greatest that there is, of deleted records too, and from there on.

import type { CounterModel, ResourceModel } from '../../resource/model/model.ts'
import { byKey } from './batching.ts'
import { type Dialect, quote } from './dialect.ts'
import { type Derived, derivedName } from './names.ts'
import { type Prepared, SqlText } from './sql-text.ts'

/** The record with this `id`, or those among `keys` in their order, within input 0: the number, and of many the id. */
export function countSql(
  { table }: ResourceModel,
  { column, within }: CounterModel,
  by: 'id' | 'keys',
  dialect: Dialect,
): Prepared {
  const number = quote(column.name)
  const update = `update ${quote(table)} set ${number} =`
  const greatest = (sql: SqlText): string => {
    const of = within === null ? '' : ` where ${quote(within.name)} = ${sql.parameter({ from: 'input', index: 0 })}`
    return `select coalesce(max(${number}), 0) from ${quote(table)}${of}`
  }
  const many = new SqlText(dialect)
  const keys = dialect.keyTable(many.parameter({ from: 'keys' }), 'k')
  const first = `(${greatest(many)})`
  const ofMany = `${update} ${first} + k.place + 1 from ${keys} where ${quote(table)}."id" = k.value returning ${quote(table)}.${number}, ${quote(table)}."id"`
  if (by === 'keys') return many.query(ofMany)
  const one = new SqlText(dialect)
  const id = one.parameter({ from: 'id' })
  const ofOne = `${update} (${greatest(one)}) + 1 where "id" = ${id} returning ${number}`
  return one.query(ofOne, byKey(ofMany, one.placeOf({ from: 'id' }), dialect))
}

/** Finds the greatest number of a group, whether or not its record is deleted. */
export function counterIndex({ table }: ResourceModel, { column, within }: CounterModel): Derived {
  const columns = [...(within === null ? [] : [within.name]), column.name]
  const definition = `on ${quote(table)} (${columns.map(quote).join(', ')})`
  const name = derivedName(`${table}_${columns.join('_')}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}
