import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../limits.ts'
import { backoffMs } from './backoff.ts'

test('the backoff doubles up to the longest, and never ends for all together', () => {
  const pauses = (random: number) => [1, 2, 3, 12, 13, 100].map((attempt) => backoffMs(attempt, random, defaultLimits))
  assert.deepEqual(pauses(0), [500, 1_000, 2_000, 1_024_000, 1_800_000, 1_800_000])
  assert.deepEqual(pauses(1), [1_000, 2_000, 4_000, 2_048_000, 3_600_000, 3_600_000])
})
