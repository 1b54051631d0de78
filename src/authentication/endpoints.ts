// The endpoints of /auth, and of /api/auth, which are the same handlers; and the key set. (contract 4 "Auth")

import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/exchange.ts'
import type { Limits } from '../limits.ts'
import type { KeyRing } from './key-ring.ts'
import { readTexts, renew, type SignInContext, signIn, signOut, type TokenPair } from './sign-in.ts'

export type AuthEndpoint = (exchange: Exchange) => Promise<Reply> | Reply
export interface AuthEndpoints {
  /** The endpoint at a path; null where this path is not authentication's. Fails with METHOD_NOT_ALLOWED and NOT_FOUND. */
  route(method: string, path: string): AuthEndpoint | null
}

export interface EndpointContext extends SignInContext {
  readonly keys: KeyRing
  readonly limits: Pick<Limits, 'authBodyBytes' | 'jwksMaxAgeSeconds'>
}

export function createAuthEndpoints(context: EndpointContext): AuthEndpoints {
  const { keys, limits } = context
  const post = (name: string, handle: AuthEndpoint): [string, ReadonlyMap<string, AuthEndpoint>] => [
    name,
    new Map([['POST', handle]]),
  ]
  const endpoints = new Map([
    post('login', async (exchange) => {
      const { email, password } = readTexts(await exchange.json(limits.authBodyBytes), ['email', 'password'])
      return tokens(await signIn(email, password, deviceOf(exchange), exchange.now, context))
    }),
    post('refresh', async (exchange) => {
      const { refresh_token } = readTexts(await exchange.json(limits.authBodyBytes), ['refresh_token'])
      return tokens(await renew(refresh_token, exchange.now, context))
    }),
    post('logout', async (exchange) => {
      const { refresh_token } = readTexts(await exchange.json(limits.authBodyBytes), ['refresh_token'])
      await signOut(refresh_token, exchange.now, context)
      return { status: 200, headers: noStore, body: '{}' }
    }),
  ])
  const keySet: AuthEndpoint = ({ now }) => ({
    status: 200,
    headers: { 'Cache-Control': `public, max-age=${limits.jwksMaxAgeSeconds}` },
    body: JSON.stringify(keys.keySet(now)),
  })
  const keySetMethods = new Map([
    ['GET', keySet],
    ['HEAD', keySet],
  ])
  return {
    route(method, path) {
      const name = /^(?:\/api)?\/auth(?:\/(.*))?$/.exec(path)
      const methods =
        path === '/.well-known/jwks.json'
          ? keySetMethods
          : name === null
            ? null
            : (endpoints.get(name[1] ?? '') ?? 'none')
      if (methods === null) return null
      if (methods === 'none') throw new Failure('NOT_FOUND', { message: 'There is no such endpoint.' })
      const allow = [...methods.keys(), 'OPTIONS'].join(', ')
      if (method === 'OPTIONS') return () => ({ status: 204, headers: { ...noStore, Allow: allow }, body: null })
      const endpoint = methods.get(method)
      if (endpoint === undefined) throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
      return endpoint
    },
  }
}

const noStore = { 'Cache-Control': 'no-store' }

const tokens = ({ accessToken, refreshToken, expiresInSeconds }: TokenPair): Reply => ({
  status: 200,
  headers: noStore,
  body: JSON.stringify({
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
  }),
})

const deviceOf = ({ headers, address }: Exchange) => ({ userAgent: headers['user-agent'] ?? '', ip: address })
