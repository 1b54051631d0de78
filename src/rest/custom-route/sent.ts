// Reads the body of a custom route and verifies its signature, in the order in which failures win. (contract 5.5.2)

import type { RouteDefinition } from '../../custom-route/definition.ts'
import { findHeader } from '../../custom-route/header.ts'
import { isOpenBody } from '../../custom-route/open-body.ts'
import type { Signature } from '../../custom-route/signature.ts'
import { Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import { isMediaType } from '../../http/message/media-type.ts'
import type { Json } from '../../json/json.ts'
import type { Limits } from '../../limits.ts'

/** Read before access is checked. */
export interface SentBytes {
  readonly bytes: Uint8Array | null
  /** Undefined without a body, or if a signature must be verified first. */
  readonly json: Json | undefined
}

type Sending = Pick<RouteDefinition, 'raw' | 'signed' | 'body'>

/** Fails with PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR. */
export async function readSent(
  exchange: Exchange,
  { raw, signed, body }: Sending,
  { restBodyBytes }: Pick<Limits, 'restBodyBytes'>,
): Promise<SentBytes> {
  if (raw === undefined && signed === undefined) {
    const json = body === undefined ? undefined : await exchange.jsonIfSent(restBodyBytes, isOpenBody(body))
    return { bytes: null, json }
  }
  if (raw?.mediaTypes !== undefined && !isMediaType(exchange.headers, raw.mediaTypes)) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${raw.mediaTypes.join(' or ')}.` })
  }
  return { bytes: await exchange.bytes(raw?.maxBytes ?? restBodyBytes), json: undefined }
}

/** The JSON of a message with a valid signature. Fails with UNAUTHENTICATED, or as `exchange.json`. */
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
  return body === undefined ? undefined : await exchange.json(restBodyBytes, isOpenBody(body))
}
