// Who gets a slot: half for receivers that have not answered well, a share for each owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LaneSlots } from './lane-slots.ts'

const limits = { webhooksAtOnce: 10, webhookOwnerAtOnce: 4 }
const owned = (ownerId: string, isProven: boolean) => ({ ownerId, isProven })

test('15.2.8 receivers that hang leave half of all slots to those that answer', () => {
  const slots = new LaneSlots(limits)
  for (const each of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) slots.take(owned(each, false), 1)
  assert.deepEqual([slots.used, slots.free(false), slots.free(true)], [5, 0, 5])
  assert.equal(slots.take(owned('h', true), 4), 4)
  assert.equal(slots.take(owned('i', true), 4), 1)
  assert.deepEqual([slots.used, slots.free(true)], [10, 0])
})

test('15.2.8 an owner has a share, whichever receivers it has', () => {
  const slots = new LaneSlots(limits)
  assert.equal(slots.take(owned('a', true), 3), 3)
  assert.equal(slots.take(owned('a', false), 3), 1)
  assert.deepEqual(slots.busyOwnerIds(), ['a'])
  slots.give(owned('a', true), 3)
  slots.give(owned('a', false), 1)
  assert.deepEqual([slots.busyOwnerIds(), slots.used], [[], 0])
})
