// REST's own code for an answer that is too large, with advice. (contract 8.4.6)

import { Failure } from '../failure/failure.ts'
import type { Exchange } from '../http/message/exchange.ts'

/** Replaces the size's failure; `size`: page size of a list. */
export function tooLargeOr(thrown: unknown, { size: { failure }, query }: Exchange, size?: number): unknown {
  if (thrown !== failure || failure?.code !== 'QUERY_TOO_COMPLEX') return thrown
  if (size === undefined) return new Failure('VALIDATION_ERROR', { message: failure.message })
  const field = new URLSearchParams(query).has('per_page') ? 'per_page' : 'limit'
  const message = `${failure.message} Request fewer than ${size} records.`
  return new Failure('VALIDATION_ERROR', { details: [{ field, message }] })
}
