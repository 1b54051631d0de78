import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusalThrottle } from './refusal-throttle.ts'

function open() {
  let now = 5_000
  const limits = { refusalsPerSecond: 100, refusalsAtOnce: 5, refusalHoldMs: 200 }
  const hold = createRefusalThrottle({ limits, now: () => now })
  return {
    holds: (count: number) => Array.from({ length: count }, hold),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a burst is sent at once, the rest at the rate', () => {
  const { holds } = open()
  assert.deepEqual(holds(8), [0, 0, 0, 0, 0, 10, 20, 30])
})

test('below the rate no refusal is held back', () => {
  const { holds, pass } = open()
  for (let count = 0; count < 1_000; count++) {
    assert.deepEqual(holds(1), [0])
    pass(10)
  }
})

test('no refusal is held back longer than the limit, and none once the burst is over', () => {
  const { holds, pass } = open()
  assert.equal(holds(10_000).at(-1), 200)
  pass(100)
  assert.deepEqual(holds(1), [110])
  pass(250)
  assert.deepEqual(holds(5), [0, 0, 0, 0, 0])
})
