// What a client sends to a custom route: its body, and whether that is signed, in the order in which failures win. (contract 5.5.2)

import { Failure } from '../../failure/failure.ts'
import type { Exchange, Json } from '../../http/message/exchange.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Limits } from '../../limits.ts'
import type { RouteDefinition } from './definition.ts'
import { findHeader } from './header.ts'
import type { Signature } from './signature.ts'

/** What is read before anybody asks who may. */
export interface SentBytes {
  readonly bytes: Uint8Array | null
  /** Undefined where there is none, or where its signature has to be verified first. */
  readonly json: Json | undefined
}

type Sending = Pick<RouteDefinition, 'raw' | 'signed' | 'body'>

/** PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR. */
export async function readSent(
  exchange: Exchange,
  { raw, signed, body }: Sending,
  { restBodyBytes }: Pick<Limits, 'restBodyBytes'>,
): Promise<SentBytes> {
  if (raw === undefined && signed === undefined) {
    const isSent = body !== undefined && exchange.hasBody
    return { bytes: null, json: isSent ? await exchange.json(restBodyBytes) : undefined }
  }
  if (raw?.mediaTypes !== undefined && !isMediaType(exchange.headers, raw.mediaTypes)) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${raw.mediaTypes.join(' or ')}.` })
  }
  return { bytes: await exchange.bytes(raw?.maxBytes ?? restBodyBytes), json: undefined }
}

/** The body as JSON, of a message that is the sender's own. UNAUTHENTICATED, and what `exchange.json` fails with. */
export async function readSigned(
  exchange: Exchange,
  { signed, body }: { readonly signed: Signature; readonly body: RouteDefinition['body'] },
  { bytes }: SentBytes,
  { restBodyBytes }: Pick<Limits, 'restBodyBytes'>,
): Promise<Json | undefined> {
  const names = signed.headers.map((name) => name.toLowerCase())
  const headers = Object.fromEntries(names.map((name) => [name, findHeader(exchange.headers, name)]))
  const isOwn = await signed.verify({ bytes: bytes!, headers, now: exchange.now })
  if (isOwn !== true) {
    throw new Failure('UNAUTHENTICATED', { message: 'The signature of this message is missing, wrong or too old.' })
  }
  return body === undefined ? undefined : await exchange.json(restBodyBytes)
}
