// Which records a list with a name of its own has, and what it is asked with.

import type { FieldKind, SpecBase } from '../field/field.ts'
import type { RuleTest } from '../language/filter.ts'
import type { RuleNode } from '../language/rule.ts'
import type { Column } from './column.ts'
import type { GivenSource } from './placeholder.ts'

/** Which records: rules, and tests that compare a field with what a request brings. */
export type Scope =
  | { readonly is: 'rule'; readonly rule: RuleNode }
  | ScopeTest
  | { readonly is: 'any' | 'all'; readonly of: readonly Scope[] }
export interface ScopeTest {
  readonly is: 'test'
  readonly test: Exclude<RuleTest, 'oneOf'>
  readonly column: Column
  readonly value: GivenSource
  /** Which of the scope's values it compares with. */
  readonly index: number
}

export interface QueryArgument {
  readonly name: string
  readonly spec: SpecBase
  readonly kind: FieldKind
  /** Where a client sends nothing: null for optional ones, undefined where it must send something. */
  readonly initial: unknown
}
