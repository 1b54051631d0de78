// An ordered choice is stored by name and compared by its place in the definition, an expression that its indexes hold: a
// choice that comes into their midst makes these anew, and no record has to be written.

import { orderOf } from '../../resource/field/choice.ts'
import type { Column } from '../../resource/model/column.ts'
import { literal } from './dialect.ts'

/** What `expression`, a value of this column, is sorted and compared by. A name of another version comes last. */
export function placeSql({ spec, nullable }: Pick<Column, 'spec' | 'nullable'>, expression: string): string {
  const order = orderOf(spec)
  if (order === null) return expression
  const places = order.map((name, place) => `when ${literal(name)} then ${place}`)
  const others = nullable ? `case when ${expression} is not null then ${order.length} end` : order.length
  return `(case ${expression} ${places.join(' ')} else ${others} end)`
}

/** Whether the values of this column have places. */
export const isPlaced = ({ spec }: Column): boolean => orderOf(spec) !== null

/** How an index names what it holds of this column in order: `priority place` where that is the place of a choice. */
export const placeOf = (column: Column): string => (isPlaced(column) ? `${column.name} place` : column.name)
