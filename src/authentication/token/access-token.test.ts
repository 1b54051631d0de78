// Access tokens as a whole: jose agrees with us, keys rotate under them, and what was verified can be refused. (contract 5.1, 5.2)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { forgeToken, readPart } from '../../../test/support/client/forged-token.ts'
import { Failure } from '../../failure/failure.ts'
import { readJson } from '../../json/read-json.ts'
import { defaultLimits } from '../../limits.ts'
import { privateJwk } from '../key/jwk.ts'
import { fixedKeyRing, type KeyRing, openKeyRing } from '../key/key-ring.ts'
import type { StoredKey } from '../key/key-storage.ts'
import { algorithms, generateSigningKey, type SigningKey, secretSigningKey } from '../key/signing-key.ts'
import { createAccessTokens } from './access-token.ts'
import { createDenylist } from './denylist.ts'

const start = new Date('2026-11-20T09:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const issuer = 'https://api.example.com'
const grant = { subject: 'usr_1', role: 'EDITOR', sessionId: 'ses_1', epoch: 1 }
const keysByAlgorithm: Readonly<Record<string, SigningKey>> = {
  ES256: await generateSigningKey('ES256'),
  RS256: await generateSigningKey('RS256'),
  HS256: secretSigningKey('a secret of at least 32 bytes, as it must be'),
}

/** Counts the look-ups of keys, of which a verification anew makes one more than a remembered one. */
function createTokens(keys: KeyRing, limits = defaultLimits) {
  const denylist = createDenylist(1000, { error: assert.fail })
  const parsed: Uint8Array[] = []
  const tokens = createAccessTokens({
    keys,
    issuer,
    audience: issuer,
    denylist,
    limits,
    readJson(bytes) {
      parsed.push(bytes)
      return readJson(bytes, defaultLimits)
    },
  })
  return { tokens, denylist, timesParsed: () => parsed.length }
}
async function openRotatingRing(): Promise<KeyRing> {
  const rows: StoredKey[] = []
  const storage = {
    load: async () => [...rows],
    add: async (key: StoredKey) => void rows.push(key),
    remove: async (kid: string) => void rows.splice(0, rows.length, ...rows.filter((key) => key.kid !== kid)),
  }
  return openKeyRing({ algorithm: 'ES256', storage, limits: defaultLimits }, start)
}
const keyOf = (algorithm: string): SigningKey => keysByAlgorithm[algorithm] ?? assert.fail(algorithm)
const isInvalid = { code: 'INVALID_TOKEN' }

describe('jose', () => {
  for (const algorithm of algorithms) {
    const key = keyOf(algorithm)
    const ring = fixedKeyRing([key])
    const { tokens } = createTokens(ring)

    it(`verifies our ${algorithm} tokens, with the key set we publish`, async () => {
      const { text, expiresInSeconds } = tokens.issue(grant, start)
      const keySet = createLocalJWKSet({ keys: ring.keySet(start).keys.map((jwk) => ({ ...jwk })) })
      const options = { issuer, audience: issuer, typ: 'JWT', algorithms: [algorithm], currentDate: start }
      const { payload } = await (algorithm === 'HS256'
        ? jwtVerify(text, key.signWith.export(), options)
        : jwtVerify(text, keySet, options))
      assert.equal(payload.sub, 'usr_1')
      assert.equal(payload.exp, start.getTime() / 1000 + expiresInSeconds)
    })

    it(`signs ${algorithm} tokens that we verify`, async () => {
      const seconds = start.getTime() / 1000
      const claims: JWTPayload = {
        sub: 'usr_7',
        iss: issuer,
        aud: [issuer],
        jti: 'j',
        role: 'VIEWER',
        iat: seconds,
        nbf: seconds,
        exp: seconds + 300,
      }
      const secret = algorithm === 'HS256' ? key.signWith.export() : await importJWK({ ...privateJwk(key) }, algorithm)
      const text = await new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: key.kid })
        .sign(secret)
      const token = tokens.verify(text, start)
      assert.deepEqual([token.subject, token.role, token.sessionId, token.epoch], ['usr_7', 'VIEWER', null, null])
    })
  }
})

describe('across a rotation', () => {
  it('no token is refused while it lives, on any instance, and none is after', async () => {
    const ring = await openRotatingRing()
    const { tokens } = createTokens(ring)
    const living: { readonly text: string; readonly issuedAt: number }[] = []
    for (let second = 0; second <= 3000; second += 30) {
      if (second === 600 || second === 1500) await ring.rotate(at(second))
      living.push({ text: tokens.issue(grant, at(second)).text, issuedAt: second })
      for (const { text, issuedAt } of living) {
        if (second - issuedAt < 900) assert.equal(tokens.verify(text, at(second)).subject, 'usr_1')
        else assert.throws(() => tokens.verify(text, at(second)), Failure)
      }
    }
  })

  it('a removed key takes its tokens with it, remembered ones too', async () => {
    const ring = await openRotatingRing()
    const { tokens } = createTokens(ring)
    const { text } = tokens.issue(grant, start)
    assert.equal(tokens.verify(text, start).subject, 'usr_1')
    await ring.remove(ring.signingKey(start).kid, at(1))
    assert.throws(() => tokens.verify(text, at(1)), isInvalid)
    assert.throws(() => tokens.verify(text, at(1000)), isInvalid, 'a token of no key is invalid, not expired')
  })

  it('a token without kid is refused as soon as there are two keys, remembered or not', async () => {
    const ring = await openRotatingRing()
    const { tokens } = createTokens(ring)
    const text = tokens.issue(grant, start).text
    const nameless = forgeToken(ring.signingKey(start), { alg: 'ES256', typ: 'JWT' }, readPart(text, 'claims'))
    assert.equal(tokens.verify(nameless, start).subject, 'usr_1')
    await ring.rotate(start)
    assert.throws(() => tokens.verify(nameless, start), isInvalid)
  })
})

describe('remembered tokens', () => {
  const ring = fixedKeyRing([keyOf('ES256')])

  it('are verified once, and answer the same afterwards', () => {
    const { tokens, timesParsed } = createTokens(ring)
    const { text } = tokens.issue(grant, start)
    const first = tokens.verify(text, start)
    const parsedOnce = timesParsed()
    assert.ok(parsedOnce > 0)
    for (let index = 0; index < 100; index += 1) assert.equal(tokens.verify(text, at(index)), first)
    assert.equal(timesParsed(), parsedOnce)
  })

  it('of a rotating ring stay verified when it is reloaded', async () => {
    const rotating = await openRotatingRing()
    const { tokens, timesParsed } = createTokens(rotating)
    const { text } = tokens.issue(grant, start)
    tokens.verify(text, start)
    const parsedOnce = timesParsed()
    await rotating.reload(at(60))
    await rotating.rotate(at(60))
    tokens.verify(text, at(61))
    assert.equal(timesParsed(), parsedOnce)
  })

  it('never answer for another bearer', () => {
    const { tokens } = createTokens(ring, { ...defaultLimits, verifiedTokens: 50 })
    const issued = Array.from({ length: 200 }, (_, index) => ({
      subject: `usr_${index}`,
      text: tokens.issue({ ...grant, subject: `usr_${index}` }, start).text,
    }))
    for (const { text, subject } of [...issued, ...issued.toReversed()])
      assert.equal(tokens.verify(text, start).subject, subject)
    const [one, other] = [issued[0]?.text ?? '', issued[1]?.text ?? '']
    const mixed = [...one.split('.').slice(0, 2), other.split('.')[2]].join('.')
    assert.throws(() => tokens.verify(mixed, start), isInvalid)
  })

  it('cannot be changed by a caller who reads them', () => {
    const { tokens } = createTokens(ring)
    const token = tokens.verify(tokens.issue(grant, start).text, start)
    assert.ok(Object.isFrozen(token))
  })

  it('are refused once their session or user is, and only those (contract 5.1.3)', () => {
    const { tokens, denylist } = createTokens(ring)
    const issue = (sessionId: string, epoch: number) => tokens.issue({ ...grant, sessionId, epoch }, start)
    const [ended, early, fresh] = [issue('ses_2', 2), issue('ses_3', 1), issue('ses_4', 2)]
    for (const { text } of [ended, early, fresh]) assert.ok(tokens.verify(text, start))
    const until = at(900)
    denylist.deny({ kind: 'session', sessionId: 'ses_2', until }, start)
    denylist.deny({ kind: 'user', userId: 'usr_1', epoch: 2, at: start, until }, start)
    for (const { text } of [ended, early]) assert.throws(() => tokens.verify(text, start), isInvalid)
    assert.ok(tokens.verify(fresh.text, start))
  })

  it('say expired, not revoked, when they are both', () => {
    const { tokens, denylist } = createTokens(ring)
    const { text } = tokens.issue(grant, start)
    denylist.deny({ kind: 'session', sessionId: grant.sessionId, until: at(900) }, start)
    assert.throws(() => tokens.verify(text, at(900)), { code: 'TOKEN_EXPIRED' })
  })
})
