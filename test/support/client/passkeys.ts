// Accounts that register and use passkeys of a software authenticator, through the endpoints of a test service.

import assert from 'node:assert/strict'
import { password, type TestService } from '../server/service.ts'
import { type Authenticator, type Changes, createAuthenticator } from './authenticator.ts'
import type { Sending } from './http-client.ts'

export interface PasskeyUser {
  readonly id: string
  readonly address: string
  readonly tokens: { readonly access_token: string; readonly refresh_token: string }
  readonly as: Sending
  readonly authenticator: Authenticator
  options(purpose: 'sign-in' | 'register', as?: Sending): Promise<never>
  /** Sends what the authenticator makes of new options, or of those given. */
  register(changes?: Changes, given?: never): ReturnType<TestService['send']>
  /** Signs in with what the authenticator makes of new options, or of those given. */
  signIn(changes?: Changes, given?: never): ReturnType<TestService['send']>
}

export async function beginPasskeyUser(service: TestService, origin: string): Promise<PasskeyUser> {
  const fixtures = service.fixtures({ user: { User: { email: '{word}@example.com' } } })
  const [id, address] = [await fixtures.idOf('user'), `${await fixtures.fill('{word}')}@example.com`]
  const login = await service.send('POST /auth/login', { body: { email: address, password } })
  assert.equal(login.status, 200, login.text)
  const as = bearer(login.body.access_token)
  const authenticator = createAuthenticator(origin)
  const options = async (purpose: 'sign-in' | 'register', sending: Sending = purpose === 'register' ? as : {}) => {
    const answer = await service.send('POST /auth/passkeys/options', { ...sending, body: { for: purpose } })
    assert.equal(answer.status, 200, answer.text)
    return answer.body as never
  }
  return {
    id,
    address,
    tokens: login.body,
    as,
    authenticator,
    options,
    async register(changes, given) {
      const registration = authenticator.register(given ?? (await options('register')), changes)
      return service.send('POST /auth/passkeys', { ...as, body: { registration, name: 'Laptop' } })
    },
    async signIn(changes, given) {
      const passkey = authenticator.signIn(given ?? (await options('sign-in')), changes)
      return service.send('POST /auth/login', { body: { passkey } })
    },
  }
}

export const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
