// What `when` says of one field, read once: tests, and what the field is compared with.

import type { RuleTest } from '../language/filter.ts'
import type { Column } from './column.ts'
import type { AccountModel, ResourceModel } from './model.ts'
import { Placeholder, shiftMsOf, type ValueSource } from './placeholder.ts'

export type Test = Exclude<RuleTest, 'oneOf'>
export interface Comparison {
  readonly test: Test
  readonly source: ValueSource
}

/** What a field is compared with, as the database is asked. */
export type Operand =
  | { readonly from: 'constant'; readonly value: unknown }
  /** So long after the moment of the request, in whole seconds. */
  | { readonly from: 'now'; readonly shiftMs: number }
  /** Another column of the record. */
  | { readonly from: 'field'; readonly column: Column }
  /** A column of the actor's account. */
  | { readonly from: 'me'; readonly column: Column; readonly account: AccountModel }
  /** What a request brings: values that lie at this index. The table keeps what it needs to find elements; null where none does. */
  | { readonly from: 'bound'; readonly index: number; readonly table: string | null }

/** The tests of which one must hold: one for each that `oneOf` names, otherwise one. */
export function testsOf(expectation: unknown): readonly Comparison[] {
  if (!isTest(expectation)) return [{ test: 'is', source: sourceOf(expectation) }]
  if (expectation.test !== 'oneOf') return [{ test: expectation.test, source: sourceOf(expectation.on) }]
  return (expectation.on as readonly unknown[]).map((each) => ({ test: 'is', source: sourceOf(each) }))
}

/** Whether what is said of a field depends on the moment of a request. */
export const isAboutNow = (expectation: unknown): boolean =>
  testsOf(expectation).some(({ source }) => source.from === 'now')

/** Whether it depends on who asks. */
export const isAboutMe = (expectation: unknown): boolean =>
  testsOf(expectation).some(({ source }) => source.from === 'me')

/** Whether a test is said, and not a value. */
export const isTest = (expectation: unknown): expectation is { readonly test: RuleTest; readonly on: unknown } =>
  typeof expectation === 'object' && expectation !== null && 'test' in expectation && 'on' in expectation

export const sourceOf = (on: unknown): ValueSource =>
  on instanceof Placeholder ? on.source : { from: 'constant', value: on }

export function operandOf(source: ValueSource, resource: ResourceModel): Operand {
  switch (source.from) {
    case 'constant':
      return source
    case 'now':
      return { from: 'now', shiftMs: shiftMsOf(source.shifts) }
    case 'field':
      return { from: 'field', column: resource.column.get(source.name)! }
    case 'me': {
      const { account } = resource
      return { from: 'me', column: account.resource.column.get(source.name)!, account }
    }
    case 'argument':
      throw new Error(`A rule has no argument ${source.name}.`)
  }
}
