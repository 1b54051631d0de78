import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './refusal-throttle.ts'

function open() {
  let now = 5_000
  const limits = { refusalsPerSecond: 100, refusalsAtOnce: 5, refusalHoldMs: 200 }
  const hold = createPace({ limits, now: () => now })
  return {
    holds: (count: number) => Array.from({ length: count }, hold),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a few are told at once, the others one after the other', () => {
  const { holds } = open()
  assert.deepEqual(holds(8), [0, 0, 0, 0, 0, 10, 20, 30])
})

test('as many as go in a second wait for nothing, however long', () => {
  const { holds, pass } = open()
  for (let count = 0; count < 1_000; count++) {
    assert.deepEqual(holds(1), [0])
    pass(10)
  }
})

test('nobody waits longer than the longest, and once it is over nobody waits', () => {
  const { holds, pass } = open()
  assert.equal(holds(10_000).at(-1), 200)
  pass(100)
  assert.deepEqual(holds(1), [110])
  pass(250)
  assert.deepEqual(holds(5), [0, 0, 0, 0, 0])
})
