import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedCache } from './bounded-cache.ts'

test('the entry used least recently is evicted first', () => {
  const cache = createBoundedCache<number>(2, 1_000)
  cache.set('a', 1, 1)
  cache.set('b', 2, 1)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3, 1)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})

test('it is bounded by bytes, too', () => {
  const cache = createBoundedCache<number>(100, 10)
  cache.set('a', 1, 4)
  cache.set('b', 2, 4)
  cache.set('c', 3, 4)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 2, 3])
})

test('a value larger than the bound is not cached, and evicts nothing', () => {
  const cache = createBoundedCache<number>(100, 10)
  cache.set('a', 1, 10)
  cache.set('b', 2, 11)
  assert.deepEqual([cache.get('a'), cache.get('b')], [1, undefined])
})

test('an entry that is set again counts once', () => {
  const cache = createBoundedCache<number>(100, 10)
  for (let turn = 0; turn < 5; turn++) cache.set('a', turn, 6)
  cache.set('b', 9, 4)
  assert.deepEqual([cache.get('a'), cache.get('b')], [4, 9])
})

test('a deleted entry is gone, with its bytes', () => {
  const cache = createBoundedCache<number>(100, 10)
  cache.set('a', 1, 6)
  cache.delete('a')
  cache.delete('unknown')
  assert.equal(cache.get('a'), undefined)
  assert.deepEqual([cache.counts.entries, cache.counts.bytes], [0, 0])
})
