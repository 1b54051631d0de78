// `route(…)`: an address of an author's own, under the same authentication, limits, envelope and OpenAPI as all others.

import type { RouteRecords } from '../../program/route-records.ts'
import type { AsService } from '../../program/service-records.ts'
import type { Field } from '../../resource/field/field.ts'
import type { Anonymous, Caller, Permitted, Rule } from '../../resource/language/rule.ts'
import type { Composite, Word } from '../../resource/language/value-kind.ts'
import type { MomentLog } from './log.ts'
import type { RouteReply } from './reply.ts'
import type { Signature } from './signature.ts'

type FieldsOf<Kind> = { readonly [name: string]: Field<Kind & string, unknown, unknown, unknown, string, string> }
type Words = FieldsOf<Word>
export type Values = FieldsOf<Word | Composite>
type ValuesOf<F extends Values> = { readonly [N in keyof F]: F[N]['phantom']['value'] }

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Bodiless<Method> = Method extends 'GET' | 'DELETE' ? 'Only POST, PUT and PATCH have a body.' : unknown
/** `{name}` in `/api/v2/reports/{name}`. */
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** A limit of this route, beside the service's own. Routes that give the same one share it. */
export interface AuthorLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  /** Callers who are not signed in are counted by address in either case. */
  readonly by: 'address' | 'user'
}

/** A body that is handed to `handle` as it was sent. */
export interface RawBody {
  /** A larger one is 413. At most 16 MiB. */
  readonly maxBytes: number
  /** Any other is 415. Without it, any is taken. */
  readonly mediaTypes?: readonly `${string}/${string}`[]
}

/** What `handle` is given. */
export interface RouteMoment<
  Needs,
  Params extends Words,
  Query extends Words,
  Body extends Values,
  Headers extends Words,
> {
  /** Null where the rule lets in somebody who is not signed in. */
  readonly actor: Extract<Needs, Anonymous> extends never ? Caller : Caller | null
  readonly params: ValuesOf<Params>
  readonly query: ValuesOf<Query>
  /** Only the headers that `headers` names. */
  readonly headers: ValuesOf<Headers>
  /** The body: only what `body` names. */
  readonly input: ValuesOf<Body>
  /** Records as this caller may see and change them, by the rules of their resources. */
  readonly records: RouteRecords
  /** The same as the service itself, whoever calls: no rule is asked. For what the caller may not do and has proved a right to. */
  readonly asService: AsService
  readonly now: Date
  /** Aborts when the client goes away or the time limit is reached. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Writes lines that have the id of the request. */
  readonly log: MomentLog
}
/** A media type other than JSON, such as `text/csv`. */
type MediaType = `${string}/${string}`
/** Text, bytes, or pieces of them, of which one is asked for when the reader has room for it. */
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

/** An address of an author's own; inert until a service is started with it. */
export interface AuthorRoute {
  readonly method: RouteMethod
  readonly path: string
}

/** Carries the types of what it takes and answers, for the client. */
export interface TypedRoute<Method extends RouteMethod, Path, Query, Body, Answer> extends AuthorRoute {
  readonly method: Method
  readonly path: Path & string
  readonly phantom?: { readonly query: Query; readonly body: Body; readonly answer: Answer }
}

/**
 * An address of one's own. What `handle` answers goes out as `{ "data": … }`, only the parts that `answer` names; it says
 * no by throwing a Failure. Refused at the start where it contradicts itself or the service. (contract 5.4.3, 5.5)
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
>(
  method: Method,
  path: Path,
  definition: {
    /** What it does, in a few words: for the documentation. */
    readonly summary: string
    readonly description?: string
    /** Who may: `anyone`, `signedIn`, `may('orders:manage')`, or several of them. Cannot be left out. */
    readonly access: Access
    /** What stands in the path; a value that does not fit leads nowhere: 404. */
    readonly params?: Params & {
      readonly [N in keyof Params]: N extends NamesIn<Path> ? unknown : 'The path has no such part.'
    }
    readonly query?: Query
    /** Headers such as `stripeSignature: text({ max: 500 })`, which is `Stripe-Signature`. Credentials are handed to no route. */
    readonly headers?: Headers
    /** What JSON holds. `open({ … })` ignores members that it does not name. */
    readonly body?: Body & Bodiless<Method> & ([Raw] extends [never] ? unknown : 'A raw body is not described.')
    /** Takes the body as it was sent, of any media type unless it names some. */
    readonly raw?: Raw & Bodiless<Method>
    /** Who may send, known by a signature over the body: `standardWebhooks(secret)`, or one of your own. 401 without it. */
    readonly signed?: Signature
    /** The parts of `data`; or a media type, such as `text/csv`, of which `handle` answers text, bytes or a stream. Without it: 204. */
    readonly answer?: Answer
    /** Of an answer with `data`: 200 unless it says otherwise. What makes a record that has an address is an action. */
    readonly status?: 200 | 202
    readonly limit?: AuthorLimit | readonly AuthorLimit[]
    readonly handle: (
      moment: RouteMoment<Access['phantom']['needs'], Params, Query, Body, Headers> & Bytes<Raw>,
    ) => Handled<Answer>
  } & ([NamesIn<Path>] extends [never] ? unknown : { readonly params: { readonly [N in NamesIn<Path>]: unknown } }),
): TypedRoute<Method, Path, Query, Body, Answer> {
  return { method, path, ...definition } as never
}
