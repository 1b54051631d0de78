// The order of a list, and where its page begins: the rows after a cursor, by the values that it stands for.

import type { Column } from '../../resource/model/column.ts'
import { conditionSql } from './condition.ts'
import { quote } from './dialect.ts'
import { isDerived, isNullable, type ListShape, type Seek, type SortKey } from './list-shape.ts'
import { isPlaced, placeSql } from './place.ts'
import { relevanceSql } from './search.ts'
import { sightSql } from './sight.ts'
import type { SqlText } from './sql-text.ts'

/** What the list sorts and seeks by: SQL for a key. */
export type KeyName = (key: SortKey) => string
export const ownKey =
  (alias: string, sql: SqlText): KeyName =>
  ({ column, sight, search }) =>
    search !== undefined
      ? relevanceSql(search, alias, conditionSql, sql)
      : sight === undefined
        ? placeSql(column, `${alias}.${quote(column.name)}`)
        : sightSql(sight, alias, sql, (name) => placeSql(column, name))

/** What is ordered, as far as that is decided. */
type Order = Pick<ListShape, 'sort' | 'seek' | 'backward'>

/** A list read backward is ordered backward; whoever runs the statement turns the rows round. */
export function orderSql(shape: Order, key: KeyName, sql: SqlText): string {
  // Rows that tie in the first key have an order without it, which SQLite would not see.
  return (shape.seek?.part === 'tie' ? shape.sort.slice(1) : shape.sort)
    .map((each) => sql.dialect.order(key(each), each.descending !== shape.backward, isNullable(each)))
    .join(', ')
}

/** The rows after the cursor in the direction of travel. Null is greater than any value. (contract 4.4.12) */
export function seekSql(shape: Order, seek: Seek, key: KeyName, sql: SqlText): string {
  const keys = shape.sort.map((each, index): SeekKey => {
    const value = () => {
      const parameter = sql.parameter({ from: 'cursor', index })
      // What is no column has no type that SQLite would give to what it is compared with.
      return isDerived(each) ? (sql.dialect.codec(each.column.type).typed?.(parameter) ?? parameter) : parameter
    }
    return {
      nullable: isNullable(each),
      name: key(each),
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
  const [first] = sort
  if (seek === null || sql.dialect.engine !== 'sqlite' || !isPlaced(first!.column) || isDerived(first!)) return [shape]
  return (['tie', 'beyond'] as const).map((part) => ({ ...shape, seek: { ...seek, part } }))
}

interface SeekKey {
  readonly nullable: boolean
  /** What the list is sorted by, as SQL. */
  readonly name: string
  readonly down: boolean
  /** Whether the cursor has null there, otherwise its value; `typed` where PostgreSQL is to be told what it is. */
  readonly isNull: boolean
  readonly value: () => string
  readonly typed: () => string
}

function rowsAfter(keys: readonly SeekKey[], isInclusive: boolean): string {
  const simple = keys.every((key) => !key.nullable && !key.isNull && key.down === keys[0]!.down)
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
  return !key.down && key.nullable ? `(${test} or ${key.name} is null)` : test
}

// PostgreSQL cannot infer a parameter's type inside a row comparison.
function castTo({ type }: Column, parameter: string, { dialect }: SqlText): string {
  const { cast } = dialect.codec(type)
  return cast === '' ? parameter : `${parameter}::${cast}`
}
