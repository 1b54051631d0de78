// `createClient`: a client of a service, typed by the service's definition. (contract 4.2)

import type { Service } from '../resource/language/service.ts'
import {
  type AnswerOf,
  type CustomRoute,
  type PathOf,
  type QueryValues,
  queryText,
  type RequestOf,
} from './custom-request.ts'
import { type GraphqlDocument, runGraphql, type VariablesOf } from './graphql.ts'
import { resourceOf } from './resource.ts'
import { type AccountMethods, accountMethods } from './send/account.ts'
import type { Answer } from './send/answer.ts'
import { lazily } from './send/lazily.ts'
import type { Login } from './send/login.ts'
import { type CredentialSource, createSend, type RetryLimits, type Sending, usualRetryLimits } from './send/send.ts'
import { Session, type SignedOut } from './send/session.ts'
import { memoryStorage, type TokenStorage } from './send/storage.ts'
import { realSurroundings, type Surroundings } from './send/surroundings.ts'
import type { JsonFields } from './send/wire-form.ts'
import type { CallOptions } from './type/call.ts'
import type { CurrentVersion, ResourcesOf, TypedOptions, VersionOf } from './type/typed-client.ts'

/** The address of the service, and how the client behaves. */
export interface ClientOptions {
  /** Names this program, so that the service can report who still uses deprecated parts. */
  readonly name?: string
  /** Authenticates with this key, without a session. */
  readonly apiKey?: string
  /** Returns a token of another issuer. Called before each request; with the refused token to get a new one. */
  readonly accessToken?: (refused?: string) => string | null | Promise<string | null>
  /** The token of a record, for rules that test it, or up to ten with commas; with or without a credential. (contract 10.1.14) */
  readonly accessCode?: string
  /** Where the session is kept; by default in memory. `tabStorage()` and `tabChannel()` are for browsers. */
  readonly storage?: TokenStorage
  /** `cookie` for a service with `REFRESH_TOKEN_IN=cookie`. */
  readonly refreshTokenIn?: 'body' | 'cookie'
  readonly retry?: Partial<RetryLimits>
  readonly surroundings?: Partial<Surroundings>
}
/** Any request of `client.request`. */
export interface AnyRequest extends CallOptions {
  /** In wire names. Null and undefined are omitted. */
  readonly query?: QueryValues
  /** Bytes are sent unchanged with the `Content-Type` in `headers`; anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export interface Connection {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly credential: CredentialSource
  readonly headers: Readonly<Record<string, string>>
  readonly surroundings: Surroundings
}
export interface SessionMethods extends AccountMethods {
  /**
   * Rejects with `SECOND_FACTOR_REQUIRED` if the account has another factor: sign in with `error.challenge` and that one. The
   * browser's refusal of a passkey is a DOMException.
   */
  signIn(login: Login): Promise<void>
  /** Proves again who the signed-in user is, after `REAUTHENTICATION_REQUIRED`. */
  reauthenticate(login: Login): Promise<void>
  /** Ends the session at the service, and locally even if the service cannot be reached. */
  signOut(): Promise<void>
  /** Whether a user is signed in already; for the start of a page. */
  restore(): Promise<boolean>
  /** Calls the listener once when a session ends. Returns a function that stops listening. */
  onSignedOut(listener: (event: SignedOut) => void): () => void
}
export interface FaceMethods {
  /** Runs a query or mutation and returns its data. */
  graphql<Data = unknown, Variables = never>(
    document: GraphqlDocument<Data, Variables>,
    ...variablesAndOptions: [...VariablesOf<Variables>, options?: CallOptions]
  ): Promise<Data>
  /** Sends a request, such as to a custom route; returns the JSON in wire form. */
  request(method: string, path: string, request?: AnyRequest): Promise<unknown>
  /** Typed by a custom route: `request<typeof sales>('GET', …)`. */
  request<R extends CustomRoute>(
    method: R['method'],
    path: PathOf<R['path']>,
    ...request: {} extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]
  ): Promise<AnswerOf<R>>
  /**
   * The same, but resolves with the Response before its body is read. Time limits apply until then; `signal` aborts the body
   * too.
   */
  response(method: string, path: string, request?: AnyRequest): Promise<Response>
  /** Stops listening to other tabs. */
  close(): void
  /** For `duet-api/client/subscriptions`. */
  readonly connection: Connection
}
/**
 * Has a member for each resource (`client.posts.create(…)`), session methods, `graphql` and `request`. Calls reject with DuetError.
 */
export type Client<S, V = CurrentVersion<S>> = ResourcesOf<S, V> & SessionMethods & FaceMethods & Typed<S>
export interface Typed<out S> {
  readonly phantom?: S
}

/**
 * A client of the service at this address. `S` is the type of its definition, of which nothing is loaded; `V` the version, by
 * default the current one.
 */
export function createClient<S extends Service<unknown>, V extends VersionOf<S> = CurrentVersion<S>>(
  url: string,
  ...[settings]: {} extends TypedOptions<S, V>
    ? [options?: ClientOptions & TypedOptions<S, V>]
    : [options: ClientOptions & TypedOptions<S, V>]
): Client<S, V> {
  const options = (settings ?? {}) as ClientOptions & { readonly version?: string; readonly json?: JsonFields }
  const { version = 'v1', json = {}, name, accessCode, retry } = options
  const surroundings = { ...realSurroundings, ...options.surroundings }
  requireAddress(url)
  const baseUrl = url.replace(/\/+$/, '')
  const headers: Readonly<Record<string, string>> = {
    ...(name === undefined ? {} : { 'X-Client-Name': name }),
    ...(accessCode === undefined ? {} : { 'X-Access-Code': accessCode }),
  }
  const sendAs = createSend({
    baseUrl,
    surroundings,
    headers,
    ...usualRetryLimits,
    ...retry,
  })
  const session = new Session({
    send: sendAs,
    storage: options.storage ?? memoryStorage(),
    isInCookie: options.refreshTokenIn === 'cookie',
    now: surroundings.now,
    passkeys: surroundings.passkeys,
  })
  const credential = credentialOf(options) ?? session
  const send = (sending: Sending): Promise<Answer> => sendAs(sending, credential)

  const own: SessionMethods & FaceMethods = {
    ...accountMethods({ baseUrl, session, passkeys: surroundings.passkeys, credential, send: sendAs }),
    signIn: (login) => session.signIn(login),
    reauthenticate: (login) => session.reauthenticate(login),
    signOut: () => session.signOut(),
    restore: () => session.restore(),
    onSignedOut: (listener) => session.onSignedOut(listener),
    close: () => session.close(),
    graphql: (document, ...[variables, settings = {}]) =>
      runGraphql(send, document as GraphqlDocument<unknown, never>, variables, settings as CallOptions) as never,
    request: async (method: string, path: string, request?: AnyRequest) =>
      (await send(sendingOf(method, path, request))).body as never,
    async response(method, path, request = {}) {
      const headers = { Accept: '*/*', ...request.headers }
      return (await send({ ...sendingOf(method, path, { ...request, headers }), isUnread: true })).body as Response
    },
    connection: { baseUrl, credential, headers, surroundings },
  }
  const members: Record<string, unknown> = Object.assign(Object.create(null), own)
  const resource = { send, prefix: `/api/${version}`, json, makeKey: surroundings.makeKey }
  return lazily(members, (plural) => resourceOf(plural, resource)) as unknown as Client<S, V>
}

function sendingOf(method: string, path: string, { query, ...request }: AnyRequest = {}): Sending {
  return { method, path: path + queryText(query), ...request, isRepeatable: method === 'GET' || method === 'HEAD' }
}

/** Otherwise each call would retry for half a minute. */
function requireAddress(url: string): void {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const address = URL.parse(url, location?.href)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new TypeError(`A client needs an address such as https://api.example.com, not "${url}".`)
}

function credentialOf({ apiKey, accessToken }: ClientOptions): CredentialSource | undefined {
  if (apiKey !== undefined) return { headers: async () => ({ 'X-API-Key': apiKey }), renew: async () => false }
  if (accessToken === undefined) return undefined
  const bearer = (token: string | null): Readonly<Record<string, string>> =>
    token === null ? {} : { Authorization: `Bearer ${token}` }
  return {
    headers: async () => bearer(await accessToken()),
    async renew({ Authorization: header = '' }) {
      const refusedToken = header.slice('Bearer '.length)
      const token = header === '' ? null : await accessToken(refusedToken)
      return token !== null && token !== refusedToken
    },
  }
}
