import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize, memoizePair } from './memoize.ts'

test('a fact about an object is found once', () => {
  let found = 0
  const factOf = memoize(({ name }: { name: string }) => `${name} ${++found}`)
  const [one, other] = [{ name: 'one' }, { name: 'other' }]
  assert.deepEqual([factOf(one), factOf(other), factOf(one)], ['one 1', 'other 2', 'one 1'])
})

test('null is a fact', () => {
  let found = 0
  const factOf = memoize((_: object) => {
    found++
    return null
  })
  const one = {}
  factOf(one)
  factOf(one)
  assert.equal(found, 1)
})

test('a fact about two objects is found once in each order', () => {
  let found = 0
  const factOf = memoizePair((_one: object, _other: object) => ++found)
  const [one, other] = [{}, {}]
  assert.deepEqual([factOf(one, other), factOf(other, one), factOf(one, other), factOf(one, one)], [1, 2, 1, 3])
})
