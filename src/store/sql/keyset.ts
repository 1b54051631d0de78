// The order of a list, and where its page begins: the rows after a cursor, by the values that it stands for.

import type { Column } from '../../resource/model/model.ts'
import { quote } from './dialect.ts'
import type { ListShape, Seek } from './list-shape.ts'
import type { SqlText } from './sql-text.ts'

/** What the list sorts and seeks by in place of a column. */
export type KeyName = (column: Column) => string
export const ownKey =
  (alias: string): KeyName =>
  ({ name }) =>
    `${alias}.${quote(name)}`

/** A list read backward is ordered backward; whoever runs the statement turns the rows round. */
export function orderSql(shape: ListShape, key: KeyName, sql: SqlText): string {
  return shape.sort
    .map(({ column, descending }) => sql.dialect.order(key(column), descending !== shape.backward, column.nullable))
    .join(', ')
}

/** The rows after the cursor in the direction of travel. Null is greater than any value. (contract 4.4.12) */
export function seekSql(shape: ListShape, seek: Seek, key: KeyName, sql: SqlText): string {
  const keys = shape.sort.map((each, index) => ({
    ...each,
    name: key(each.column),
    down: each.descending !== seek.backward,
    isNull: seek.nulls[index] ?? false,
    value: () => sql.parameter({ from: 'cursor', index }),
  }))
  const simple = keys.every((key) => !key.column.nullable && key.down === keys[0]!.down)
  if (simple) {
    const values = keys.map((key) => cast(key.column, key.value(), sql)).join(', ')
    return `(${keys.map((key) => key.name).join(', ')}) ${keys[0]!.down ? '<' : '>'}${seek.inclusive === true ? '=' : ''} (${values})`
  }
  const equal = (key: (typeof keys)[number]) => (key.isNull ? `${key.name} is null` : `${key.name} = ${key.value()}`)
  const beyond = (key: (typeof keys)[number]) => {
    if (key.isNull) return key.down ? `${key.name} is not null` : 'false'
    const test = `${key.name} ${key.down ? '<' : '>'} ${key.value()}`
    return !key.down && key.column.nullable ? `(${test} or ${key.name} is null)` : test
  }
  const terms = keys.map((key, index) => `(${[...keys.slice(0, index).map(equal), beyond(key)].join(' and ')})`)
  if (seek.inclusive === true) terms.push(`(${keys.map(equal).join(' and ')})`)
  const [first] = keys
  // Says again what the terms imply, so that an index is entered at the cursor instead of walked from its beginning.
  const from = first!.down && !first!.isNull ? `${first!.name} <= ${first!.value()} and ` : ''
  return `${from}(${terms.join(' or ')})`
}

// PostgreSQL cannot infer a parameter's type inside a row comparison.
const cast = (column: Column, parameter: string, sql: SqlText): string =>
  sql.dialect.engine === 'postgres' ? `${parameter}::${castType(column)}` : parameter
/** What PostgreSQL takes a value of this column for. */
export const castType = (column: Column): string =>
  ({ text: 'text', integer: 'integer', boolean: 'boolean', timestamp: 'timestamptz', json: 'json' })[column.type]
