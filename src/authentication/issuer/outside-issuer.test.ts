// Tokens of an outside issuer: the same checks, its key rotation, and the outage of its address. (contract 5.6)

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { forgeToken } from '../../../test/support/client/forged-token.ts'
import { readJson } from '../../json/read-json.ts'
import { defaultLimits } from '../../limits.ts'
import { publicJwk } from '../key/jwk.ts'
import { generateSigningKey, type SigningKey, UnusableKey } from '../key/signing-key.ts'
import { createDenylist } from '../token/denylist.ts'
import { createOutsideIssuer, type OutsideIssuerOptions } from './outside-issuer.ts'
import { claimedAccount } from './provisioning.ts'

const start = new Date('2026-11-20T09:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)
const issuer = 'https://id.example.com/'
const audience = 'https://api.example.com'
const [rsa, ec, next] = await Promise.all([
  generateSigningKey('RS256'),
  generateSigningKey('ES256'),
  generateSigningKey('RS256'),
])

// The issuer's own server, on this machine: it answers as each test says, and counts.
let answer: () => { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string } | null
let requests: string[]
const keySetOf = (...keys: readonly SigningKey[]) => JSON.stringify({ keys: keys.map(publicJwk) })
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  const reply = answer()
  if (reply !== null) response.writeHead(reply.status ?? 200, reply.headers).end(reply.body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address() as AddressInfo
const origin = `http://127.0.0.1:${address.port}`
after(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests = []
  answer = () => ({ body: keySetOf(rsa, ec) })
})

function createIssuer(options: Partial<OutsideIssuerOptions> = {}) {
  const problems: unknown[] = []
  const denylist = createDenylist(100, { error: assert.fail })
  const created = createOutsideIssuer({
    issuer,
    jwksUrl: `${origin}/keys`,
    audience,
    algorithms: ['RS256', 'ES256'],
    lifetimeSeconds: 3600,
    findAccount: claimedAccount(
      ({ sub, groups }) =>
        typeof sub === 'string' && sub !== 'nobody'
          ? { id: `usr_${sub}`, role: groups === 'admins' ? 'ADMIN' : 'VIEWER' }
          : null,
      async () => true,
    ),
    denylist,
    fetch: globalThis.fetch,
    readJson: (bytes) => readJson(bytes, defaultLimits),
    log: { error: (_problem, fields) => problems.push(fields?.['err']) },
    limits: defaultLimits,
    ...options,
  })
  const outside = {
    verify: (text: string, now: Date) => created.verify(text, now, { address: '127.0.0.1', requestId: 'test' }),
  }
  return { outside, denylist, problems }
}
const seconds = start.getTime() / 1000
const claims = { sub: 'ada', iss: issuer, aud: [audience, 'other'], iat: seconds, exp: seconds + 3600 }
const tokenOf = (key: SigningKey, members = {}, header = {}) =>
  forgeToken(key, { alg: key.algorithm, typ: 'JWT', kid: key.kid, ...header }, { ...claims, ...members })
const isInvalid = { code: 'INVALID_TOKEN' }
const isUnavailable = { code: 'SERVICE_UNAVAILABLE' }

describe('a token of an outside issuer', () => {
  it('becomes the actor that the service makes of its claims', async () => {
    const { outside } = createIssuer()
    const token = await outside.verify(tokenOf(rsa, { groups: 'admins', jti: 'x' }), start)
    assert.deepEqual(
      { ...token },
      {
        subject: 'usr_ada',
        role: 'ADMIN',
        sessionId: null,
        epoch: null,
        issuedAt: start,
        expiresAt: at(3600),
        authenticatedAt: null,
        isMultiFactor: false,
      },
    )
    assert.equal((await outside.verify(tokenOf(ec), start)).role, 'VIEWER')
    for (const [amr, isMultiFactor] of [
      [['pwd', 'mfa'], true],
      [['pwd'], false],
      ['mfa', false],
    ] as const)
      assert.equal((await outside.verify(tokenOf(rsa, { amr }), start)).isMultiFactor, isMultiFactor)
    assert.equal(requests.length, 1, 'the key set is fetched once')
  })

  it('is verified once and then remembered', async () => {
    const { outside } = createIssuer()
    const text = tokenOf(rsa)
    assert.equal(await outside.verify(text, start), await outside.verify(text, at(1)))
  })

  const refusals: readonly (readonly [string, string, string])[] = [
    ['of another issuer', tokenOf(rsa, { iss: 'https://id.example.com' }), 'INVALID_TOKEN'],
    ['for another audience', tokenOf(rsa, { aud: ['other'] }), 'INVALID_TOKEN'],
    ['without an audience', tokenOf(rsa, { aud: undefined }), 'INVALID_TOKEN'],
    ['that is expired', tokenOf(rsa, { iat: seconds - 3600, exp: seconds }), 'TOKEN_EXPIRED'],
    [
      'that is expired, of another issuer',
      tokenOf(rsa, { iat: seconds - 3600, exp: seconds, iss: 'x' }),
      'TOKEN_EXPIRED',
    ],
    ['without an expiry', tokenOf(rsa, { exp: undefined }), 'INVALID_TOKEN'],
    ['that lives too long', tokenOf(rsa, { exp: seconds + 3601 }), 'INVALID_TOKEN'],
    ['that is not valid yet', tokenOf(rsa, { nbf: seconds + 1 }), 'INVALID_TOKEN'],
    ['of the future', tokenOf(rsa, { iat: seconds + 61 }), 'INVALID_TOKEN'],
    ['for nobody', tokenOf(rsa, { sub: 'nobody' }), 'INVALID_TOKEN'],
    ['whose key is for another algorithm', tokenOf(rsa, {}, { alg: 'ES256' }), 'INVALID_TOKEN'],
    ['under the kid of another key', tokenOf(ec, {}, { kid: rsa.kid }), 'INVALID_TOKEN'],
    ['without kid, of two keys', tokenOf(rsa, {}, { kid: undefined }), 'INVALID_TOKEN'],
    ['of another type', tokenOf(rsa, {}, { typ: 'logout+jwt' }), 'INVALID_TOKEN'],
    ['without a type', tokenOf(rsa, {}, { typ: undefined }), 'INVALID_TOKEN'],
  ]
  for (const [which, text, code] of refusals) {
    it(`${which} is ${code}`, async () => {
      await assert.rejects(createIssuer().outside.verify(text, start), { code })
    })
  }

  it('may be of the types the service names', async () => {
    const { outside } = createIssuer({ types: [null] })
    assert.ok(await outside.verify(tokenOf(rsa, {}, { typ: undefined }), start))
    await assert.rejects(outside.verify(tokenOf(rsa), start), isInvalid)
  })

  it('may only be signed as the service allows', async () => {
    const { outside } = createIssuer({ algorithms: ['RS256'] })
    assert.ok(await outside.verify(tokenOf(rsa), start))
    await assert.rejects(outside.verify(tokenOf(ec), start), isInvalid)
  })

  it('is refused once its user is denied; later ones of that user are not', async () => {
    const { outside, denylist } = createIssuer()
    const [text, other, later] = [tokenOf(rsa), tokenOf(rsa, { sub: 'bob' }), tokenOf(rsa, { iat: seconds + 5 })]
    for (const each of [text, other]) assert.ok(await outside.verify(each, start))
    denylist.deny({ kind: 'user', userId: 'usr_ada', epoch: 1, at: at(1), until: at(3600) }, at(1))
    await assert.rejects(outside.verify(text, at(2)), isInvalid)
    assert.ok(await outside.verify(later, at(6)))
    assert.ok(await outside.verify(other, at(2)))
  })

  it('makes us ask no address but the configured one', async () => {
    const { outside } = createIssuer()
    for (const header of [
      { jku: `${origin}/evil` },
      { x5u: `${origin}/evil` },
      { x5c: ['MIIB'] },
      { jwk: publicJwk(next) },
    ]) {
      await assert.rejects(outside.verify(tokenOf(next, {}, header), start), isInvalid)
    }
    await assert.rejects(outside.verify('garbage', start), isInvalid)
    assert.deepEqual(requests, [], 'what is malformed is not worth a request')
    await assert.rejects(outside.verify(tokenOf(next), start), isInvalid)
    assert.deepEqual(requests, ['/keys'])
  })
})

describe("the issuer's key set", () => {
  it('is fetched once for many tokens at once', async () => {
    const { outside } = createIssuer()
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => outside.verify(tokenOf(rsa, { sub: `u${index}` }), start)),
    )
    assert.equal(requests.length, 1)
  })

  it('is fetched again for an unknown key, at most once in 30 s', async () => {
    const { outside } = createIssuer()
    await outside.verify(tokenOf(rsa), start)
    answer = () => ({ body: keySetOf(rsa, ec, next) })
    for (const kid of ['a', 'b', 'c', '__proto__'])
      await assert.rejects(outside.verify(tokenOf(rsa, {}, { kid }), at(29)), isInvalid)
    await assert.rejects(outside.verify(tokenOf(next), at(29)), isInvalid)
    assert.equal(requests.length, 1)
    assert.ok(await outside.verify(tokenOf(next), at(30)))
    for (const kid of ['a', 'b', 'c'])
      await assert.rejects(outside.verify(tokenOf(rsa, {}, { kid }), at(31)), isInvalid)
    assert.equal(requests.length, 2)
  })

  it('is fetched again after ten minutes, without making anybody wait, and a withdrawn key is refused then', async () => {
    const { outside } = createIssuer()
    const text = tokenOf(rsa)
    await outside.verify(text, start)
    answer = () => ({ body: keySetOf(ec) })
    assert.ok(await outside.verify(text, at(600)), 'the request that finds it old still uses it')
    const fresh = at(601)
    await assert.rejects(outside.verify(tokenOf(next), fresh), isInvalid)
    assert.equal(requests.length, 2)
    await assert.rejects(outside.verify(text, fresh), isInvalid)
    assert.ok(await outside.verify(tokenOf(ec), fresh))
  })

  it('keeps remembered tokens when it is fetched again unchanged', async () => {
    const { outside } = createIssuer()
    const text = tokenOf(rsa)
    const token = await outside.verify(text, start)
    await outside.verify(text, at(600))
    await assert.rejects(outside.verify(tokenOf(next), at(601)), isInvalid)
    assert.equal(requests.length, 2)
    assert.equal(await outside.verify(text, at(602)), token)
  })

  it('leaves out weak keys, keys for other purposes, and two of one kid', async () => {
    const [one, other] = [await generateSigningKey('ES256'), await generateSigningKey('ES256')]
    const twins = [one, other].map((key) => ({ ...publicJwk(key), kid: 'twin' }))
    const keys = [
      null,
      1,
      { kty: 'oct', k: 'c2VjcmV0', kid: 'mac' },
      { ...publicJwk(next), use: 'enc' },
      ...twins,
      publicJwk(rsa),
    ]
    answer = () => ({ body: JSON.stringify({ keys }) })
    const { outside } = createIssuer()
    assert.ok(await outside.verify(tokenOf(rsa), start))
    await assert.rejects(outside.verify(tokenOf(next), start), isInvalid)
    await assert.rejects(outside.verify(tokenOf(one, {}, { kid: 'twin' }), start), isInvalid)
    await assert.rejects(outside.verify(tokenOf(other, {}, { kid: 'twin' }), start), isInvalid)
  })

  it('takes keys that name no algorithm for the one of their type, and a single key without kid', async () => {
    const { alg: _, ...jwk } = publicJwk(rsa) ?? assert.fail()
    answer = () => ({ body: JSON.stringify({ keys: [jwk] }) })
    const { outside } = createIssuer()
    assert.ok(await outside.verify(tokenOf(rsa), start))
    assert.ok(await outside.verify(tokenOf(rsa, {}, { kid: undefined }), start))
  })

  it('may be as large as the limits, exactly', async () => {
    const full = [...[rsa, ec].map(publicJwk), ...new Array(defaultLimits.outsideKeys - 2).fill({})]
    answer = () => ({ body: JSON.stringify({ keys: full }).padEnd(defaultLimits.outsideKeySetBytes) })
    assert.ok(await createIssuer().outside.verify(tokenOf(rsa), start))
  })

  it('must have an address that begins with https, or is on this machine', () => {
    for (const jwksUrl of [
      'http://id.example.com/keys',
      'http://localhost.example.com/keys',
      'ftp://127.0.0.1/keys',
      'file:///keys',
    ]) {
      assert.throws(() => createIssuer({ jwksUrl }), UnusableKey)
    }
    createIssuer({ jwksUrl: 'https://id.example.com/keys' })
  })
})

describe('an outage of the issuer', () => {
  const outages: readonly (readonly [string, ReturnType<typeof answer>])[] = [
    ['an error', { status: 500, body: '{}' }],
    ['a redirect', { status: 302, headers: { location: `${origin}/evil` }, body: '' }],
    ['a page', { body: '<html>' }],
    ['no key set', { body: '{"keys":{}}' }],
    ['an array', { body: '[]' }],
    ['too large', { body: `{"keys":[],"x":"${'x'.repeat(defaultLimits.outsideKeySetBytes)}"}` }],
    ['too many keys', { body: JSON.stringify({ keys: new Array(defaultLimits.outsideKeys + 1).fill({}) }) }],
    ['silence', null],
  ]
  for (const [what, reply] of outages) {
    it(`(${what}) lets known keys go on, and is 503 with Retry-After for unknown ones`, async () => {
      const { outside, problems } = createIssuer({
        limits: reply === null ? { ...defaultLimits, outsideTimeoutMs: 2_000 } : defaultLimits,
      })
      assert.ok(await outside.verify(tokenOf(rsa), start))
      answer = () => reply
      await assert.rejects(outside.verify(tokenOf(next), at(100)), { ...isUnavailable, retryAfterSeconds: 30 })
      assert.equal(problems.length, 1)
      assert.ok(await outside.verify(tokenOf(rsa, { sub: 'eve' }), at(101)))
      await assert.rejects(outside.verify(tokenOf(next), at(110)), { ...isUnavailable, retryAfterSeconds: 20 })
      assert.equal(requests.filter((url) => url === '/evil').length, 0)
      assert.equal(requests.length, 2)
      answer = () => ({ body: keySetOf(rsa, next) })
      assert.ok(await outside.verify(tokenOf(next), at(130)))
    })
  }

  it('is 503 with Retry-After from the first request on, and requests the key set again after 30 s', async () => {
    answer = () => ({ status: 503, body: '' })
    const { outside } = createIssuer()
    await assert.rejects(outside.verify(tokenOf(rsa), start), isUnavailable)
    await assert.rejects(outside.verify(tokenOf(rsa), at(29.5)), { ...isUnavailable, retryAfterSeconds: 1 })
    answer = () => ({ body: keySetOf(rsa) })
    assert.ok(await outside.verify(tokenOf(rsa), at(30)))
    assert.equal(requests.length, 2)
  })

  it('is survived for a day, and no longer', async () => {
    const { outside } = createIssuer({ lifetimeSeconds: 200_000 })
    const text = tokenOf(rsa, { exp: seconds + 200_000 })
    await outside.verify(text, start)
    answer = () => ({ status: 503, body: '' })
    assert.ok(await outside.verify(text, at(86_399)))
    await assert.rejects(outside.verify(text, at(86_400)), isUnavailable)
  })
})
