// Accounts with second factors, for tests of signing in.

import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import type { Answer } from '../client/http-client.ts'
import { password, type TestService } from './service.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}
export const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
export const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
export const codeAt = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })
export const stepMs = 30_000
/** Of the services of these tests. */
export const dataKey = Buffer.alloc(32, 7).toString('base64')
export const refusalOf = ({ status, body }: Answer) => [status, body.error?.code]

/** One account, and what it does. */
export interface Person {
  readonly id: string
  readonly address: string
  login(secret?: string): Promise<Answer>
  /** Signs in without a second factor. */
  signIn(): Promise<Tokens>
  /** Sets up an authenticator app in a new session. */
  setUp(): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[]; readonly tokens: Tokens }>
  /** Proves the password, and returns the challenge for the second factor. */
  challenge(): Promise<string>
}

export async function begin(service: TestService, role = 'MEMBER', isSure = false): Promise<Person> {
  const fixtures = service.fixtures({ user: { User: { email: '{word}@example.com', role, isSure } } })
  const id = await fixtures.idOf('user')
  const address = `${await fixtures.fill('{word}')}@example.com`
  const login = (secret = password) => service.send('POST /auth/login', { body: { email: address, password: secret } })
  async function signIn(): Promise<Tokens> {
    const { status, body, text } = await login()
    assert.equal(status, 200, text)
    return body
  }
  return {
    id,
    address,
    login,
    signIn,
    async setUp() {
      const tokens = await signIn()
      const { secret, recoveryCodes } = await setUpIn(service, tokens.access_token)
      // The step that confirmed the setup is used up.
      service.advance(stepMs)
      return { secret, recoveryCodes, tokens }
    },
    async challenge() {
      const { status, body, text } = await login()
      assert.equal(status, 401, text)
      assert.equal(body.error.code, 'SECOND_FACTOR_REQUIRED', text)
      return body.error.challenge.token
    },
  }
}

export async function setUpIn(service: TestService, accessToken: string) {
  const begun = await service.send('POST /auth/totp', { ...bearer(accessToken), body: {} })
  assert.equal(begun.status, 200, begun.text)
  const { secret } = begun.body
  const code = codeAt(secret, service.now().getTime())
  const confirmed = await service.send('POST /auth/totp', { ...bearer(accessToken), body: { code } })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { secret: secret as string, recoveryCodes: confirmed.body.recovery_codes as readonly string[] }
}

/** A wrong code of six digits. */
export const wrongCode = (secret: string, at: number): string => {
  const near = new Set([-2, -1, 0, 1, 2].map((step) => codeAt(secret, at + step * stepMs)))
  for (let code = 0; ; code++) {
    const text = String(code).padStart(6, '0')
    if (!near.has(text)) return text
  }
}
