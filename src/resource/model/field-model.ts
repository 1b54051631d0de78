// Fields of a model, as far as they need no other resource.

import type { FieldKind, SpecBase } from '../field/field.ts'
import type { Column } from './column.ts'

export interface FieldModel {
  readonly name: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** Null for relations to many and computed fields. */
  readonly column: Column | null
  readonly nullable: boolean
  /** Null for stored fields. Otherwise `make` derives the value from these columns, by field. */
  readonly computed: {
    readonly from: readonly Column[]
    readonly make: (row: Readonly<Record<string, unknown>>) => unknown
  } | null
}

export interface CounterModel {
  readonly column: Column
  /** The relation inside whose records it counts; null: in the whole service. */
  readonly within: Column | null
  /** The move that assigns it; null: create. */
  readonly on: string | null
}

export interface Accepted {
  /** Of an `either`, the relations that its value sets. */
  readonly branches?: readonly string[]
  readonly field: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** Null for arguments. */
  readonly column: Column | null
  readonly nullable: boolean
  /** Undefined if the client must send it. */
  readonly initial: (() => unknown) | undefined
}

export interface StateTest {
  readonly column: Column
  /** The values of which it must have one; null if `present` decides. */
  readonly values: readonly unknown[] | null
  readonly present: boolean | null
}
