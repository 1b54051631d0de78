// Moves of the clock that are added, changed or removed: each is reported, and none breaks a client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from './change.ts'
import { compareClock } from './compare-clock.ts'
import type { Contract } from './snapshot.ts'

const differences = (before: Contract['clock'], after: Contract['clock']): readonly string[] => {
  const changes: Change[] = []
  compareClock(before, after, (change) => void changes.push(change))
  return changes.map(({ verdict, where, what }) => `${verdict} ${where}: ${what}`)
}
const expire = { 'Order.expire': 'at createdAt plus 1 day, from status pending, to cancelled' }
const sooner = { 'Order.expire': 'at createdAt plus 1 hour, from status pending, to cancelled' }

test('9.3.1 a move of the clock that is added, changed or removed is reported, and passes', () => {
  assert.deepEqual(differences(expire, expire), [])
  assert.deepEqual(differences(undefined, expire), [
    'dangerous clock Order.expire: The clock makes it at createdAt plus 1 day, from status pending, to cancelled.',
  ])
  assert.deepEqual(differences(expire, {}), ['dangerous clock Order.expire: The clock does not make it any more.'])
  assert.match(differences(expire, sooner).join(), /^dangerous .* plus 1 hour, .*, before at createdAt plus 1 day/)
})
