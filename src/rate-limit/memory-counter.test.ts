import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldBytes } from '../../test/support/check/heap.ts'
import type { Bucket } from './counter.ts'
import { createMemoryCounter, type MemoryCounter } from './memory-counter.ts'

const start = Date.parse('2026-11-20T09:30:00.250Z')
const at = (ms: number) => new Date(start + ms)
const perMinute = (limit: number, name = 'address'): Bucket => ({ name, limit, windowSeconds: 60 })

function takeOne(counter: MemoryCounter, bucket: Bucket, subject: string, ms = 0, count = 1) {
  return counter.take([{ bucket, subject }], count, at(ms))[0]!
}

test('counts up to the limit and not beyond (contract 8.1.1)', () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(3)
  const rows = [
    { allowed: true, remaining: 2 },
    { allowed: true, remaining: 1 },
    { allowed: true, remaining: 0 },
    { allowed: false, remaining: 0 },
    { allowed: false, remaining: 0 },
  ]
  for (const row of rows) {
    const { allowed, remaining } = takeOne(counter, bucket, 'a')
    assert.deepEqual({ allowed, remaining }, row)
  }
  assert.equal(takeOne(counter, bucket, 'b').remaining, 2, 'another subject has a window of its own')
})

test('8.3.2 a window begins with the first request, not with the minute, and ends exactly a minute later', () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(1)
  const first = takeOne(counter, bucket, 'a')
  assert.equal(first.resetAt, Math.ceil((start + 60_000) / 1000))
  assert.equal(first.retryAfterSeconds, 60)
  assert.deepEqual(takeOne(counter, bucket, 'a', 1), { ...first, allowed: false })
  assert.equal(takeOne(counter, bucket, 'a', 59_000).retryAfterSeconds, 1)
  const last = takeOne(counter, bucket, 'a', 59_999)
  assert.deepEqual(last, { ...first, allowed: false, retryAfterSeconds: 1 })
  const next = takeOne(counter, bucket, 'a', 60_000)
  assert.equal(next.allowed, true)
  assert.equal(next.resetAt, first.resetAt + 60)
})

test('a refused request does not move the window or grow its count', () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(4)
  takeOne(counter, bucket, 'a', 0, 2)
  const refused = takeOne(counter, bucket, 'a', 10, 3)
  assert.equal(refused.allowed, false)
  assert.equal(refused.remaining, 2)
  assert.equal(takeOne(counter, bucket, 'a', 20, 2).allowed, true)
  assert.equal(takeOne(counter, bucket, 'b', 0, 5).allowed, false)
  assert.equal(takeOne(counter, bucket, 'b', 0, 4).allowed, true, 'a refusal begins no window')
})

test('8.3.2 later windows do not count what an earlier one refused', () => {
  const counter = createMemoryCounter()
  const windowKeys = [
    { bucket: perMinute(1), subject: 'a' },
    { bucket: perMinute(5, 'login'), subject: 'a' },
  ]
  assert.deepEqual(
    counter.take(windowKeys, 1, at(0)).map((result) => result.allowed),
    [true, true],
  )
  assert.deepEqual(
    counter.take(windowKeys, 1, at(0)).map((result) => result.allowed),
    [false],
  )
  assert.equal(counter.take(windowKeys.slice(1), 1, at(0))[0]!.remaining, 3)
})

test('a clock that was set back locks no client out', () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(1)
  takeOne(counter, bucket, 'a')
  const slightly = takeOne(counter, bucket, 'a', -1)
  assert.equal(slightly.allowed, false, 'requests that overtake each other share the window')
  assert.equal(slightly.retryAfterSeconds, 60)
  const anHour = takeOne(counter, bucket, 'a', -3_600_000)
  assert.equal(anHour.allowed, true)
})

test('a million subjects leave no more windows than the bound', () => {
  const counter = createMemoryCounter({ windowsMax: 20_000 })
  const bucket = perMinute(10)
  const bytes = heldBytes(() => {
    for (let index = 0; index < 1_000_000; index++) takeOne(counter, bucket, `2001:db8:${index}::/64`)
  })
  assert.equal(counter.windows, 20_000)
  assert.ok(bytes < 8_000_000, `${bytes} bytes for 20,000 windows`)
  assert.equal(takeOne(counter, bucket, '2001:db8:999999::/64').remaining, 8, 'the newest are kept')
  assert.equal(takeOne(counter, bucket, '2001:db8:0::/64').remaining, 9, 'the oldest are forgotten')
})

test('a flood in one bucket pushes nothing out of another', () => {
  const counter = createMemoryCounter({ windowsMax: 100 })
  const user = { name: 'user', limit: 1000, windowSeconds: 3600 }
  takeOne(counter, user, 'usr_1')
  for (let index = 0; index < 1000; index++) takeOne(counter, perMinute(10), `${index}`)
  assert.equal(takeOne(counter, user, 'usr_1').remaining, 998)
})

test('ended windows are swept as new ones begin', () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(10)
  for (let index = 0; index < 1000; index++) takeOne(counter, bucket, `old ${index}`)
  for (let index = 0; index < 500; index++) takeOne(counter, bucket, `new ${index}`, 60_000)
  assert.equal(counter.windows, 500)
  assert.equal(takeOne(counter, bucket, 'new 0', 60_001).remaining, 8, 'sweeping took only what had ended')
})

test('sweeping an ended window leaves alone what its subject began since', () => {
  const counter = createMemoryCounter({ windowsMax: 100 })
  const bucket = perMinute(10)
  const subjects = Array.from({ length: 80 }, (_, index) => `${index}`)
  // Backwards, so that subjects begin again before the sweep comes to what they began first.
  for (let minute = 0; minute < 20; minute++) {
    for (const subject of subjects.toReversed()) takeOne(counter, bucket, subject, minute * 60_000)
    for (const subject of subjects) assert.equal(takeOne(counter, bucket, subject, minute * 60_000).remaining, 8)
    subjects.reverse()
  }
  assert.ok(counter.windows <= 100)
})

test('8.3.5 of N+1 simultaneous requests exactly one is refused', async () => {
  const counter = createMemoryCounter()
  const bucket = perMinute(100)
  const answers = await Promise.all(Array.from({ length: 101 }, async () => takeOne(counter, bucket, 'a')))
  assert.equal(answers.filter((result) => !result.allowed).length, 1)
})
