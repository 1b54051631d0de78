import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOrInsert } from './get-or-insert.ts'

test('a value is made once for each key, of that key', () => {
  const map = new Map([['a', 'there']])
  const keys: string[] = []
  const make = (key: string) => {
    keys.push(key)
    return `made of ${key}`
  }
  for (const key of ['a', 'b', 'b']) getOrInsert(map, key, make)
  assert.deepEqual(keys, ['b'])
  assert.deepEqual(Object.fromEntries(map), { a: 'there', b: 'made of b' })
})

test('null is a value', () => {
  assert.equal(getOrInsert(new Map<string, string | null>([['a', null]]), 'a', assert.fail), null)
})
