// Tokens of an outside issuer over HTTP: whom they make of somebody, its keys, its outage, and what is decided here all the
// same.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { TrustedIssuer } from '../../src/authentication/issuer/outside-issuer.ts'
import { publicJwk } from '../../src/authentication/key/jwk.ts'
import { generateSigningKey, type SigningKey } from '../../src/authentication/key/signing-key.ts'
import { forgeToken } from '../support/client/forged-token.ts'
import type { Answer } from '../support/client/http-client.ts'
import { type TestService, withService } from '../support/server/service.ts'
import { createForge } from '../support/server/service-key.ts'

const [first, second, third] = await Promise.all(
  ['RS256', 'ES256', 'ES256'].map((each) => generateSigningKey(each as 'ES256')),
)
let published: readonly SigningKey[] | null = [first!]
let requestCount = 0
const server = createServer((_, response) => {
  requestCount += 1
  if (published === null) response.writeHead(503).end()
  else response.end(JSON.stringify({ keys: published.map(publicJwk) }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close().closeAllConnections())

const issuer = 'https://id.example.com/'
const trusted: TrustedIssuer = {
  issuer,
  jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
  audience: 'duet',
  algorithms: ['RS256', 'ES256'],
  lifetimeSeconds: 3_600,
  actorFrom: ({ account, groups }) =>
    typeof account === 'string'
      ? { id: account, role: Array.isArray(groups) && groups.includes('staff') ? 'EDITOR' : 'VIEWER' }
      : null,
}
const outcome = ({ status, body }: Answer): unknown => (status < 300 ? status : body.error.code)

withService(
  '5.6 Outside issuer',
  (service) => {
    const sign = (key: SigningKey, claims: object, header: object = {}) => {
      const iat = Math.floor(service().now().getTime() / 1000)
      const usual = { iss: issuer, aud: 'duet', sub: 'someone', iat, exp: iat + 3_600 }
      return forgeToken(key, { alg: key.algorithm, typ: 'at+jwt', kid: key.kid, ...header }, { ...usual, ...claims })
    }
    const ask = (token: string, line = 'GET /api/v2/users/me', body?: unknown) =>
      service().send(line, { headers: { Authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body }) })
    const person = async (role = 'VIEWER') =>
      service()
        .fixtures({ person: { User: { name: 'P', role } } })
        .idOf('person')

    test('5.6.1 claims become an actor, with the role that they say', async () => {
      const account = await person()
      assert.equal((await ask(sign(first!, { account }))).body.data.id, account)
      const post = { title: 'T', content: 'C' }
      assert.equal(outcome(await ask(sign(first!, { account }), 'POST /api/v2/posts', post)), 'FORBIDDEN')
      const made = await ask(sign(first!, { account, groups: ['staff'] }), 'POST /api/v2/posts', post)
      assert.deepEqual([made.status, made.body.data.author_id], [201, account])
      const { body } = await service().graphql('{ me { id } }', {
        headers: { Authorization: `Bearer ${sign(first!, { account })}` },
      })
      assert.equal(body.data.me.id, account)
    })

    test('5.6.1 claims that name no account are refused', async () => {
      assert.equal(outcome(await ask(sign(first!, {}))), 'INVALID_TOKEN')
    })

    test('5.6.2 the checks are the same', async () => {
      const account = await person()
      const second = Math.floor(service().now().getTime() / 1000)
      const forged: readonly (readonly [string, string])[] = [
        [sign(first!, { account, aud: 'other' }), 'INVALID_TOKEN'],
        [sign(first!, { account, iss: 'https://id.example.com' }), 'INVALID_TOKEN'],
        [sign(first!, { account, iat: second - 3_600, exp: second }), 'TOKEN_EXPIRED'],
        [sign(first!, { account, exp: second + 3_601 }), 'INVALID_TOKEN'],
        [sign(first!, { account }, { alg: 'none' }), 'INVALID_TOKEN'],
        [sign(third!, { account }, { kid: first!.kid }), 'INVALID_TOKEN'],
        [sign(first!, { account }, { jku: trusted.jwksUrl }), 'INVALID_TOKEN'],
      ]
      for (const [token, code] of forged) assert.equal(outcome(await ask(token)), code)
    })

    test('5.6.9 the reason of a refusal is in the log, once a minute, and never in the answer', async () => {
      service().advance(60_000)
      service().forgetLog()
      const lines = () =>
        service()
          .logged('token_refused')
          .map(({ issuer: of, reason, omitted }) => [of, reason, omitted])
      const account = await person()
      for (let times = 0; times < 20; times++)
        assert.deepEqual((await ask(sign(first!, { account }, { typ: undefined }))).body.error, {
          code: 'INVALID_TOKEN',
          message: 'The token is not valid.',
        })
      assert.deepEqual(lines(), [[issuer, 'its header has no "typ"', undefined]])
      await ask(sign(first!, { account }, { typ: 'logout+jwt' }))
      await ask('no.token.here')
      assert.deepEqual(lines().slice(1), [
        [issuer, 'its "typ" is not allowed', undefined],
        [null, 'a part is not strict base64url', undefined],
      ])
      service().advance(60_000)
      await ask(sign(first!, { account }, { typ: undefined }))
      assert.deepEqual(lines().at(-1), [issuer, 'its header has no "typ"', 19])
      service().forgetLog()
    })

    test('5.6.2 neither issuer signs for the other', async () => {
      const account = await person('ADMIN')
      const { key, claims, sign: ours } = await createForge(service())
      assert.equal(outcome(await ask(ours({ iss: issuer, account }))), 'INVALID_TOKEN')
      assert.equal(outcome(await ask(sign(key, { account }))), 'INVALID_TOKEN')
      assert.equal(outcome(await ask(sign(first!, { ...claims, account }))), 'INVALID_TOKEN')
      assert.equal(outcome(await ask(ours({}))), 200, 'our own are as good as ever')
    })

    test('5.6.3 a new key of theirs is learned when it is first used', async () => {
      const account = await person()
      await ask(sign(first!, { account }))
      published = [first!, second!]
      service().advance(31_000)
      assert.equal(outcome(await ask(sign(second!, { account }))), 200)
      const before = requestCount
      for (let at = 0; at < 20; at += 1) await ask(sign(third!, { account }, { kid: `unknown-${at}` }))
      assert(requestCount <= before + 1, 'keys that nobody knows are asked for once in a while')
    })

    test('5.6.4 while they do not answer, known keys go on, and others wait', async () => {
      const account = await person()
      await ask(sign(first!, { account }))
      published = null
      service().advance(31_000)
      assert.equal(outcome(await ask(sign(first!, { account, jti: 'another' }))), 200)
      const waiting = await ask(sign(third!, { account }))
      assert.deepEqual([waiting.status, waiting.body.error.code], [503, 'SERVICE_UNAVAILABLE'])
      published = [first!, third!]
      service().advance(31_000)
      assert.equal(outcome(await ask(sign(third!, { account }))), 200)
      service().forgetLog()
    })

    test('5.6.5 a suspended or deleted account cannot sign in through the issuer', async () => {
      const account = await person()
      const early = sign(first!, { account })
      assert.equal(outcome(await ask(early)), 200)
      await byAdmin(service(), `POST /api/v2/users/${account}/suspend`)
      assert.equal(outcome(await ask(early)), 'INVALID_TOKEN')
      service().advance(120_000)
      const late = sign(first!, { account })
      assert.equal(outcome(await ask(late)), 'INVALID_TOKEN', 'nor with a token that was issued since')
      await byAdmin(service(), `POST /api/v2/users/${account}/reactivate`)
      assert.equal(outcome(await ask(late)), 200)
      await byAdmin(service(), `DELETE /api/v2/users/${account}`)
      service().advance(120_000)
      assert.equal(outcome(await ask(sign(first!, { account }))), 'INVALID_TOKEN')
    })

    test('5.6.5 a user who has no account here reads what everybody may', async () => {
      const token = sign(first!, { account: 'usr_of_elsewhere' })
      assert.equal(outcome(await ask(token, 'GET /api/v2/posts')), 200)
      assert.equal(outcome(await ask(token)), 'USER_NOT_FOUND')
    })
  },
  { issuers: [trusted] },
)

async function byAdmin(service: TestService, line: string): Promise<void> {
  service.forgetTokens()
  const { status, text } = await service.send(line, { as: 'admin' })
  assert(status < 300, text)
}
