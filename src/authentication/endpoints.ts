// The endpoints of /auth, of /api/auth (without cookies), and the key set. (contract 4.12, 4.14.4)

import { Failure } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import { requireJsonType } from '../http/message/media-type.ts'
import { authEndpointOf } from './auth-path.ts'
import {
  type AnswerTokens,
  type AuthEndpoint,
  acceptedReply,
  type BrowserEndpoints,
  emptyReply,
  noStore,
  originOf,
} from './endpoint.ts'
import type { KeyRing } from './key/key-ring.ts'
import type { Parts } from './parts.ts'
import type { PasswordReset } from './session/password-reset.ts'
import { formFailure, readTexts, requireField } from './session/read-texts.ts'
import { readRefreshCookie, refreshCookie, requireSameOrigin } from './session/refresh-cookie.ts'
import type { TokenPair } from './session/sign-in.ts'

export interface AuthEndpoints {
  /** Null for other paths. Fails with METHOD_NOT_ALLOWED and NOT_FOUND. */
  route(method: string, path: string): AuthEndpoint | null
  /** Whether logins are counted once their body shows which step they are. (contract 5.13.4) */
  readonly countsSteps: boolean
}

type Used = 'model' | 'signIn' | 'wakeMails' | 'basePath' | 'isSameOrigin' | 'limits'
export interface EndpointDependencies extends Pick<Parts, Used> {
  readonly passwordReset: PasswordReset
  readonly keys: KeyRing
  readonly refreshTokenIn: 'body' | 'cookie'
  /** The endpoints of sign-in methods; empty if the service has none. (contract 5.10) */
  readonly methods: (answer: AnswerTokens) => Readonly<Record<string, AuthEndpoint>>
  /** What browsers open, by method and name. */
  readonly pages: BrowserEndpoints
}
type Methods = ReadonlyMap<string, AuthEndpoint>

export function createAuthEndpoints(dependencies: EndpointDependencies): AuthEndpoints {
  const { keys, limits } = dependencies
  const { GET: opened, POST: sent } = dependencies.pages
  const pages = [...new Set([...Object.keys(opened), ...Object.keys(sent)])].map((name): [string, Methods] => [
    name,
    new Map([
      ...(opened[name] === undefined ? [] : [['GET', opened[name]] as const]),
      ...(sent[name] === undefined ? [] : [['POST', sent[name]] as const]),
    ]),
  ])
  const canonical = new Map([
    ...authEndpoints(
      dependencies.refreshTokenIn === 'cookie' ? inCookie(dependencies) : inBody(dependencies),
      dependencies,
    ),
    ...pages,
  ])
  const alias = authEndpoints(inBody(dependencies), dependencies)
  const keySet: AuthEndpoint = ({ now }) => {
    const body = JSON.stringify(keys.keySet(now))
    const etag = bodyETag(body)
    const headers = { ETag: etag, 'Cache-Control': `public, max-age=${limits.jwksMaxAgeSeconds}`, Vary: vary }
    return { status: 200, headers, body }
  }
  const keySetMethods: Methods = new Map([
    ['GET', keySet],
    ['HEAD', keySet],
  ])

  function find(path: string): Methods | null {
    if (path === '/.well-known/jwks.json') return keySetMethods
    const endpoint = authEndpointOf(path)
    if (endpoint === null) return null
    const methods = (endpoint.isApi ? alias : canonical).get(endpoint.name)
    if (methods === undefined) throw new Failure('NOT_FOUND', { message: 'There is no such endpoint.' })
    return methods
  }
  return {
    countsSteps: dependencies.model.accounts.methods?.isStored ?? false,
    route(method, path) {
      const methods = find(path)
      if (methods === null) return null
      const allow = [...methods.keys(), 'OPTIONS'].join(', ')
      if (method === 'OPTIONS') return () => ({ status: 204, headers: { ...noStore, Allow: allow }, body: null })
      const endpoint = methods.get(method)
      if (endpoint === undefined) throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
      return endpoint
    },
  }
}

/** As on every cacheable response. (contract 4.11.1) */
const vary = 'Authorization, X-API-Key'

function authEndpoints(carrier: Carrier, dependencies: EndpointDependencies): ReadonlyMap<string, Methods> {
  const { model, signIn, passwordReset, limits } = dependencies
  const post = (endpoint: AuthEndpoint): Methods => new Map([['POST', endpoint]])
  const body = (exchange: Exchange) => exchange.json(limits.authBodyBytes)
  return new Map([
    [
      'login',
      post(async (exchange) => {
        const { email, password } = readTexts(await body(exchange), ['email', 'password'])
        return carrier.answer(await signIn.signIn(email, password, originOf(exchange), exchange.now))
      }),
    ],
    [
      'refresh',
      post(async (exchange) => {
        const token = await carrier.read(exchange)
        if (token === null) throw new Failure('UNAUTHENTICATED', { message: 'There is no refresh token.' })
        return carrier.answer(await signIn.renew(token, originOf(exchange), exchange.now))
      }),
    ],
    [
      'logout',
      post(async (exchange) => {
        const token = await carrier.read(exchange)
        if (token === null) throw formFailure([{ field: 'refresh_token', message: 'Is required.' }])
        await signIn.signOut(token, originOf(exchange), exchange.now)
        return carrier.forget
      }),
    ],
    [
      'forgot-password',
      post(async (exchange, { takeMail }) => {
        const { email } = readTexts(await body(exchange), ['email'])
        await takeMail(email)
        await passwordReset.request(email, exchange.now)
        dependencies.wakeMails()
        return acceptedReply
      }),
    ],
    [
      'reset-password',
      post(async (exchange) => {
        const { token, password } = readTexts(await body(exchange), ['token', 'password'])
        requireField('password', password, model.accounts.password.spec)
        await passwordReset.redeem(token, password, originOf(exchange), exchange.now)
        return { status: 204, headers: noStore, body: null }
      }),
    ],
    // They replace login.
    ...Object.entries(dependencies.methods(carrier.answer)).map(([name, endpoint]) => [name, post(endpoint)] as const),
  ])
}

interface Carrier {
  read(exchange: Exchange): Promise<string | null>
  answer(tokens: TokenPair, more?: Readonly<Record<string, unknown>>): Reply
  readonly forget: Reply
}

const inBody = ({ limits }: EndpointDependencies): Carrier => ({
  read: async (exchange) => readTexts(await exchange.json(limits.authBodyBytes), ['refresh_token']).refresh_token,
  answer: (tokens, more = {}) => ({
    status: 200,
    headers: noStore,
    body: JSON.stringify({ ...more, ...wordsOf(tokens, { refresh_token: tokens.refreshToken }) }),
  }),
  forget: emptyReply,
})

const inCookie = ({ limits, basePath, isSameOrigin }: EndpointDependencies): Carrier => ({
  async read(exchange) {
    const { headers } = exchange
    const body = await exchange.jsonIfSent(limits.authBodyBytes)
    // The body must be empty: a token in it would compete with the cookie's.
    if (body !== undefined) readTexts(body, [])
    // Forms of other sites cannot send this type.
    else if (headers.cookie !== undefined) requireJsonType(headers)
    requireSameOrigin(headers, isSameOrigin)
    return readRefreshCookie(headers)
  },
  answer: (tokens, more = {}) => ({
    status: 200,
    headers: { ...noStore, 'Set-Cookie': refreshCookie(tokens.refreshToken, basePath, limits) },
    body: JSON.stringify({ ...more, ...wordsOf(tokens, {}) }),
  }),
  forget: { ...emptyReply, headers: { ...noStore, 'Set-Cookie': refreshCookie(null, basePath, limits) } },
})

const wordsOf = ({ accessToken, expiresInSeconds }: TokenPair, refresh: { readonly refresh_token?: string }) => ({
  access_token: accessToken,
  ...refresh,
  token_type: 'Bearer',
  expires_in: expiresInSeconds,
})
