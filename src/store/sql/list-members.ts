// The records of a relation's list, as SQL finds them from the record whose list it is.

import type { LinkRelation, ManyRelation } from '../../resource/model/model.ts'
import { quote } from './dialect.ts'
import type { SqlText } from './sql-text.ts'

/** What the columns of a join table begin with: that of the record whose list it is, and that of its members. */
export const linkSides = ({ side }: Pick<LinkRelation, 'side'>): readonly [mine: string, theirs: string] =>
  side === 'source' ? ['source', 'target'] : ['target', 'source']

/** The members of one record's list under `alias`, deleted ones among them. `holder` is the expression of that record's id. */
export function listMembers(
  relation: ManyRelation | LinkRelation,
  holder: string,
  alias: string,
  sql: SqlText,
): { readonly from: string; readonly where: string } {
  const table = `${quote(relation.target.table)} ${alias}`
  if (relation.kind === 'many') return { from: table, where: `${alias}.${quote(relation.by.column.name)} = ${holder}` }
  const [mine, theirs] = linkSides(relation)
  const link = sql.alias()
  return {
    from: `${quote(relation.link.table)} ${link} join ${table} on ${alias}."id" = ${link}."${theirs}_id"`,
    where: `${link}."${mine}_id" = ${holder}`,
  }
}
