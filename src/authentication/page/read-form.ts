// Reads the forms of the service's own pages, which only these pages may send. (contract 5.17.3)

import { Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Json } from '../../json/json.ts'
import type { Limits } from '../../limits.ts'

/** Fails with UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or VALIDATION_ERROR for a field that is sent twice. */
export async function readForm(
  exchange: Exchange,
  { authBodyBytes }: Pick<Limits, 'authBodyBytes'>,
): Promise<Readonly<Record<string, string>>> {
  if (!isMediaType(exchange.headers, ['application/x-www-form-urlencoded'])) throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  const bytes = await exchange.bytes(authBodyBytes)
  const form = [...new URLSearchParams(Buffer.from(bytes).toString())]
  const values = new Map(form)
  if (values.size < form.length)
    throw new Failure('VALIDATION_ERROR', { details: [{ field: '', message: 'A field is sent twice.' }] })
  return Object.fromEntries(values)
}

/** The JSON in a field of a form. */
export function jsonIn(text: string | undefined): Json {
  try {
    return JSON.parse(text ?? 'null') as Json
  } catch {
    return null
  }
}
