// A sample of `npm run deliveries -- 100000`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresMissing } from '../support/server/databases.ts'
import { deliverThroughKills } from './deliveries.ts'

test('15.2.13 of three instances that are killed amid sending, others send again what one was sending', {
  skip: postgresMissing,
}, async () => {
  const { messages, duplicates, kills } = await deliverThroughKills(200, 3)
  assert.deepEqual([messages - duplicates, kills], [300, 3])
})
