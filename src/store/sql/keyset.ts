// The order of a list, and where its page begins: the rows after a cursor, by the values that it stands for.

import type { Column } from '../../resource/model/model.ts'
import { quote } from './dialect.ts'
import type { ListShape, Seek } from './list-shape.ts'
import { isPlaced, placeSql } from './place.ts'
import type { SqlText } from './sql-text.ts'

/** What the list sorts and seeks by in place of a column. */
export type KeyName = (column: Column) => string
export const ownKey =
  (alias: string): KeyName =>
  (column) =>
    placeSql(column, `${alias}.${quote(column.name)}`)

/** A list read backward is ordered backward; whoever runs the statement turns the rows round. */
export function orderSql(shape: ListShape, key: KeyName, sql: SqlText): string {
  // Rows that tie in the first key have an order without it, which SQLite would not see.
  return (shape.seek?.part === 'tie' ? shape.sort.slice(1) : shape.sort)
    .map(({ column, descending }) => sql.dialect.order(key(column), descending !== shape.backward, column.nullable))
    .join(', ')
}

/** The rows after the cursor in the direction of travel. Null is greater than any value. (contract 4.4.12) */
export function seekSql(shape: ListShape, seek: Seek, key: KeyName, sql: SqlText): string {
  const keys = shape.sort.map((each, index): SeekKey => {
    const value = () => sql.parameter({ from: 'cursor', index })
    return {
      column: each.column,
      name: key(each.column),
      down: each.descending !== seek.backward,
      isNull: seek.nulls[index] ?? false,
      value: () => placeSql(each.column, value()),
      typed: () => placeSql(each.column, castTo(each.column, value(), sql)),
    }
  })
  const [first, ...rest] = keys
  if (seek.part === 'tie') return `${equal(first!)} and ${rowsAfter(rest, seek.inclusive === true)}`
  return seek.part === 'beyond' ? beyond(first!) : rowsAfter(keys, seek.inclusive === true)
}

/**
 * SQLite enters an index by a row of columns, and not by one that begins with an expression. So a list that is sorted by
 * places is two for it: the rest of those that tie with the cursor in their place, and those of the places beyond.
 */
export function seekParts(shape: ListShape, sql: SqlText): readonly ListShape[] {
  const { seek, sort } = shape
  if (seek === null || sql.dialect.engine !== 'sqlite' || !isPlaced(sort[0]!.column)) return [shape]
  return (['tie', 'beyond'] as const).map((part) => ({ ...shape, seek: { ...seek, part } }))
}

interface SeekKey {
  readonly column: Column
  /** What the list is sorted by, as SQL. */
  readonly name: string
  readonly down: boolean
  /** Whether the cursor has null there, otherwise its value; `typed` where PostgreSQL is to be told what it is. */
  readonly isNull: boolean
  readonly value: () => string
  readonly typed: () => string
}

function rowsAfter(keys: readonly SeekKey[], isInclusive: boolean): string {
  const simple = keys.every((key) => !key.column.nullable && key.down === keys[0]!.down)
  if (simple) {
    const values = keys.map((key) => key.typed()).join(', ')
    return `(${keys.map((key) => key.name).join(', ')}) ${keys[0]!.down ? '<' : '>'}${isInclusive ? '=' : ''} (${values})`
  }
  const terms = keys.map((key, index) => `(${[...keys.slice(0, index).map(equal), beyond(key)].join(' and ')})`)
  if (isInclusive) terms.push(`(${keys.map(equal).join(' and ')})`)
  const [first] = keys
  // Says again what the terms imply, so that an index is entered at the cursor instead of walked from its beginning.
  const from = first!.down && !first!.isNull ? `${first!.name} <= ${first!.value()} and ` : ''
  return `${from}(${terms.join(' or ')})`
}

const equal = (key: SeekKey): string => (key.isNull ? `${key.name} is null` : `${key.name} = ${key.value()}`)
function beyond(key: SeekKey): string {
  if (key.isNull) return key.down ? `${key.name} is not null` : 'false'
  const test = `${key.name} ${key.down ? '<' : '>'} ${key.value()}`
  return !key.down && key.column.nullable ? `(${test} or ${key.name} is null)` : test
}

// PostgreSQL cannot infer a parameter's type inside a row comparison.
function castTo({ type }: Column, parameter: string, { dialect }: SqlText): string {
  const { cast } = dialect.codec(type)
  return cast === '' ? parameter : `${parameter}::${cast}`
}
