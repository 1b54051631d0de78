import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Batching } from '../store.ts'
import { Pace } from './pace.ts'

const batching = (isUneven: boolean, kind: string): Batching => ({
  kind,
  isUneven,
  key: (values) => values,
  maxSize: (count) => count,
  combine: () => assert.fail(),
  split: () => assert.fail(),
})
const search = batching(true, 'search')
const list = batching(false, 'list')

test('what is slow on average is slow, until it is quick again', () => {
  const pace = new Pace()
  const add = (ms: number, count: number, times: number) => {
    for (let time = 0; time < times; time++) pace.add(search, ms, count)
  }
  add(8, 8, 20)
  assert.equal(pace.isSlow(search), false)
  add(40, 1, 1)
  assert.equal(pace.isSlow(search), false, 'one of them makes no average')
  add(40, 1, 5)
  assert.equal(pace.isSlow(search), true)
  assert.equal(pace.isSlow(batching(true, 'another search')), false)
  add(1, 1, 50)
  assert.equal(pace.isSlow(search), false)
})

test('what failed when it was combined is slow for some dozens', () => {
  const pace = new Pace()
  pace.fail(search)
  let alone = 0
  for (; pace.isSlow(search); alone++) pace.add(search, 0.1, 1)
  assert.ok(alone > 24 && alone < 100, String(alone))
})

test('lists that take the same time whatever their values are never are', () => {
  const pace = new Pace()
  for (let time = 0; time < 50; time++) pace.add(list, 1_000, 1)
  pace.fail(list)
  assert.equal(pace.isSlow(list), false)
})
