// The pauses between attempts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneRetry, nextAttempt } from './schedule.ts'

const start = new Date(0)
const seconds = (date: Date | null) => (date === null ? null : date.getTime() / 1000)

test('15.2.6 the first retry comes after 5 seconds, the last within three days of the first attempt', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) => seconds(nextAttempt(failures, 0, start))!)
  assert.equal(pauses[0], 5)
  assert.deepEqual(
    pauses.toSorted((one, other) => one - other),
    pauses,
  )
  const total = pauses.reduce((sum, each) => sum + each, 0)
  assert(total > 2.9 * 86_400 && total < 3 * 86_400, `${total}`)
  assert.equal(nextAttempt(10, 0, start), null)
  assert(seconds(nextAttempt(1, 0.999, start))! <= 5.5)
})

test('15.2.8 a webhook that fails is tried less and less often, but each hour', () => {
  const limits = { webhookRetryMaxMs: 3_600_000 }
  const pauses = [1, 2, 3, 1_000].map((failures) => seconds(laneRetry(failures, 0, start, limits)))
  assert.deepEqual(pauses, [5, 10, 20, 3_600])
})
