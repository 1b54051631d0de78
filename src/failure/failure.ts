// Failures that the contract foresees: what a client can be told, and nothing else. (contract 7.1)

/** Every failure a client can receive, but for a service's own codes. Codes are forever: add, never rename. (contract 7.1.1) */
export const catalogue = {
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  UNAUTHENTICATED: { status: 401, message: 'Sign in to do this.' },
  INVALID_TOKEN: { status: 401, message: 'The token is not valid.' },
  TOKEN_EXPIRED: { status: 401, message: 'The token has expired.' },
  TOKEN_REUSED: { status: 401, message: 'The refresh token was already used. Every session of this user has ended.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The credentials are not valid.' },
  FORBIDDEN: { status: 403, message: 'You may not do this.' },
  INSUFFICIENT_SCOPE: { status: 403, message: 'The API key lacks the scope for this.' },
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This resource does not support that method.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  CONFLICT: { status: 409, message: 'The request conflicts with the present state.' },
  EVENTS_GONE: { status: 410, message: 'The events after that one are no longer kept: read anew what they changed.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  URI_TOO_LONG: { status: 414, message: 'The address is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  EXPECTATION_FAILED: { status: 417, message: 'That expectation cannot be met.' },
  BUSINESS_RULE_VIOLATION: { status: 422, message: 'A business rule does not allow this.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This idempotency key was used with another body.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side.' },
  UPSTREAM_ERROR: { status: 502, message: 'A service that this one depends on failed.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot answer at the moment.' },
  UPSTREAM_TIMEOUT: { status: 504, message: 'A service that this one depends on did not answer in time.' },
  GRAPHQL_PARSE_FAILED: { status: 400, message: 'The document cannot be parsed.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, message: 'The document is not valid for this schema.' },
  QUERY_TOO_DEEP: { status: 400, message: 'The query is too deep.' },
  QUERY_TOO_COMPLEX: { status: 400, message: 'The query is too complex.' },
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
