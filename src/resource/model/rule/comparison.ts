// Parses what `when` expects of a field into tests.

import { Placeholder, type RequestMoment, shiftMsOf, type ValueSource } from '../../language/placeholder.ts'
import type { RuleTest } from '../../language/rule/filter.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import type { Column } from '../column.ts'
import type { AccountModel, ResourceModel, SearchDocument } from '../model.ts'

export type Test = Exclude<RuleTest, 'oneOf'>
export interface Comparison {
  readonly test: Test
  readonly source: ValueSource
}

export type Operand =
  | { readonly from: 'constant'; readonly value: unknown }
  /** In whole seconds. */
  | ({ readonly from: 'now' } & RequestMoment)
  | { readonly from: 'field'; readonly column: Column }
  | { readonly from: 'me'; readonly column: Column; readonly account: AccountModel }
  /**
   * `table` holds what is needed to find elements, or is null. `parts`: what an index finds for the next value is a superset of the
   * matches.
   */
  | { readonly from: 'bound'; readonly index: number; readonly table: string | null; readonly parts?: SearchDocument }

/** Alternatives: one per value of `oneOf`. */
export function testsOf(expectation: unknown): readonly Comparison[] {
  if (!isTest(expectation)) return [{ test: 'is', source: sourceOf(expectation) }]
  if (expectation.test !== 'oneOf') return [{ test: expectation.test, source: sourceOf(expectation.on) }]
  return (expectation.on as readonly unknown[]).map((each) => ({ test: 'is', source: sourceOf(each) }))
}

/** The fields of the record that a rule reads. */
export const fieldsRead = (rule: RuleNode): readonly string[] =>
  [...within(rule)].flatMap((each) => {
    if (each.rule === 'through') return [each.relation]
    if (each.rule !== 'when') return []
    const sources = Object.values(each.values)
      .flatMap(testsOf)
      .map(({ source }) => source)
    return [...Object.keys(each.values), ...sources.flatMap((source) => (source.from === 'field' ? [source.name] : []))]
  })

export const isAboutNow = (expectation: unknown): boolean =>
  testsOf(expectation).some(({ source }) => source.from === 'now')

export const isAboutMe = (expectation: unknown): boolean =>
  testsOf(expectation).some(({ source }) => source.from === 'me')

export const isTest = (expectation: unknown): expectation is { readonly test: RuleTest; readonly on: unknown } =>
  typeof expectation === 'object' && expectation !== null && 'test' in expectation && 'on' in expectation

export const sourceOf = (on: unknown): ValueSource =>
  on instanceof Placeholder ? on.source : { from: 'constant', value: on }

export function operandOf(source: ValueSource, resource: ResourceModel): Operand {
  switch (source.from) {
    case 'constant':
      return source
    case 'now':
      return {
        from: 'now',
        shiftMs: shiftMsOf(source.shifts),
        ...(source.start === undefined ? {} : { start: source.start }),
      }
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
