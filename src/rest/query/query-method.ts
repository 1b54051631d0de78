// QUERY on lists and summaries: GET whose parameters are a JSON body. (RFC 10008, contract 4.3.10)

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Json } from '../../json/json.ts'
import type { Limits } from '../../limits.ts'
import { readMembers } from './body.ts'

/** Names what a QUERY may contain. (RFC 10008 3) */
export const acceptQuery = { 'Accept-Query': 'application/json' } as const

/**
 * The query string that is equal to the body. Fails with VALIDATION_ERROR for parameters in the URL, a missing body or
 * `Content-Type`, and values that no query string has; UNSUPPORTED_MEDIA_TYPE for another type.
 */
export async function readQueryBody(exchange: Exchange, limits: Pick<Limits, 'restBodyBytes'>): Promise<string> {
  if (exchange.query !== '')
    throw new Failure('VALIDATION_ERROR', { message: 'QUERY has its parameters in the body, not in the URL.' })
  if (exchange.hasBody && exchange.headers['content-type'] === undefined)
    throw new Failure('VALIDATION_ERROR', { message: 'QUERY needs a Content-Type: application/json.' })
  const members = readMembers(await exchange.json(limits.restBodyBytes).catch(namingType))
  const problems: Detail[] = []
  const pairs = Object.entries(members).map(([name, value]) => {
    const text = textOf(value)
    if (text === null) problems.push({ field: name, message: 'Must be text, a number, a boolean or a list of them.' })
    return `${encodeURIComponent(name)}=${encodeURIComponent(text ?? '')}`
  })
  if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
  return pairs.join('&')
}

function namingType(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'UNSUPPORTED_MEDIA_TYPE') throw error
  throw new Failure(error.code, { message: error.message, headers: acceptQuery })
}

/** Caches that do not know QUERY would leave its body out of their keys. */
export const uncached = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' },
})

/** As in a query string, where commas separate the elements of a list. Null if there is no such text. */
function textOf(value: Json): string | null {
  if (!Array.isArray(value)) return scalarText(value as Json)
  const texts = value.map(scalarText)
  return texts.includes(null) ? null : texts.join(',')
}

const scalarText = (value: Json): string | null =>
  typeof value === 'string' && value.isWellFormed()
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : null
