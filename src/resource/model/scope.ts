// The records and arguments of a named query.

import type { FieldKind, SpecBase } from '../field/field.ts'
import type { GivenSource } from '../language/placeholder.ts'
import type { RuleTest } from '../language/rule/filter.ts'
import type { RuleNode } from '../language/rule/rule.ts'
import type { Column } from './column.ts'

export type Scope =
  | { readonly is: 'rule'; readonly rule: RuleNode }
  | ScopeTest
  | { readonly is: 'any' | 'all'; readonly of: readonly Scope[] }
export interface ScopeTest {
  readonly is: 'test'
  readonly test: Exclude<RuleTest, 'oneOf'>
  readonly column: Column
  readonly value: GivenSource
  readonly index: number
}

export interface QueryArgument {
  readonly name: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** The default: null if optional, undefined if required. */
  readonly initial: unknown
}
