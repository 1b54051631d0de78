// Ordered choices are stored by name and sorted by an indexed expression for their position. Inserting a choice recreates indexes,
// but rewrites no record.

import { orderOf } from '../../../resource/field/choice.ts'
import type { Column } from '../../../resource/model/column.ts'
import { literal } from './dialect.ts'

/** The sort expression. An unknown name, of another version, comes last. */
export function placeSql({ spec, nullable }: Pick<Column, 'spec' | 'nullable'>, expression: string): string {
  const order = orderOf(spec)
  if (order === null) return expression
  const places = order.map((name, place) => `when ${literal(name)} then ${place}`)
  const others = nullable ? `case when ${expression} is not null then ${order.length} end` : order.length
  return `(case ${expression} ${places.join(' ')} else ${others} end)`
}

export const isPlaced = ({ spec }: Column): boolean => orderOf(spec) !== null

/** The column in an index: `priority place` for the sort expression of a choice. */
export const placeOf = (column: Column): string => (isPlaced(column) ? `${column.name} place` : column.name)
