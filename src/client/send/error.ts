// The error of all calls, with a code.

import type { CatalogueCode } from '../../failure/failure.ts'

/**
 * Errors found by the client: no answer (`NETWORK_ERROR`), none in time (`TIMEOUT`), one that is not the service's
 * (`UNEXPECTED_ANSWER`), or an ended session (`SIGNED_OUT`, with the service's error as cause).
 */
export type ClientCode = 'NETWORK_ERROR' | 'TIMEOUT' | 'UNEXPECTED_ANSWER' | 'SIGNED_OUT'
/** A code of the catalogue, of the client, or a resource's own instead of `NOT_FOUND`. */
export type ErrorCode = CatalogueCode | ClientCode | (string & {})

/** A problem of one field, by its TypeScript name. */
export interface ErrorDetail {
  readonly field: string
  readonly message: string
}
/** An entry of `errors` in a GraphQL answer. */
export interface GraphqlErrorEntry {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: ErrorCode; readonly details?: readonly ErrorDetail[] }
}

/** What `SECOND_FACTOR_REQUIRED` is completed with. (contract 5.13.1) */
export interface ErrorChallenge {
  readonly token: string
  readonly methods: readonly string[]
  readonly expiresInSeconds: number
}

export interface ErrorFacts {
  readonly status?: number
  readonly details?: readonly ErrorDetail[]
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly errors?: readonly GraphqlErrorEntry[]
  readonly data?: unknown
  readonly challenge?: ErrorChallenge | undefined
  readonly cause?: unknown
}

/** The rejection of a call, unless its own signal aborted it. Codes may be added: handle unknown ones. (contract 7.1) */
export class DuetError extends Error {
  override readonly name = 'DuetError'
  readonly code: ErrorCode
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  readonly details: readonly ErrorDetail[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** All errors of a GraphQL answer, and its partial data. */
  readonly errors: readonly GraphqlErrorEntry[]
  readonly data: unknown
  readonly challenge: ErrorChallenge | undefined

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.status = facts.status ?? 0
    this.details = facts.details ?? []
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.errors = facts.errors ?? []
    this.data = facts.data
    this.challenge = facts.challenge
  }
}
