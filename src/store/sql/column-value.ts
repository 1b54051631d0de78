// Between what callbacks see of a column's value and what the database stores.

import { readValue, writeValue } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import type { Value } from '../store.ts'
import { type Dialect, quote } from './dialect.ts'

type ValueColumn = Pick<Column, 'type' | 'spec'>

/** A value, null included, as a statement takes it. */
export const encodeValue = ({ type, spec }: ValueColumn, value: unknown, dialect: Dialect): Value =>
  dialect.encode(writeValue(spec, value), type)

/** A stored value as callbacks see it. */
export const decodeValue = ({ type, spec }: ValueColumn, value: Value, dialect: Dialect): unknown =>
  readValue(spec, dialect.decode(value, type))

/** SQL for a column of this table as `decodeValue` takes it. */
export function selectedSql({ type, name }: Column, alias: string, dialect: Dialect): string {
  const column = `${alias}.${quote(name)}`
  return dialect.codec(type).selected?.(column) ?? column
}
