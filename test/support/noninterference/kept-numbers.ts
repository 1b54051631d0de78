// The numbers that records keep of their lists, counted by hand: what is made for a comparison must be right in both databases.

import type { KeptNumber, LinkRelation, ManyRelation } from '../../../src/resource/model/model.ts'
import { livingRow, type Row, type Rows } from './rows.ts'

/** By field. Counts of whole lists alone: no service that is compared keeps others. */
export const keptNumbers = (row: Row, rows: Rows): Readonly<Record<string, number>> =>
  Object.fromEntries(row.of.keptNumbers.map((number) => [number.column.field, countOf(number, row, rows)]))

function countOf({ of, where, relation, column }: KeptNumber, { id }: Row, rows: Rows): number {
  if (of !== null || where !== null) throw new Error(`Nobody here counts ${column.field} by hand.`)
  return relation.kind === 'many' ? childrenOf(relation, id, rows) : linkedOf(relation, id, rows)
}

const childrenOf = ({ target, by }: ManyRelation, id: string, { records }: Rows): number =>
  [...records.values()].filter((each) => each.of === target && !each.isDeleted && each.values[by.field] === id).length

function linkedOf({ link, side }: LinkRelation, id: string, rows: Rows): number {
  const [mine, theirs] = side === 'source' ? (['source', 'target'] as const) : (['target', 'source'] as const)
  const links = rows.links.filter((each) => each.relation.link === link && each[mine] === id)
  return links.filter((each) => livingRow(rows, each[theirs]) !== null).length
}
