import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedCache } from './bounded-cache.ts'

test('what was not asked for longest goes first', () => {
  const cache = createBoundedCache<number>(2, 1_000)
  cache.set('a', 1, 1)
  cache.set('b', 2, 1)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3, 1)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})

test('bytes bound it as well', () => {
  const cache = createBoundedCache<number>(100, 10)
  cache.set('a', 1, 4)
  cache.set('b', 2, 4)
  cache.set('c', 3, 4)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 2, 3])
})

test('what is larger than the bound is not kept, and drives nothing out', () => {
  const cache = createBoundedCache<number>(100, 10)
  cache.set('a', 1, 10)
  cache.set('b', 2, 11)
  assert.deepEqual([cache.get('a'), cache.get('b')], [1, undefined])
})

test('what is set again counts once', () => {
  const cache = createBoundedCache<number>(100, 10)
  for (let turn = 0; turn < 5; turn++) cache.set('a', turn, 6)
  cache.set('b', 9, 4)
  assert.deepEqual([cache.get('a'), cache.get('b')], [4, 9])
})
