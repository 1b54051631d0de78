// `createClient`: one object that speaks to a service, typed by the definition of that service. (contract 4.2)

import type { Service } from '../resource/language/service.ts'
import type { Answer } from './answer.ts'
import type { CallOptions } from './call.ts'
import {
  type AnswerOf,
  type CustomRoute,
  type PathOf,
  type QueryValues,
  queryText,
  type RequestOf,
} from './custom-request.ts'
import { askGraphql, type GraphqlDocument, type VariablesOf } from './graphql.ts'
import { lazily } from './lazily.ts'
import { resourceOf } from './resource.ts'
import { type CredentialSource, createSend, type RetryLimits, type Sending, usualRetryLimits } from './send.ts'
import { Session, type SignedOut } from './session.ts'
import { memoryStorage, type TokenStorage } from './storage.ts'
import { realSurroundings, type Surroundings } from './surroundings.ts'
import type { CurrentVersion, ResourcesOf, TypedOptions, VersionOf } from './typed-client.ts'
import type { JsonFields } from './wire-form.ts'

/** How a client introduces itself, where it keeps its session, and how often it tries. */
export interface ClientOptions {
  /** Names this program, so that the service can say who still uses what is deprecated. */
  readonly name?: string
  /** Acts with this key, and without a session. */
  readonly apiKey?: string
  /** Acts with tokens of another issuer: called before each request; with a token that was refused, to make another. */
  readonly accessToken?: (refused?: string) => string | null | Promise<string | null>
  /** Shown beside the credential, or without one: the token of a record, for rules that ask for it. (contract 10.1.14) */
  readonly accessCode?: string
  /** Where a session is kept: in memory unless said. `tabStorage()` and `tabChannel()` are for browsers. */
  readonly storage?: TokenStorage
  /** `cookie` where the service has `REFRESH_TOKEN_IN=cookie`. */
  readonly refreshTokenIn?: 'body' | 'cookie'
  readonly retry?: Partial<RetryLimits>
  readonly surroundings?: Partial<Surroundings>
}
/** An address of the author's own, or anything else that the service answers. */
export interface AnyRequest extends CallOptions {
  /** In the names of the wire. What is null or undefined is left out. */
  readonly query?: QueryValues
  /** Bytes are sent as they are, with the `Content-Type` among `headers`; anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly credential: CredentialSource
  /** What is sent beside the credential, always. */
  readonly headers: Readonly<Record<string, string>>
  readonly surroundings: Surroundings
}
export interface SessionMethods {
  signIn(login: { readonly email: string; readonly password: string }): Promise<void>
  /** Ends the session here and at the service; here also where the service cannot be told. */
  signOut(): Promise<void>
  /** Whether somebody is signed in already: what a page asks first. */
  restore(): Promise<boolean>
  /** Told once when a session ends, for whatever reason. Answers how to stop listening. */
  onSignedOut(listener: (event: SignedOut) => void): () => void
}
export interface FaceMethods {
  /** Runs a query or a mutation and answers its data. */
  graphql<Data = unknown, Variables = never>(
    document: GraphqlDocument<Data, Variables>,
    ...variablesAndOptions: [...VariablesOf<Variables>, options?: CallOptions]
  ): Promise<Data>
  /** Sends what is no resource's, such as a route of the author's own; answers the JSON as it is on the wire. */
  request(method: string, path: string, request?: AnyRequest): Promise<unknown>
  /** The same for a custom route, whose type says what it takes and answers: `request<typeof sales>('GET', …)`. */
  request<R extends CustomRoute>(
    method: R['method'],
    path: PathOf<R['path']>,
    ...request: {} extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]
  ): Promise<AnswerOf<R>>
  /**
   * Sends the same, and answers the Response before its body is read: for other media types, as text, bytes or a stream. The
   * time limits hold until then; `signal` ends its body as well.
   */
  response(method: string, path: string, request?: AnyRequest): Promise<Response>
  /** Stops listening to other tabs. */
  close(): void
  /** For `duet-api/client/subscriptions`. */
  readonly connection: Connection
}
/**
 * What `createClient` makes: a member for each resource (`client.posts.create(…)`), `signIn`, `signOut` and their
 * like, `graphql` and `request`. Every call rejects with DuetError.
 */
export type Client<S, V = CurrentVersion<S>> = ResourcesOf<S, V> & SessionMethods & FaceMethods & Typed<S>
/** Carries the type of the service. */
export interface Typed<out S> {
  readonly phantom?: S
}

/**
 * A client of the service at this address. `S` is the type of its definition, imported as a type: nothing of it is loaded.
 * Names are those of version `V`, the current one unless said.
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
  })
  const credential = credentialOf(options) ?? session
  const send = (sending: Sending): Promise<Answer> => sendAs(sending, credential)

  const own: SessionMethods & FaceMethods = {
    signIn: (login) => session.signIn(login),
    signOut: () => session.signOut(),
    restore: () => session.restore(),
    onSignedOut: (listener) => session.onSignedOut(listener),
    close: () => session.close(),
    graphql: (document, ...[variables, settings = {}]) =>
      askGraphql(send, document as GraphqlDocument<unknown, never>, variables, settings as CallOptions) as never,
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

/** Otherwise each call would be tried for half a minute, and then told as a failure of the network. */
function requireAddress(url: string): void {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const address = URL.parse(url, location?.href)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new TypeError(`A client needs an address such as https://api.example.com, not "${url}".`)
}

/** A credential that the application brings; undefined where people sign in here. */
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
