// Collects the columns of one level of a plan; each SQL expression is selected once. What a reference leads to may be
// joined: its columns stand in the same row.

import type { Condition } from '../resource/model/condition.ts'
import type { Column, OneRelation } from '../resource/model/model.ts'
import { conditionSql } from '../store/sql/condition.ts'
import { quote } from '../store/sql/dialect.ts'
import { joinSql, type Selected } from '../store/sql/join.ts'
import type { SqlText } from '../store/sql/sql-text.ts'

type Wanted = Column | Condition | 'version'

/** What one statement selects, and the tables joined for it, each after the one that refers to it. */
interface Row {
  /** How many columns the statement selects before these. */
  readonly first: number
  readonly wanted: { readonly of: Columns; readonly what: Wanted }[]
  readonly joined: Joined[]
}
interface Joined {
  readonly columns: Columns
  readonly holder: Columns
  readonly relation: OneRelation
  readonly condition: Condition
}

/** More of them would cost the planner more than statements of their own. */
const mostJoined = 8

/** The columns of one table. */
export class Columns {
  readonly #row: Row
  readonly #key: Column | null

  /** `first`: how many columns the statement selects before these; `key`: what the first of them is, where it is a column. */
  constructor(first: number, key: Column | null = null, row: Row = { first, wanted: [], joined: [] }) {
    this.#row = row
    this.#key = key
  }

  /** The place in the row of this column, of the record's version, or of whether a condition holds for the record. */
  place(what: Wanted): number {
    if (what === this.#key) return 0
    const { first, wanted } = this.#row
    const known = wanted.findIndex((each) => each.of === this && each.what === what)
    return first + (known === -1 ? wanted.push({ of: this, what }) - 1 : known)
  }

  /** The place of a column that is null only where the record is missing: one that is wanted anyway, or else `id`. */
  presence(id: Column): number {
    const { first, wanted } = this.#row
    const known = wanted.findIndex(
      ({ of, what }) => of === this && what !== 'version' && !('is' in what) && !what.nullable,
    )
    return known === -1 ? this.place(id) : first + known
  }

  /** The columns of the record that a reference leads to, if the condition holds for it; null where too many are joined. */
  join(relation: OneRelation, condition: Condition): Columns | null {
    const { joined } = this.#row
    const known = joined.find((each) => each.holder === this && each.relation === relation)
    if (known !== undefined) return known.columns
    if (joined.length === mostJoined) return null
    const columns = new Columns(0, null, this.#row)
    joined.push({ columns, holder: this, relation, condition })
    return columns
  }

  /** The select list, never empty, so that the statement answers a row for each record; and what it joins. */
  selected(alias: string, sql: SqlText): Selected {
    const aliases = new Map<Columns, string>([[this, alias]])
    let joins = ''
    for (const { columns, holder, relation, condition } of this.#row.joined) {
      const joined = sql.alias()
      aliases.set(columns, joined)
      joins += joinSql(relation, condition, aliases.get(holder)!, joined, sql)
    }
    const columns = this.#row.wanted.map(({ of, what }) => columnSql(what, aliases.get(of)!, sql))
    return { columns: columns.length === 0 ? '1' : columns.join(', '), joins }
  }
}

function columnSql(what: Wanted, alias: string, sql: SqlText): string {
  if (what === 'version') return `${alias}."version"`
  return 'is' in what ? `(${conditionSql(what, alias, sql)})` : `${alias}.${quote(what.name)}`
}
