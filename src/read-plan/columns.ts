// Collects the columns of one level of a plan; each SQL expression is selected once.

import type { Condition } from '../resource/condition.ts'
import type { Column } from '../resource/model.ts'
import { conditionSql } from '../store/sql/condition.ts'
import { quote } from '../store/sql/dialect.ts'
import type { SqlText } from '../store/sql/text.ts'

export class Columns {
  readonly #wanted: (Column | Condition | 'version')[] = []
  readonly #first: number
  readonly #key: Column | null

  /** `first`: how many columns the statement selects before these; `key`: what the first of them is, where it is a column. */
  constructor(first: number, key: Column | null = null) {
    this.#first = first
    this.#key = key
  }

  /** The place in the row of this column, of the record's version, or of whether a condition holds for the record. */
  place(wanted: Column | Condition | 'version'): number {
    if (wanted === this.#key) return 0
    const known = this.#wanted.indexOf(wanted)
    return this.#first + (known === -1 ? this.#wanted.push(wanted) - 1 : known)
  }

  /** The select list. Never empty, so that the statement answers a row for each record. */
  sql(alias: string, sql: SqlText): string {
    if (this.#wanted.length === 0) return '1'
    return this.#wanted
      .map((each) => {
        if (each === 'version') return `${alias}."version"`
        return 'is' in each ? `(${conditionSql(each, alias, sql)})` : `${alias}.${quote(each.name)}`
      })
      .join(', ')
  }
}
