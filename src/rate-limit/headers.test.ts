import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TakeResult } from './counter.ts'
import { rateLimitHeaders } from './headers.ts'

const address = { name: 'address', limit: 100, windowSeconds: 60 }
const user = { name: 'user', limit: 1000, windowSeconds: 3600 }
const makeResult = (differing: Partial<TakeResult>): TakeResult => ({
  bucket: address,
  allowed: true,
  remaining: 50,
  resetAt: 1_763_631_060,
  retryAfterSeconds: 60,
  ...differing,
})
const describe = (limit: number, remaining: number, reset: number) => ({
  'X-RateLimit-Limit': `${limit}`,
  'X-RateLimit-Remaining': `${remaining}`,
  'X-RateLimit-Reset': `${reset}`,
})

test('no bucket met, no headers (contract 4.10.1)', () => {
  assert.deepEqual(rateLimitHeaders([]), {})
})

test('8.3.1 the bucket with the fewest remaining is described, wherever it stands', () => {
  const fewer = makeResult({ bucket: user, remaining: 49, resetAt: 1_763_634_000 })
  assert.deepEqual(rateLimitHeaders([makeResult({}), fewer]), describe(1000, 49, 1_763_634_000))
  assert.deepEqual(rateLimitHeaders([fewer, makeResult({})]), describe(1000, 49, 1_763_634_000))
})

test('8.3.1 at equal remaining the later reset is described, wherever it stands', () => {
  const later = makeResult({ bucket: user, resetAt: 1_763_631_061 })
  assert.deepEqual(rateLimitHeaders([makeResult({}), later]), describe(1000, 50, 1_763_631_061))
  assert.deepEqual(rateLimitHeaders([later, makeResult({})]), describe(1000, 50, 1_763_631_061))
})

test('8.3.1, 4.10.9 a refusal is described, also when another bucket has fewer left, with Retry-After', () => {
  const empty = makeResult({ remaining: 0, resetAt: 1_763_639_999 })
  const refused = makeResult({
    bucket: user,
    allowed: false,
    remaining: 3,
    resetAt: 1_763_634_000,
    retryAfterSeconds: 17,
  })
  assert.deepEqual(rateLimitHeaders([empty, refused]), { ...describe(1000, 3, 1_763_634_000), 'Retry-After': '17' })
})

test('what remains is a whole number, however large', () => {
  for (const remaining of [0, 7, 999, 1000, 1001, 20_050, 999_999, 1_000_000, 999_999_999]) {
    assert.equal(rateLimitHeaders([makeResult({ remaining })])['X-RateLimit-Remaining'], `${remaining}`)
  }
})
