// Everything that can go wrong with a call, as one class with a code.

import type { CatalogueCode } from '../failure/failure.ts'

/**
 * What only a client can find: no answer (`NETWORK_ERROR`), none in time (`TIMEOUT`), one that is not the service's
 * (`UNEXPECTED_ANSWER`), or a session that has ended (`SIGNED_OUT`, with what the service said as its cause).
 */
export type ClientCode = 'NETWORK_ERROR' | 'TIMEOUT' | 'UNEXPECTED_ANSWER' | 'SIGNED_OUT'
/** One of the catalogue's, the client's, or the code of its own that a resource has in place of `NOT_FOUND`. */
export type ErrorCode = CatalogueCode | ClientCode | (string & {})

/** A problem of one field, by the name that it has in TypeScript. */
export interface ErrorDetail {
  readonly field: string
  readonly message: string
}
/** One of the errors of a GraphQL answer. */
export interface GraphqlErrorEntry {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: ErrorCode; readonly details?: readonly ErrorDetail[] }
}

export interface ErrorFacts {
  readonly status?: number
  readonly details?: readonly ErrorDetail[]
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly errors?: readonly GraphqlErrorEntry[]
  readonly data?: unknown
  readonly cause?: unknown
}

/** What a call rejects with, unless its own signal cancelled it. Codes are only ever added: have a default. (contract 7.1) */
export class DuetError extends Error {
  override readonly name = 'DuetError'
  readonly code: ErrorCode
  /** Of the HTTP answer; 0 where there was none. */
  readonly status: number
  readonly details: readonly ErrorDetail[]
  /** What the service's log knows this call by. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** All errors of a GraphQL answer, and the data that came with them. */
  readonly errors: readonly GraphqlErrorEntry[]
  readonly data: unknown

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.status = facts.status ?? 0
    this.details = facts.details ?? []
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.errors = facts.errors ?? []
    this.data = facts.data
  }
}
