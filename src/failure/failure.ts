// Failures that the contract foresees: what a client can be told, and nothing else. (contract 7.1)

/** Every failure a client can receive, but for a service's own codes. Codes are forever: add, never rename. (contract 7.1.1) */
export const catalogue = {
  /** The form of the request is wrong; `details` names every problem by its field. */
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  /** No credential was sent where one is needed. */
  UNAUTHENTICATED: { status: 401, message: 'Sign in to do this.' },
  /** The credential is none of ours, is malformed, or was revoked. */
  INVALID_TOKEN: { status: 401, message: 'The token is not valid.' },
  /** The token was valid until now: refresh it, or sign in. */
  TOKEN_EXPIRED: { status: 401, message: 'The token has expired.' },
  /** A refresh token came a second time: it may be stolen, so every session of its user has ended. */
  TOKEN_REUSED: { status: 401, message: 'The refresh token was already used. Every session of this user has ended.' },
  /** The login or the password is wrong; which of them is not told. */
  INVALID_CREDENTIALS: { status: 401, message: 'The credentials are not valid.' },
  /** Whoever asks may read the record, and may not do this. */
  FORBIDDEN: { status: 403, message: 'You may not do this.' },
  /** The owner of the API key may do this, and the key may not. */
  INSUFFICIENT_SCOPE: { status: 403, message: 'The API key lacks the scope for this.' },
  /** There is no such record, address or version, or whoever asks may not know of it. */
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  /** The address exists without that method; `Allow` names those that it has. */
  METHOD_NOT_ALLOWED: { status: 405, message: 'This resource does not support that method.' },
  /** The headers or the body came too slowly. */
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  /** A value is taken, the state or the version is another one, or the same request still runs. */
  CONFLICT: { status: 409, message: 'The request conflicts with the present state.' },
  /** A subscriber resumes after an event that is no longer kept. */
  EVENTS_GONE: { status: 410, message: 'The events after that one are no longer kept: read anew what they changed.' },
  /** The body is larger than its limit. */
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  /** The request target is longer than its limit. */
  URI_TOO_LONG: { status: 414, message: 'The address is too long.' },
  /** The body is no JSON in UTF-8, or is compressed. */
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  /** `Expect` says something other than `100-continue`. */
  EXPECTATION_FAILED: { status: 417, message: 'That expectation cannot be met.' },
  /** A `check`, an effect or an invariant of the definition says no; the message is its sentence. */
  BUSINESS_RULE_VIOLATION: { status: 422, message: 'A business rule does not allow this.' },
  /** The idempotency key came with another body before. */
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This idempotency key was used with another body.' },
  /** A bucket is empty; `Retry-After` says when the next request makes sense. */
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests.' },
  /** The headers together are larger than their limit. */
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  /** A bug of the service; its log has the request id and the rest. */
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side.' },
  /** Something that the service depends on failed. */
  UPSTREAM_ERROR: { status: 502, message: 'A service that this one depends on failed.' },
  /** Overload, a lost database or a stopping instance; `Retry-After` says when to come back. */
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot answer at the moment.' },
  /** Something that the service depends on was too slow. */
  UPSTREAM_TIMEOUT: { status: 504, message: 'A service that this one depends on did not answer in time.' },
  /** The document is no GraphQL, or has too many tokens. */
  GRAPHQL_PARSE_FAILED: { status: 400, message: 'The document cannot be parsed.' },
  /** The document asks for what the schema does not have, or variables do not fit. */
  GRAPHQL_VALIDATION_FAILED: { status: 400, message: 'The document is not valid for this schema.' },
  /** Selections are nested too deeply. */
  QUERY_TOO_DEEP: { status: 400, message: 'The query is too deep.' },
  /** Cost, nodes, mutations or the bytes of the answer are beyond their limit. */
  QUERY_TOO_COMPLEX: { status: 400, message: 'The query is too complex.' },
  /** Only a hash was sent, and no document is known by it: send both. The message is what clients look for. */
  PERSISTED_QUERY_NOT_FOUND: { status: 400, message: 'PersistedQueryNotFound' },
} as const satisfies Record<string, { status: number; message: string }>

declare const ownCode: unique symbol
export type CatalogueCode = keyof typeof catalogue
/** What a resource says in place of NOT_FOUND. Only `toOwnCode` makes one, so that a misspelt code does not compile. */
export type OwnCode = string & { readonly [ownCode]: true }
/** A code of the catalogue, or what a resource says in place of NOT_FOUND. (contract 7.1.1) */
export type FailureCode = CatalogueCode | OwnCode

/** Whether a code is one of the catalogue's. */
export const isCatalogueCode = (code: string): code is CatalogueCode => Object.hasOwn(catalogue, code)
/** A code of the service's own, once its definition has no contradiction. */
export const toOwnCode = (code: string): OwnCode => code as OwnCode

/** The status of a code, and its sentence: COURSE_NOT_FOUND is "There is no such course." */
export function statementOf(code: FailureCode): { readonly status: number; readonly message: string } {
  if (isCatalogueCode(code)) return catalogue[code]
  const [, thing] = /^(.+)_NOT_FOUND$/.exec(code) ?? []
  if (thing === undefined) return catalogue.NOT_FOUND
  return { ...catalogue.NOT_FOUND, message: `There is no such ${thing.toLowerCase().replaceAll('_', ' ')}.` }
}

/** One problem of one field. `target` is the index of the target in a call for many. */
export interface Detail {
  readonly field: string
  readonly message: string
  readonly target?: number
}

/** What one failure says beside its code. */
export interface FailureOptions {
  /** A sentence for this one case, instead of the catalogue's. */
  readonly message?: string
  readonly details?: readonly Detail[]
  /** For the log only. */
  readonly cause?: unknown
  /** Seconds after which another try makes sense: becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** The index of the target that failed, in a call for many. */
  readonly target?: number
  /** Answer headers that belong to this failure, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer the contract foresees. Faces turn it into status, headers and envelope; it carries no stack to speak of. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly details: readonly Detail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly target: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: FailureCode, options: FailureOptions = {}) {
    // A failure is an answer, not a bug: collecting a stack would only cost time under attack.
    const { status, message } = statementOf(code)
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(options.message ?? message, options.cause === undefined ? undefined : { cause: options.cause })
    Error.stackTraceLimit = limit
    this.code = code
    this.status = status
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.target = options.target
    this.headers = options.headers
  }
}

/** States what must hold. A violation is a bug: the client gets INTERNAL_ERROR, the log gets the sentence. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${why}`)
}
