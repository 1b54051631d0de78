import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Detail } from '../../failure/failure.ts'
import { readQuery } from './query.ts'

const rows: readonly (readonly [query: string, parameters: Record<string, string>, problems: readonly string[]])[] = [
  ['', {}, []],
  ['a=1&b=2', { a: '1', b: '2' }, []],
  ['&a=1&&b=2&', { a: '1', b: '2' }, []],
  ['a=b=c', { a: 'b=c' }, []],
  ['a', { a: '' }, []],
  ['a=', { a: '' }, []],
  ['=1', { '': '1' }, []],
  ['a=x+y%2Bz%20', { a: 'x y+z ' }, []],
  ['%61=1', { a: '1' }, []],
  ['a=%C3%A9%F0%9F%98%80', { a: 'é😀' }, []],
  ['a=1&a=2&b=3', { b: '3' }, ['a Is given twice.']],
  ['a=1&%61=1&a=1', {}, ['a Is given twice.']],
  ['a=%zz', {}, ['a Is not percent-encoded UTF-8.']],
  ['a=x%00', {}, ['a Must not contain NUL.']],
  ['a=%C3', {}, ['a Is not percent-encoded UTF-8.']],
  ['a=%ED%A0%80', {}, ['a Is not percent-encoded UTF-8.']],
  ['a=%C0%AF', {}, ['a Is not percent-encoded UTF-8.']],
  ['%C3=1', {}, ['%C3=1 Is not percent-encoded UTF-8.']],
  ['__proto__=1', { ['__proto__']: '1' }, []],
]
for (const [query, parameters, expected] of rows) {
  test(`reads ?${query}`, () => {
    const problems: Detail[] = []
    assert.deepEqual([...readQuery(query, problems)], Object.entries(parameters))
    assert.deepEqual(
      problems.map(({ field, message }) => `${field} ${message}`),
      expected,
    )
  })
}
