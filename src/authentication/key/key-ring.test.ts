// Which key signs and verifies when, across rotations and instances. (contract 5.2.2)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { defaultLimits } from '../../limits.ts'
import { privateJwk } from './jwk.ts'
import { fixedKeyRing, openKeyRing } from './key-ring.ts'
import { scheduleKeys } from './key-schedule.ts'
import type { KeyStorage, StoredKey } from './key-storage.ts'
import { generateSigningKey, type SigningKey, UnusableKey } from './signing-key.ts'

const start = new Date('2026-11-20T09:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const limits = defaultLimits

function createMemoryStorage(): KeyStorage & { readonly rows: Map<number, StoredKey> } {
  const rows = new Map<number, StoredKey>()
  return {
    rows,
    load: async () => [...rows.values()],
    add: async (key) => void (rows.has(key.sequence) || rows.set(key.sequence, key)),
    remove: async (kid) =>
      void [...rows.values()].filter((key) => key.kid === kid).map((key) => rows.delete(key.sequence)),
  }
}
const open = (storage = createMemoryStorage(), algorithm = 'ES256', now = start) =>
  openKeyRing({ algorithm, storage, limits }, now)

describe('the key ring', () => {
  it('makes one key on first start, which signs at once, and keeps it', async () => {
    const storage = createMemoryStorage()
    const ring = await open(storage)
    assert.equal(storage.rows.size, 1)
    const { kid } = ring.signingKey(start)
    assert.equal((await open(storage, 'ES256', at(1000))).signingKey(at(1000)).kid, kid)
    assert.deepEqual(
      ring.keySet(start).keys.map((jwk) => jwk.kid),
      [kid],
    )
  })

  it('makes exactly one key when a hundred instances start at once', async () => {
    const storage = createMemoryStorage()
    const rings = await Promise.all(Array.from({ length: 100 }, () => open(storage)))
    assert.equal(new Set(rings.map((ring) => ring.signingKey(start).kid)).size, 1)
    assert.equal(storage.rows.size, 1)
  })

  it('signs with a new key 300 s after it was published, and verifies with the old one until its tokens are gone', async () => {
    const ring = await open()
    const old = ring.signingKey(start).kid
    const kid = await ring.rotate(at(1000))
    assert.notEqual(kid, old)
    assert.deepEqual(
      ring.keySet(at(1000)).keys.map((jwk) => jwk.kid),
      [old, kid],
    )
    assert.equal(ring.signingKey(at(1299.999)).kid, old)
    assert.equal(ring.signingKey(at(1300)).kid, kid)
    const lastExpiry = 1300 + limits.accessTokenSeconds
    assert.equal(ring.verifyingKey(old, at(lastExpiry))?.kid, old)
    const gone = at(lastExpiry + limits.clockSkewSeconds)
    assert.equal(ring.verifyingKey(old, gone), null)
    assert.deepEqual(
      ring.keySet(gone).keys.map((jwk) => jwk.kid),
      [kid],
    )
  })

  it('lets another instance learn of a key before it signs', async () => {
    const storage = createMemoryStorage()
    const [one, other] = [await open(storage), await open(storage)]
    const kid = await one.rotate(at(10))
    await other.reload(at(60))
    assert.equal(other.verifyingKey(kid, at(61))?.kid, kid)
    assert.equal(other.signingKey(at(310)).kid, one.signingKey(at(310)).kid)
  })

  it('rotates once when called twice while a key is waiting, also by two instances at once', async () => {
    const storage = createMemoryStorage()
    const [one, other] = [await open(storage), await open(storage)]
    const [kid, same] = await Promise.all([one.rotate(at(10)), other.rotate(at(10))])
    assert.equal(kid, same)
    assert.equal(await one.rotate(at(200)), kid)
    assert.equal(storage.rows.size, 2)
  })

  it('drops keys whose tokens are gone at the next rotation', async () => {
    const storage = createMemoryStorage()
    const ring = await open(storage)
    for (const seconds of [0, 10_000, 20_000]) await ring.rotate(at(seconds))
    assert.equal(storage.rows.size, 2)
  })

  it('keeps the objects of keys it has, and refuses a removed key at once', async () => {
    const ring = await open()
    const old = ring.signingKey(start)
    const kid = await ring.rotate(start)
    assert.equal(ring.verifyingKey(old.kid, start), old)
    await ring.remove(old.kid, at(1))
    assert.equal(ring.verifyingKey(old.kid, at(1)), null)
    assert.equal(ring.signingKey(at(1)).kid, kid)
    await ring.remove(kid, at(2))
    assert.ok(![old.kid, kid].includes(ring.signingKey(at(2)).kid))
  })

  it('takes a token without kid only while one key verifies', async () => {
    const ring = await open()
    assert.equal(ring.verifyingKey(null, start), ring.signingKey(start))
    await ring.rotate(start)
    assert.equal(ring.verifyingKey(null, start), null)
  })

  for (const kid of ['../../dev/null', "' OR 1=1--", '__proto__', 'constructor', '']) {
    it(`does not know the key ${JSON.stringify(kid)}`, async () => {
      assert.equal((await open()).verifyingKey(kid, start), null)
    })
  }

  it('makes a key of its own when the algorithm was changed, and publishes only that', async () => {
    const storage = createMemoryStorage()
    const old = (await open(storage)).signingKey(start).kid
    const ring = await open(storage, 'RS256', at(1))
    assert.equal(ring.signingKey(at(1)).algorithm, 'RS256')
    assert.equal(ring.verifyingKey(old, at(1)), null)
    assert.deepEqual(
      ring.keySet(at(1)).keys.map((jwk) => jwk.alg),
      ['RS256'],
    )
  })

  it('publishes nothing with HS256 and keeps nothing in the database', async () => {
    const storage = createMemoryStorage()
    const ring = await openKeyRing({ algorithm: 'HS256', secret: 's'.repeat(32), storage, limits }, start)
    assert.deepEqual(ring.keySet(start), { keys: [] })
    assert.equal(storage.rows.size, 0)
    await assert.rejects(ring.rotate(start), UnusableKey)
  })

  it('uses the keys it is given: the first signs, all verify', async () => {
    const [first, second] = await Promise.all([generateSigningKey('ES256'), generateSigningKey('ES256')])
    const ring = fixedKeyRing([first, second])
    assert.equal(ring.signingKey(start).kid, first.kid)
    assert.equal(ring.verifyingKey(second.kid, start)?.kid, second.kid)
    assert.equal(ring.verifyingKey(null, start), null)
  })
})

describe('the start is refused', () => {
  const storage = createMemoryStorage()
  const refusals: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    [
      'for an unknown algorithm',
      () => open(storage, 'none'),
      /^JWT_ALGORITHM must be one of ES256, RS256, HS256; it is "none"\.$/,
    ],
    ['for HS256 without a secret', () => open(storage, 'HS256'), /^JWT_SECRET must be set/],
    [
      'for a short secret',
      () => openKeyRing({ algorithm: 'HS256', secret: 'short', storage, limits }, start),
      /^JWT_SECRET must be at least 32/,
    ],
    ['for an empty list of keys', async () => fixedKeyRing([]), /At least one/],
  ]
  for (const [when, attempt, sentence] of refusals) {
    it(when, () => assert.rejects(attempt, (error) => error instanceof UnusableKey && sentence.test(error.message)))
  }

  it('for two keys of one kid', async () => {
    const signing = await generateSigningKey('ES256')
    const row = { kid: signing.kid, algorithm: 'ES256', jwk: JSON.stringify(privateJwk(signing)), publishedAt: start }
    const twice = createMemoryStorage()
    for (const sequence of [1, 2]) await twice.add({ ...row, sequence })
    await assert.rejects(open(twice), /the same "kid"/)
  })

  it('for a stored key that is damaged, without quoting it', async () => {
    const damaged = createMemoryStorage()
    await damaged.add({ sequence: 1, kid: 'k', algorithm: 'ES256', jwk: '{"kty":"EC","d":"hush"', publishedAt: start })
    await assert.rejects(open(damaged), (error: Error) => {
      assert.equal(error.message, 'The stored signing key "k" cannot be used.')
      return !inspect(error).includes('hush')
    })
  })
})

const key = await generateSigningKey('ES256')

describe('the schedule of any history of rotations', () => {
  const keyWithKid = (kid: string): SigningKey => ({ ...key, kid })
  const waitMs = limits.jwksMaxAgeSeconds * 1000

  it('signs with a key that was published long enough, and verifies each token while it lives', () => {
    const history = fc.array(fc.integer({ min: 0, max: 4_000_000 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        history,
        fc.integer({ min: 0, max: 5_000_000 }),
        fc.integer({ min: 0, max: 899_999 }),
        (gaps, signedMs, ageMs) => {
          const dated = gaps.map((_, index) => ({
            key: keyWithKid(`key-${index}`),
            sequence: index + 1,
            publishedAt: new Date(start.getTime() + gaps.slice(0, index + 1).reduce((left, right) => left + right)),
          }))
          const schedule = scheduleKeys(dated.toReversed(), limits)
          const signedAt = new Date(start.getTime() + signedMs)
          const { kid } = schedule.signing(signedAt).key
          const published = dated.find((other) => other.key.kid === kid)?.publishedAt ?? signedAt
          assert.ok(kid === 'key-0' || signedAt.getTime() >= published.getTime() + waitMs)
          assert.equal(schedule.find(kid, new Date(signedAt.getTime() + ageMs))?.kid, kid)
        },
      ),
    )
  })
})
