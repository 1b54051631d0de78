// The columns that store a record's values, and its unique constraints.

import type { ColumnType, SpecBase } from '../field/field.ts'
import type { RuleNode } from '../language/rule/rule.ts'

export interface Column {
  readonly field: string
  readonly name: string
  readonly type: ColumnType
  readonly spec: SpecBase
  readonly nullable: boolean
  readonly unique: boolean
  /** Passwords, tokens and their use counts: never selected for a response. */
  readonly secret: boolean
  /** Secrets that code reads in clear: selected for code only. */
  readonly encrypted: boolean
}

/** A number that no table stores, by which a list is sorted. */
export const sortNumber = (field: string): Column => ({
  field,
  name: field,
  type: 'integer',
  spec: { kind: 'integer' },
  nullable: false,
  unique: false,
  secret: false,
  encrypted: false,
})

export interface KeyModel {
  readonly columns: readonly Column[]
  /** The first column, if the key is unique inside a tenant only. */
  readonly tenant: Column | null
  /** Which records have it, by their own values; null: all. */
  readonly where: RuleNode | null
}

/** Among records that are not deleted. A null among them never collides. */
export interface UniqueModel {
  readonly columns: readonly Column[]
  readonly stored: readonly Column[]
  /** Null: all records. Tests values of the record only. */
  readonly where: RuleNode | null
}

/** With the same values in `columns`. A null among these never collides. */
export interface ExclusionModel {
  readonly columns: readonly Column[]
  readonly stored: readonly Column[]
  readonly start: Column
  /** A null is endless. */
  readonly end: Column
  readonly where: RuleNode | null
  /** What a write must change to be judged. */
  readonly fields: ReadonlySet<string>
}

/** A computed field with a column. `make` expects the values of `from` as code sees them, and returns such a value. */
export interface StoredValue {
  readonly column: Column
  readonly from: readonly Column[]
  readonly make: (row: Readonly<Record<string, unknown>>) => unknown
}

/** Stores a derived form of a text, '' for null: for caseless comparison or for searches. */
export interface FoldedColumn extends Column {
  readonly of: Column
  readonly form: 'caseless' | 'words' | 'parts'
  readonly bytesMax: number
}

/** A character adds at most 222 bytes (U+FDFA) to the stored parts, so those of a text of this length are never cut. */
export const wholePartsCharsMax = 450
