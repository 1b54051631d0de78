// Whether an answer holds what a row expects: members that are not named do not matter, all others are exact.

import { inspect, isDeepStrictEqual } from 'node:util'

/** Where and how `actual` differs from `expected`; null where it fits. `undefined` means: is not there. */
export function difference(actual: unknown, expected: unknown, path = ''): string | null {
  if (expected instanceof RegExp) {
    return typeof actual === 'string' && expected.test(actual) ? null : differs(path, actual, expected)
  }
  if (typeof expected === 'function') return expected(actual) === true ? null : differs(path, actual, expected)
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return differs(path, actual, expected)
    return first(expected.map((each, index) => () => difference(actual[index], each, `${path}[${index}]`)))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return differs(path, actual, expected)
    const members = actual as Readonly<Record<string, unknown>>
    return first(
      Object.entries(expected).map(([name, each]) => () => {
        const at = path === '' ? name : `${path}.${name}`
        if (each === undefined) return Object.hasOwn(members, name) ? `${at} is there` : null
        return Object.hasOwn(members, name) ? difference(members[name], each, at) : `${at} is missing`
      }),
    )
  }
  return isDeepStrictEqual(actual, expected) ? null : differs(path, actual, expected)
}

function first(tests: readonly (() => string | null)[]): string | null {
  for (const test of tests) {
    const found = test()
    if (found !== null) return found
  }
  return null
}

const differs = (path: string, actual: unknown, expected: unknown): string =>
  `${path === '' ? 'the whole' : path} is ${short(actual)}, not ${typeof expected === 'function' ? `what ${expected} asks` : short(expected)}`
const short = (value: unknown): string => inspect(value, { depth: 4, breakLength: 120 }).slice(0, 600)
