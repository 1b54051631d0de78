// What REST says of an answer that grew too large: in its own code, and how to ask for less. (contract 8.4.6)

import { Failure } from '../failure/failure.ts'
import type { Exchange } from '../http/message/exchange.ts'

/** The failure to answer with, where `thrown` came while an answer was made; `size` is that of the page, of a list. */
export function tooLargeOr(thrown: unknown, { size: { failure }, query }: Exchange, size?: number): unknown {
  if (thrown !== failure || failure?.code !== 'QUERY_TOO_COMPLEX') return thrown
  if (size === undefined) return new Failure('VALIDATION_ERROR', { message: failure.message })
  const field = new URLSearchParams(query).has('per_page') ? 'per_page' : 'limit'
  const message = `${failure.message} Ask for fewer than ${size} records.`
  return new Failure('VALIDATION_ERROR', { details: [{ field, message }] })
}
