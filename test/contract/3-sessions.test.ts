// Sessions beside each other, and answers that never arrive: a refresh token speaks for its own session alone. (contract 3.5, 3.6)

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { readPart } from '../support/client/forged-token.ts'
import { createTestAccounts, type TestAccount } from '../support/server/accounts.ts'
import { password, type TestService, withService } from '../support/server/service.ts'

withService('3.5 Refresh tokens, of sessions beside each other', (service) => {
  const account = async () => (await createTestAccounts(service(), 1))[0]!

  test('3.5.1 a refresh answers another refresh token and another access token, of the same session', async () => {
    const { email } = await account()
    const first = await signIn(service(), email)
    const second = (await refresh(service(), first.refresh_token)).body
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.notEqual(second.access_token, first.access_token)
    assert.equal(claimsOf(second).sid, claimsOf(first).sid)
    assert.notEqual(claimsOf(second).jti, claimsOf(first).jti)
  })

  test('3.5.2 a token of two refreshes ago is a reuse at once, which ends the last one', async () => {
    const { email } = await account()
    const tokens = [(await signIn(service(), email)).refresh_token]
    for (let nth = 0; nth < 2; nth += 1) tokens.push((await refresh(service(), tokens[nth]!)).body.refresh_token)
    assert.equal(await outcome(service(), tokens[0]!), 'TOKEN_REUSED')
    assert.equal(await outcome(service(), tokens[2]!), 'INVALID_TOKEN')
  })

  test('3.5.1 a refresh and a logout are of the account of the token, whoever is signed in beside it', async () => {
    const [own, other] = (await createTestAccounts(service(), 2)) as [TestAccount, TestAccount]
    const [theirs, beside] = [await signIn(service(), own.email), await signIn(service(), other.email)]
    const headers = { Authorization: `Bearer ${beside.access_token}` }
    const renewed = await refresh(service(), theirs.refresh_token, headers)
    assert.deepEqual([renewed.status, claimsOf(renewed.body).sub], [200, own.id])
    const out = await service().send('POST /auth/logout', {
      headers,
      body: { refresh_token: renewed.body.refresh_token },
    })
    assert.equal(out.status, 200)
    assert.equal(await outcome(service(), renewed.body.refresh_token), 'INVALID_TOKEN')
    assert.equal(await outcome(service(), beside.refresh_token), 200)
  })

  test('3.5.1 a token whose answer was dropped by its client is used', async () => {
    const { email } = await account()
    const { refresh_token: token } = await signIn(service(), email)
    assert.equal(await dropAnswer(service(), token), 200)
    assert.equal(await outcome(service(), token), 'TOKEN_REUSED')
  })

  test('3.6.1 signing in beside a session makes another one, and ends neither', async () => {
    const { email } = await account()
    const first = await signIn(service(), email)
    const second = await signIn(service(), email, { Authorization: `Bearer ${first.access_token}` })
    assert.notEqual(claimsOf(second).sid, claimsOf(first).sid)
    assert.equal(await outcome(service(), first.refresh_token), 200)
    await service().send('POST /auth/logout', { body: { refresh_token: first.refresh_token } })
    assert.equal(await outcome(service(), second.refresh_token), 200)
  })
})

interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}
const claimsOf = ({ access_token }: Pair) =>
  readPart(access_token, 'claims') as { readonly sub: string; readonly sid: string; readonly jti: string }

async function signIn(service: TestService, email: string, headers: Readonly<Record<string, string>> = {}) {
  const { status, body, text } = await service.send('POST /auth/login', { headers, body: { email, password } })
  assert.equal(status, 200, text)
  return body as Pair
}
const refresh = (service: TestService, token: string, headers: Readonly<Record<string, string>> = {}) =>
  service.send('POST /auth/refresh', { headers, body: { refresh_token: token } })

async function outcome(service: TestService, token: string): Promise<number | string> {
  const { status, body } = await refresh(service, token)
  return status === 200 ? status : body.error.code
}

/** Sends a refresh, and resets the connection once the answer begins. */
function dropAnswer({ url }: TestService, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = request(`${url}/auth/refresh`, { method: 'POST', headers }, (answer) => {
      answer.on('error', () => {})
      sent.socket?.resetAndDestroy()
      resolve(answer.statusCode)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ refresh_token: token }))
  })
}
