// SQL of the members of a list below a record.

import type { LinkRelation, ManyRelation } from '../../../resource/model/model.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'

/** Prefixes of a join table's columns: for the list's own record, and its members. */
export const linkSides = ({ side }: Pick<LinkRelation, 'side'>): readonly [mine: string, theirs: string] =>
  side === 'source' ? ['source', 'target'] : ['target', 'source']

/** Includes deleted ones. `holder`: the expression for the id of the list's record. */
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
