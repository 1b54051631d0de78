// Collects the columns of one statement of a plan; each SQL expression is selected once. What a reference leads to may be
// joined: its columns stand in the same row.

import { charsMaxOf } from '../resource/field/registry.ts'
import type { Column } from '../resource/model/column.ts'
import type { Condition, SearchSight } from '../resource/model/condition.ts'
import type { OneRelation } from '../resource/model/model.ts'
import type { Sight } from '../resource/model/sight.ts'
import { tallyName } from '../resource/naming/casing.ts'
import { selectedSql } from '../store/sql/column-value.ts'
import { conditionSql } from '../store/sql/condition.ts'
import { quote } from '../store/sql/dialect.ts'
import { joinSql, type Selected } from '../store/sql/join.ts'
import { relevanceSql } from '../store/sql/search.ts'
import { sightSql } from '../store/sql/sight.ts'
import type { SqlText } from '../store/sql/sql-text.ts'

type Expression = Column | Condition | Sight | SearchSight | 'version' | 'tally'

/** What one statement selects, and the tables joined for it, each after the one that refers to it. */
interface Row {
  /** How many columns the statement selects before these. */
  readonly first: number
  readonly selection: { readonly of: Columns; readonly expression: Expression }[]
  readonly joined: Joined[]
}
interface Joined {
  readonly columns: Columns
  readonly holder: Columns
  readonly relation: OneRelation
  readonly condition: Condition
}

/** The columns of one table. */
export class Columns {
  readonly #row: Row
  readonly #key: Column | null

  /** `first`: how many columns the statement selects before these; `key`: what the first of them is, where it is a column. */
  constructor(first: number, key: Column | null = null, row: Row = { first, selection: [], joined: [] }) {
    this.#row = row
    this.#key = key
  }

  /** The place in the row of this column, of what the reader sees, of how well it answers a search, of the record's version, or of whether a condition holds for the record. */
  place(expression: Expression): number {
    if (expression === this.#key) return 0
    const { first, selection } = this.#row
    const index = selection.findIndex((each) => each.of === this && each.expression === expression)
    return first + (index === -1 ? selection.push({ of: this, expression }) - 1 : index)
  }

  /** The place of a column that is null only where the record is missing: one that is selected anyway, or else `id`. */
  presence(id: Column): number {
    const { first, selection } = this.#row
    const index = selection.findIndex(
      ({ of, expression }) => of === this && isColumn(expression) && !expression.nullable,
    )
    return index === -1 ? this.place(id) : first + index
  }

  /** The columns of the record that a reference leads to, if the condition holds for it. */
  join(relation: OneRelation, condition: Condition): Columns {
    const { joined } = this.#row
    const existing = joined.find((each) => each.holder === this && each.relation === relation)
    if (existing !== undefined) return existing.columns
    const columns = new Columns(0, null, this.#row)
    joined.push({ columns, holder: this, relation, condition })
    return columns
  }

  /** The most characters that a row has with all that was placed in it so far. */
  get charsMax(): number {
    return this.#row.selection.reduce((sum, { expression }) => sum + expressionChars(expression), 0)
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
    const columns = this.#row.selection.map(({ of, expression }) => columnSql(expression, aliases.get(of)!, sql))
    return { columns: columns.length === 0 ? '1' : columns.join(', '), joins }
  }
}

const isColumn = (expression: Expression): expression is Column =>
  typeof expression === 'object' && 'spec' in expression

function expressionChars(expression: Expression): number {
  if (isColumn(expression)) return charsMaxOf(expression.spec)
  return typeof expression === 'object' && 'path' in expression ? charsMaxOf(expression.path.column.spec) : 0
}

function columnSql(expression: Expression, alias: string, sql: SqlText): string {
  if (typeof expression === 'string') return `${alias}.${quote(expression === 'tally' ? tallyName : expression)}`
  if ('visible' in expression) return relevanceSql(expression, alias, conditionSql, sql)
  if ('is' in expression) return `(${conditionSql(expression, alias, sql)})`
  if (!('path' in expression)) return selectedSql(expression, alias, sql.dialect)
  const { selected } = sql.dialect.codec(expression.path.column.type)
  return sightSql(expression, alias, sql, (column) => selected?.(column) ?? column)
}
