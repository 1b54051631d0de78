// Which records a query means: data, compiled once. Its rules are asked as any other; its tests compare fields with
// values that each request brings.

import type { Requester } from '../actor.ts'
import type { RuleNode } from '../language/rule.ts'
import { isTest, sourceOf } from './comparison.ts'
import { type Condition, fold } from './condition.ts'
import type { QueryModel, ResourceModel } from './model.ts'
import { argumentsOf, isGiven } from './placeholder.ts'
import type { Scope, ScopeTest } from './scope.ts'

/** A query in use: how its list is written depends on what was not sent. */
export interface QueryUse {
  readonly query: QueryModel
  /** The optional arguments without a value. */
  readonly missing: readonly string[]
}

/** The optional arguments that have no value. */
export const missingOf = ({ args }: QueryModel, values: Readonly<Record<string, unknown>>): readonly string[] =>
  args.filter(({ name }) => values[name] === null).map(({ name }) => name)

/** What is left of a scope for a class of actors. */
export type ScopeCondition =
  | { readonly is: 'condition'; readonly condition: Condition }
  | ScopeTest
  | { readonly is: 'any' | 'all'; readonly of: readonly ScopeCondition[] }

/** Compiles a query's `where`. `tests` gathers its tests, in the order of their values. */
export function compileScope(rule: RuleNode, resource: ResourceModel, tests: ScopeTest[]): Scope {
  if (rule.rule === 'anyOf' || rule.rule === 'allOf') {
    const of = rule.rules.map((each) => compileScope(each, resource, tests))
    return { is: rule.rule === 'anyOf' ? 'any' : 'all', of }
  }
  if (rule.rule !== 'when') return { is: 'rule', rule }
  const of = Object.entries(rule.values).map(([field, source]): Scope => {
    const comparison = testOf(source)
    if (comparison === null) return { is: 'rule', rule: { rule: 'when', values: { [field]: source } } }
    const test: ScopeTest = { is: 'test', column: resource.column.get(field)!, index: tests.length, ...comparison }
    tests.push(test)
    return test
  })
  return of.length === 1 ? of[0]! : { is: 'all', of }
}

/** What is said of one field and bound for each request; null for what rules say as well. */
export function testOf(expectation: unknown): Pick<ScopeTest, 'test' | 'value'> | null {
  const test = isTest(expectation) ? expectation.test : 'is'
  const value = sourceOf(isTest(expectation) ? expectation.on : expectation)
  if (!isGiven(value) || test === 'oneOf') return null
  return test === 'is' && value.from === 'constant' ? null : { test, value }
}

/** Null where nothing is asked: a test without its argument is left out, and what is left empty with it. */
export function scopeCondition(
  scope: Scope,
  missing: readonly string[],
  resource: ResourceModel,
  actor: Requester,
): ScopeCondition | null {
  switch (scope.is) {
    case 'rule':
      return { is: 'condition', condition: fold(scope.rule, resource, actor) }
    case 'test':
      return argumentsOf(scope.value).some((each) => missing.includes(each)) ? null : scope
    default: {
      const of = scope.of.map((each) => scopeCondition(each, missing, resource, actor)).filter((each) => each !== null)
      return of.length === 0 ? null : of.length === 1 ? of[0]! : { is: scope.is, of }
    }
  }
}
