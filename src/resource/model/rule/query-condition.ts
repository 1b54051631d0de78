// Compiles a query's `where` to rules and to tests whose values each request brings.

import type { Requester } from '../../actor.ts'
import { argumentsOf, isGiven } from '../../language/placeholder.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import type { QueryModel, ResourceModel } from '../model.ts'
import type { Scope, ScopeTest } from '../scope.ts'
import { isTest, sourceOf } from './comparison.ts'
import { type Condition, fold } from './condition.ts'

export interface QueryUse {
  readonly query: QueryModel
  readonly missing: readonly string[]
}

export const missingOf = ({ args }: QueryModel, values: Readonly<Record<string, unknown>>): readonly string[] =>
  args.filter(({ name }) => values[name] === null).map(({ name }) => name)

/** A scope, reduced for a class of actors. */
export type ScopeCondition =
  | { readonly is: 'condition'; readonly condition: Condition }
  | ScopeTest
  | { readonly is: 'any' | 'all'; readonly of: readonly ScopeCondition[] }

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

/** The part of a test that depends on the request; null if a rule can express it. */
export function testOf(expectation: unknown): Pick<ScopeTest, 'test' | 'value'> | null {
  const test = isTest(expectation) ? expectation.test : 'is'
  const value = sourceOf(isTest(expectation) ? expectation.on : expectation)
  if (!isGiven(value) || test === 'oneOf') return null
  return test === 'is' && value.from === 'constant' ? null : { test, value }
}

/** Null if nothing remains without the missing arguments. */
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
