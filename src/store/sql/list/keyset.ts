// SQL of orders, and of pages that begin after a record.

import type { Column } from '../../../resource/model/column.ts'
import { conditionSql } from '../condition/condition.ts'
import { isDerived, isNullable, type ListShape, type Seek, type SortKey } from '../condition/list-shape.ts'
import { relevanceSql } from '../condition/search.ts'
import { quote } from '../text/dialect.ts'
import { isPlaced, placeSql } from '../text/place.ts'
import type { SqlText } from '../text/sql-text.ts'
import { visibleValueSql } from './visible-value.ts'

export type KeyName = (key: SortKey) => string
export const ownKey =
  (alias: string, sql: SqlText): KeyName =>
  ({ column, visibleValue, search }) =>
    search !== undefined
      ? relevanceSql(search, alias, conditionSql, sql)
      : visibleValue === undefined
        ? placeSql(column, `${alias}.${quote(column.name)}`)
        : visibleValueSql(visibleValue, alias, sql, (name) => placeSql(column, name))

type Order = Pick<ListShape, 'sort' | 'seek' | 'backward'>

/** A backward list is read in reverse order; the runner reverses the rows. */
export function orderSql(shape: Order, key: KeyName, sql: SqlText): string {
  // Rows that are equal in the first key: without it, SQLite sees that the index has the order.
  return (shape.seek?.part === 'tie' ? shape.sort.slice(1) : shape.sort)
    .map((each) => sql.dialect.order(key(each), each.descending !== shape.backward, isNullable(each)))
    .join(', ')
}

/** Null is greater than any value. (contract 4.4.12) */
export function seekSql(shape: Order, seek: Seek, key: KeyName, sql: SqlText): string {
  const keys = shape.sort.map((each, index): SeekKey => {
    const value = () => {
      const parameter = sql.parameter({ from: 'cursor', index })
      // An expression has no type affinity in SQLite.
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
 * SQLite seeks by a row of columns, but not if it begins with an expression. A list sorted by an ordered choice is therefore
 * two: rows equal to the cursor in it, and later ones.
 */
export function seekParts(shape: ListShape, sql: SqlText): readonly ListShape[] {
  const { seek, sort } = shape
  const [first] = sort
  if (seek === null || sql.dialect.engine !== 'sqlite' || !isPlaced(first!.column) || isDerived(first!)) return [shape]
  return (['tie', 'beyond'] as const).map((part) => ({ ...shape, seek: { ...seek, part } }))
}

interface SeekKey {
  readonly nullable: boolean
  readonly name: string
  readonly down: boolean
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
  // Implied by the terms, but lets an index start at the cursor.
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
