// The next numbers of a counter: after the greatest, which a deleted record may have.

import type { CounterModel, ResourceModel } from '../../../resource/model/model.ts'
import { byKey } from '../text/batching.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Derived, derivedName } from '../text/names.ts'
import { type Prepared, SqlText } from '../text/sql-text.ts'

/** For the `id`, or the `keys` in order, within input 0. Returns the number, and for several the id. */
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

/** Finds the greatest number of a group, deleted records included. */
export function counterIndex({ table }: ResourceModel, { column, within }: CounterModel): Derived {
  const columns = [...(within === null ? [] : [within.name]), column.name]
  const definition = `on ${quote(table)} (${columns.map(quote).join(', ')})`
  const name = derivedName(`${table}_${columns.join('_')}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}
