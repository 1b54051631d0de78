// The columns that a record's values live in, and what no two records have alike.

import type { ColumnType, SpecBase } from '../field/field.ts'
import type { RuleNode } from '../language/rule.ts'

export interface Column {
  readonly field: string
  /** As SQL calls it, unquoted. */
  readonly name: string
  readonly type: ColumnType
  readonly spec: SpecBase
  readonly nullable: boolean
  readonly unique: boolean
  /** Passwords, tokens and the uses of these: never selected for an answer. */
  readonly secret: boolean
  /** Secrets that code has in clear: nothing but code selects them. */
  readonly encrypted: boolean
}

/** Columns that name one living record, in the order of the definition. */
export interface KeyModel {
  readonly columns: readonly Column[]
  /** The tenant in which it counts, the first of the columns; null where there are no two such records in the whole service. */
  readonly tenant: Column | null
}

/** Columns whose values, taken together, no two living records have; where one of them is null, a record collides with none. */
export interface UniqueModel {
  readonly columns: readonly Column[]
  /** What is compared for each: the column, or its folded form. */
  readonly stored: readonly Column[]
  /** Which records are compared; null for all. About nothing but values of the record. */
  readonly where: RuleNode | null
}

/** Holds a form of a text, and nothing where that is null: for comparisons whatever the case, or for searches. */
export interface FoldedColumn extends Column {
  readonly of: Column
  readonly form: 'caseless' | 'words' | 'parts'
  readonly bytesMax: number
}
