// Converts between values for callbacks and stored values.

import { readValue, writeValue } from '../../../resource/field/registry.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { Value } from '../../store.ts'
import { type Dialect, quote } from './dialect.ts'

type ValueColumn = Pick<Column, 'type' | 'spec'>

/** Includes null. */
export const encodeValue = ({ type, spec }: ValueColumn, value: unknown, dialect: Dialect): Value =>
  dialect.encode(writeValue(spec, value), type)

export const decodeValue = ({ type, spec }: ValueColumn, value: Value, dialect: Dialect): unknown =>
  readValue(spec, dialect.decode(value, type))

/** The select expression that `decodeValue` expects. */
export function selectedSql({ type, name }: Column, alias: string, dialect: Dialect): string {
  const column = `${alias}.${quote(name)}`
  return dialect.codec(type).selected?.(column) ?? column
}
