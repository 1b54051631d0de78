// Collects the columns of a statement; equal expressions are selected once. A joined reference has its columns in the same row.

import { charsMaxOf } from '../resource/field/registry.ts'
import type { Column } from '../resource/model/column.ts'
import type { OneRelation } from '../resource/model/model.ts'
import type { Condition, VisibleSearch } from '../resource/model/rule/condition.ts'
import type { VisibleValue } from '../resource/model/rule/visible-value.ts'
import { tallyName } from '../resource/naming/casing.ts'
import { conditionSql } from '../store/sql/condition/condition.ts'
import { relevanceSql } from '../store/sql/condition/search.ts'
import { joinSql, type Select } from '../store/sql/list/join.ts'
import { visibleValueSql } from '../store/sql/list/visible-value.ts'
import { selectedSql } from '../store/sql/text/column-value.ts'
import { quote } from '../store/sql/text/dialect.ts'
import type { SqlText } from '../store/sql/text/sql-text.ts'

type Expression = Column | Condition | VisibleValue | VisibleSearch | 'version' | 'tally'

/** Joined tables come after the one that refers to them. */
interface Row {
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

export class Columns {
  readonly #row: Row
  readonly #key: Column | null

  /** `first`: the columns before these; `key`: the first of those, if it is a column. */
  constructor(first: number, key: Column | null = null, row: Row = { first, selection: [], joined: [] }) {
    this.#row = row
    this.#key = key
  }

  place(expression: Expression): number {
    if (expression === this.#key) return 0
    const { first, selection } = this.#row
    const index = selection.findIndex((each) => each.of === this && each.expression === expression)
    return first + (index === -1 ? selection.push({ of: this, expression }) - 1 : index)
  }

  /** The index of a column that is null only if the record is missing: one already selected, or `id`. */
  presence(id: Column): number {
    const { first, selection } = this.#row
    const index = selection.findIndex(
      ({ of, expression }) => of === this && isColumn(expression) && !expression.nullable,
    )
    return index === -1 ? this.place(id) : first + index
  }

  /** The columns of the referenced record, if the condition holds for it. */
  join(relation: OneRelation, condition: Condition): Columns {
    const { joined } = this.#row
    const existing = joined.find((each) => each.holder === this && each.relation === relation)
    if (existing !== undefined) return existing.columns
    const columns = new Columns(0, null, this.#row)
    joined.push({ columns, holder: this, relation, condition })
    return columns
  }

  get charsMax(): number {
    return this.#row.selection.reduce((sum, { expression }) => sum + expressionChars(expression), 0)
  }

  /** The select list is never empty, so that each record yields a row. */
  readonly selected: Select = (alias, sql) => {
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
  return visibleValueSql(expression, alias, sql, (column) => selected?.(column) ?? column)
}
