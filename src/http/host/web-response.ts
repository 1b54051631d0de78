// A reply as a fetch response, with the headers that every answer has. (contract 4.10)

import type { Reply } from '../message/exchange.ts'
import { type Envelope, headersOf, isBodiless } from '../server/respond.ts'

/** Throws where a header cannot be written. HEAD, 204 and 304 send no body. */
export function webResponse(reply: Reply, envelope: Envelope, method: string): Response {
  const { status, body } = reply
  const bytes = body === null ? 0 : Buffer.byteLength(body)
  const names = headersOf(reply, bytes, envelope)
  const headers = new Headers()
  for (let index = 0; index < names.length; index += 2) headers.append(names[index]!, names[index + 1]!)
  const isSent = body !== null && method !== 'HEAD' && !isBodiless(status)
  return new Response(isSent ? (body as string | Uint8Array<ArrayBuffer>) : null, { status, headers })
}
