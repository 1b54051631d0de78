// Describes comparisons for people.

import type { ValueSource } from '../../language/placeholder.ts'
import { isTest, sourceOf, type Test } from './comparison.ts'

export const testVerbs: Readonly<Record<Test, string>> = {
  is: 'is',
  atLeast: 'is at least',
  atMost: 'is at most',
  before: 'is before',
  after: 'is after',
  contains: 'contain',
}

/** Such as `is at least 5`, `is draft or published`. `nameOfMine` names fields of the account. */
export function comparisonSentence(
  expectation: unknown,
  nameOf: (field: string) => string,
  nameOfMine: (field: string) => string,
): string {
  const value = (source: ValueSource): string => {
    switch (source.from) {
      case 'field':
        return `its ${nameOf(source.name)}`
      case 'me':
        return `the caller's ${nameOfMine(source.name)}`
      case 'now':
        return momentSentence(source, (name) => name)
      case 'argument':
        return source.name
      case 'constant':
        return constantSentence(source.value)
    }
  }
  if (!isTest(expectation)) return `is ${value(sourceOf(expectation))}`
  if (expectation.test !== 'oneOf') return `${testVerbs[expectation.test]} ${value(sourceOf(expectation.on))}`
  return `is ${(expectation.on as readonly unknown[]).map((each) => value(sourceOf(each))).join(' or ')}`
}

/** `7 days before now`. */
export function momentSentence({ shifts, start }: RequestTime, argumentName: (name: string) => string): string {
  const phrases = shifts.map(({ unitMs, count }) => {
    const many = typeof count === 'number' ? count : argumentName(count.argument)
    return `${many} ${units.get(Math.abs(unitMs))!} ${unitMs < 0 ? 'before' : 'after'} `
  })
  const origin = start === undefined ? 'now' : `the start of the ${start.unit} in ${start.timeZone}`
  return `${phrases.join('and ')}${origin}`
}
type RequestTime = Extract<ValueSource, { from: 'now' }>
const units = new Map([
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
])

export function constantSentence(value: unknown): string {
  if (value === null) return 'not set'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && 'present' in value) return value.present ? 'set' : 'not set'
  return String(value)
}
