// `route(…)`: a custom route, under the same authentication, limits, envelope and OpenAPI as resources.

import type { RouteRecords } from '../action/code/route-records.ts'
import type { AsService } from '../action/code/service-records.ts'
import type { Field } from '../resource/field/field.ts'
import type { Composite, Word } from '../resource/language/row/value-kind.ts'
import type { Anonymous, CallerAccount, Permitted, Rule } from '../resource/language/rule/rule.ts'
import type { MomentLog } from './log.ts'
import type { RouteReply } from './reply.ts'
import type { Signature } from './signature.ts'

type FieldsOf<Kind> = { readonly [name: string]: Field<Kind & string, unknown, unknown, unknown, string, string> }
type Words = FieldsOf<Word>
export type Values = FieldsOf<Word | Composite>
type ValuesOf<F extends Values> = { readonly [N in keyof F]: F[N]['phantom']['value'] }

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Bodiless<Method> = Method extends 'GET' | 'DELETE' ? 'Only POST, PUT and PATCH have a body.' : unknown
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A limit of this route besides the service's. Routes with an equal limit share it. */
export interface AuthorLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  /** Anonymous callers are always counted by address. */
  readonly by: 'address' | 'user'
}

/** The field that a route is in GraphQL: its name, or its name and what it adds to the complexity of a query. */
export type RouteField = string | { readonly name: string; readonly cost: number }

/** A body passed to `handle` unparsed. */
export interface RawBody {
  /** Larger bodies get 413. At most 16 MiB. */
  readonly maxBytes: number
  /** Others get 415. By default, any is accepted. */
  readonly mediaTypes?: readonly `${string}/${string}`[]
}

export interface RouteMoment<
  Needs,
  Params extends Words,
  Query extends Words,
  Body extends Values,
  Headers extends Words,
> {
  /** Null for an anonymous caller, if `access` permits them. */
  readonly actor: Extract<Needs, Anonymous> extends never ? CallerAccount : CallerAccount | null
  readonly params: ValuesOf<Params>
  readonly query: ValuesOf<Query>
  /** Only those named in `headers`. */
  readonly headers: ValuesOf<Headers>
  /** The body: only what `body` names. */
  readonly input: ValuesOf<Body>
  /** Records that this caller may read and change, by the rules of their resources. */
  readonly records: RouteRecords
  /** Without rules, as the service itself: for an entitlement proved in another way. */
  readonly asService: AsService
  readonly now: Date
  /** Aborts when the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Adds the request's id to each line. */
  readonly log: MomentLog
}
type MediaType = `${string}/${string}`
/** What a field of GraphQL cannot have: headers, a body that is not described, an answer that is not JSON. */
type FieldRule<Headers, Raw, Signed, Answer> = {} extends Headers
  ? [Raw | Signed | Extract<Answer, MediaType>] extends [never]
    ? unknown
    : noField
  : noField
type noField = 'A field of GraphQL has no headers, raw or signed body, or media type.'
/** Text, bytes, or a stream of them, read as fast as the client reads. */
type MediaBody = string | Uint8Array | AsyncIterable<string | Uint8Array>
type Answered<Answer> = Answer extends MediaType
  ? MediaBody | RouteReply<MediaBody>
  : Answer extends Values
    ? ValuesOf<Answer>
    : never
type Handled<Answer> = [Answer] extends [never]
  ? Promise<void>
  : Promise<Answered<Answer>> | (Answer extends MediaType ? AsyncIterable<string | Uint8Array> : never)
type Bytes<Raw> = [Raw] extends [never] ? unknown : { readonly bytes: Uint8Array }

/** A custom route; inert until a service is started with it. */
export interface AuthorRoute {
  readonly method: RouteMethod
  readonly path: string
}

/** Carries the types of input and answer for the client. */
export interface TypedRoute<Method extends RouteMethod, Path, Query, Body, Answer> extends AuthorRoute {
  readonly method: Method
  readonly path: Path & string
  readonly phantom?: { readonly query: Query; readonly body: Body; readonly answer: Answer }
}

/**
 * Defines a custom route. `handle`'s result becomes `{ "data": … }` with the parts that `answer` names; throw a Failure to
 * refuse. Contradictions are errors at the start. (contract 5.4.3, 5.5)
 */
export function route<
  const Method extends RouteMethod,
  const Path extends `/api/v${number}/${string}` | `/.well-known/${string}`,
  Access extends Rule<never, {}, Anonymous | Permitted<`${string}:${string}`>>,
  Params extends Words = {},
  Query extends Words = {},
  Body extends Values = {},
  Answer extends Values | MediaType = never,
  Headers extends Words = {},
  Raw extends RawBody = never,
  Signed extends Signature = never,
>(
  method: Method,
  path: Path,
  definition: {
    /** A few words for the documentation. */
    readonly summary: string
    readonly description?: string
    /** `anyone`, `signedIn`, `may('orders:manage')`, or several of them. Required. */
    readonly access: Access
    /** Path segments; an invalid value answers 404. */
    readonly params?: Params & {
      readonly [N in keyof Params]: N extends NamesIn<Path> ? unknown : 'The path has no such part.'
    }
    readonly query?: Query
    /** Such as `stripeSignature: text({ max: 500 })` for `Stripe-Signature`. Credentials cannot be read. */
    readonly headers?: Headers
    /** The JSON body. `open({ … })` ignores members that it does not name. */
    readonly body?: Body & Bodiless<Method> & ([Raw] extends [never] ? unknown : 'A raw body is not described.')
    /** Takes the body unparsed, in any media type or those named. */
    readonly raw?: Raw & Bodiless<Method>
    /** Authenticates senders by a signature over the body: `standardWebhooks(secret)`, or a custom one. 401 without it. */
    readonly signed?: Signed
    /** The parts of `data`, or a media type such as `text/csv` for text, bytes or a stream. By default: 204. */
    readonly answer?: Answer
    /** Of an answer with `data`; by default 200. To create a record with an address, define an action. */
    readonly status?: 200 | 202
    readonly limit?: AuthorLimit | readonly AuthorLimit[]
    /** The route is this field of GraphQL as well, `freeTimes`: a query if it is a GET, otherwise a mutation. Its cost is 20. */
    readonly field?: RouteField & FieldRule<Headers, Raw, Signed, Answer>
    readonly handle: (
      moment: RouteMoment<Access['phantom']['needs'], Params, Query, Body, Headers> & Bytes<Raw>,
    ) => Handled<Answer>
  } & ([NamesIn<Path>] extends [never] ? unknown : { readonly params: { readonly [N in NamesIn<Path>]: unknown } }),
): TypedRoute<Method, Path, Query, Body, Answer> {
  return { method, path, ...definition } as never
}
