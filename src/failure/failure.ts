// Failures that the contract foresees. (contract 7.1)

/** Every failure, except a service's own codes. Codes are permanent: add, never rename. (contract 7.1.1) */
export const catalogue = {
  /** The request is malformed; `details` names every problem by its field. */
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  /** A credential is required and none was sent. */
  UNAUTHENTICATED: { status: 401, message: 'Sign in to do this.' },
  /** The credential is unknown, malformed or revoked. */
  INVALID_TOKEN: { status: 401, message: 'The token is not valid.' },
  /** The token has expired: refresh it, or sign in. */
  TOKEN_EXPIRED: { status: 401, message: 'The token has expired.' },
  /** A refresh token was used twice: it may be stolen, so every session of its user has ended. */
  TOKEN_REUSED: { status: 401, message: 'The refresh token was already used. Every session of this user has ended.' },
  /** The login or the password is wrong; which of them is not revealed. */
  INVALID_CREDENTIALS: { status: 401, message: 'The credentials are not valid.' },
  /** The address of the account is not proved yet; a mail with a token is sent at sign-up and on request. */
  VERIFICATION_REQUIRED: { status: 401, message: 'Confirm your address first.' },
  /** The account has another factor: prove it with `error.challenge`. */
  SECOND_FACTOR_REQUIRED: { status: 401, message: 'Prove a second factor to sign in.' },
  /** The sign-in is too long ago: authenticate again and repeat the request. */
  REAUTHENTICATION_REQUIRED: { status: 401, message: 'Authenticate again to do this.' },
  /** The caller may read the record, but may not do this. */
  FORBIDDEN: { status: 403, message: 'You may not do this.' },
  /** The owner of the API key may do this, but the key may not. */
  INSUFFICIENT_SCOPE: { status: 403, message: 'The API key lacks the scope for this.' },
  /** There is no such record, address or version, or the caller may not see it. */
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  /** The address exists without that method; `Allow` lists its methods. */
  METHOD_NOT_ALLOWED: { status: 405, message: 'This resource does not support that method.' },
  /** The headers or the body arrived too slowly. */
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  /** A value is taken, the state or version differs, or the same request is still running. */
  CONFLICT: { status: 409, message: 'The request conflicts with the present state.' },
  /** A subscriber resumes after an event that is no longer kept. */
  EVENTS_GONE: { status: 410, message: 'The events after that one are no longer kept: read anew what they changed.' },
  /** The body exceeds its limit. */
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  /** The request target exceeds its limit. */
  URI_TOO_LONG: { status: 414, message: 'The address is too long.' },
  /** The body is not JSON in UTF-8, or is compressed. */
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  /** `Expect` is not `100-continue`. */
  EXPECTATION_FAILED: { status: 417, message: 'That expectation cannot be met.' },
  /** A `check`, an effect or an invariant of the definition refuses; the message is the definition's. */
  BUSINESS_RULE_VIOLATION: { status: 422, message: 'A business rule does not allow this.' },
  /** The idempotency key was used with another body. */
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This idempotency key was used with another body.' },
  /** A rate limit is exceeded; `Retry-After` is the time to wait. */
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests.' },
  /** All headers together exceed their limit. */
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  /** A bug of the service; its log has the request id and the cause. */
  INTERNAL_ERROR: { status: 500, message: 'The service failed.' },
  /** A dependency of the service failed. */
  UPSTREAM_ERROR: { status: 502, message: 'A service that this one depends on failed.' },
  /** Overload, a lost database or a stopping instance; `Retry-After` is the time to wait. */
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot answer at the moment.' },
  /** A dependency of the service was too slow. */
  UPSTREAM_TIMEOUT: { status: 504, message: 'A service that this one depends on did not answer in time.' },
  /** The document is not GraphQL, or has too many tokens. */
  GRAPHQL_PARSE_FAILED: { status: 400, message: 'The document cannot be parsed.' },
  /** The document does not match the schema, or the variables are invalid. */
  GRAPHQL_VALIDATION_FAILED: { status: 400, message: 'The document is not valid for this schema.' },
  /** Selections are nested too deeply. */
  QUERY_TOO_DEEP: { status: 400, message: 'The query is too deep.' },
  /** Cost, nodes, mutations or the bytes of the answer exceed their limit. */
  QUERY_TOO_COMPLEX: { status: 400, message: 'The query is too complex.' },
  /** Only a hash was sent, and its document is unknown: send both. Clients compare the message. */
  PERSISTED_QUERY_NOT_FOUND: { status: 400, message: 'PersistedQueryNotFound' },
} as const satisfies Record<string, { status: number; message: string }>

declare const ownCode: unique symbol
export type CatalogueCode = keyof typeof catalogue
/** A resource's replacement of NOT_FOUND. Only `toOwnCode` makes one, so a misspelt code does not compile. */
export type OwnCode = string & { readonly [ownCode]: true }
/** The code of a failure: one of the catalogue, or a resource's own instead of NOT_FOUND. */
export type FailureCode = CatalogueCode | OwnCode

export const isCatalogueCode = (code: string): code is CatalogueCode => Object.hasOwn(catalogue, code)
/** Expects a definition without contradictions. */
export const toOwnCode = (code: string): OwnCode => code as OwnCode

/** The message of COURSE_NOT_FOUND is "There is no such course." */
export function statementOf(code: FailureCode): { readonly status: number; readonly message: string } {
  if (isCatalogueCode(code)) return catalogue[code]
  const [, thing] = /^(.+)_NOT_FOUND$/.exec(code) ?? []
  if (thing === undefined) return catalogue.NOT_FOUND
  return { ...catalogue.NOT_FOUND, message: `There is no such ${thing.toLowerCase().replaceAll('_', ' ')}.` }
}

/** `target` is the index of the target in a call for many. */
export interface Detail {
  readonly field: string
  readonly message: string
  readonly target?: number
}

export interface FailureChallenge {
  readonly token: string
  /** What completes it: `totp`, `recovery_code`, `passkey` or `setup`. */
  readonly methods: readonly string[]
  readonly expiresInSeconds: number
}

/** What a failure adds to its code. */
export interface FailureOptions {
  /** Replaces the catalogue's message. */
  readonly message?: string
  readonly details?: readonly Detail[]
  /** For the log only. */
  readonly cause?: unknown
  /** Becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Of REAUTHENTICATION_REQUIRED: how long ago the caller may have authenticated. */
  readonly maxAgeSeconds?: number
  /** Of SECOND_FACTOR_REQUIRED only. */
  readonly challenge?: FailureChallenge
  /** The index of the failed target in a call for many. */
  readonly target?: number
  /** Headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that the contract foresees. Faces turn it into status, headers and envelope. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly details: readonly Detail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly maxAgeSeconds: number | undefined
  readonly challenge: FailureChallenge | undefined
  readonly target: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: FailureCode, options: FailureOptions = {}) {
    // No stack trace: a failure is not a bug, and collecting one costs time under attack.
    const { status, message } = statementOf(code)
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(options.message ?? message, options.cause === undefined ? undefined : { cause: options.cause })
    Error.stackTraceLimit = limit
    this.code = code
    this.status = status
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.maxAgeSeconds = options.maxAgeSeconds
    this.challenge = options.challenge
    this.target = options.target
    this.headers = options.headers
  }
}

/** The same failure, about other parts of the request. What is unavailable is so for all of it. */
export function placeFailure(failure: Failure, places: FailurePlaces): Failure {
  if (isUnavailable(failure)) return failure
  const { code, message, cause } = failure
  return new Failure(code, { ...failure, message, cause, ...places } as FailureOptions)
}
interface FailurePlaces {
  readonly details: readonly Detail[] | undefined
  readonly target: number | undefined
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'

/** A violation is a bug: the client gets INTERNAL_ERROR, the log gets the message. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Invariant violated: ${why}`)
}
