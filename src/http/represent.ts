// Chooses the representation of an answer: compressed, or 304 if the client has it. Compression runs on the thread pool.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Limits } from '../limits.ts'
import { encodedETag, matchesNone } from './message/conditional.ts'
import { type Exchange, isStreamed, type Reply, type WholeReply } from './message/exchange.ts'
import { type Encoding, negotiateEncoding } from './message/negotiate.ts'
import { varyBy } from './message/vary.ts'

/**
 * Compresses if the reply is large enough and `Accept-Encoding` allows it, with an ETag of its own. 304 if a read matches
 * `If-None-Match`. (contract 4.11.3, 4.11.8)
 */
export function represent(
  reply: Reply,
  { method, headers: { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } }: Request,
  limits: Pick<Limits, 'compressFromBytes'>,
): Reply | Promise<Reply> {
  // Compression would delay streamed pieces.
  if (isStreamed(reply) || reply.body === null) return reply
  const isLarge = isCompressible(reply, limits)
  const varying = isLarge ? varyBy(reply, 'Accept-Encoding') : reply
  const encoding = isLarge ? negotiateEncoding(acceptEncoding as string | undefined) : null
  const tagged = encoding === null ? varying : withEncoding(varying, encoding)
  const etag = tagged.headers['ETag'] as string | undefined
  if (ifNoneMatch !== undefined && etag !== undefined && isRead(method) && matchesNone(ifNoneMatch, etag))
    return unchanged(tagged)
  return encoding === null ? tagged : encode(tagged, reply.body, encoding)
}

type Request = Pick<Exchange, 'method' | 'headers'>
const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'QUERY'

/** String length approximates its bytes from below. */
const isCompressible = ({ body, headers }: WholeReply, { compressFromBytes }: Pick<Limits, 'compressFromBytes'>) =>
  body !== null && body.length >= compressFromBytes && headers['Content-Encoding'] === undefined

function unchanged({ headers, operation }: WholeReply): WholeReply {
  const { 'Content-Type': _, 'Content-Encoding': __, ...kept } = headers
  return { status: 304, headers: kept, body: null, ...(operation === undefined ? {} : { operation }) }
}

function withEncoding(reply: WholeReply, encoding: Encoding): WholeReply {
  const { ETag: etag } = reply.headers
  const named = typeof etag === 'string' ? { ETag: encodedETag(etag, encoding) } : {}
  return { ...reply, headers: { ...reply.headers, ...named, 'Content-Encoding': encoding } }
}

async function encode(reply: WholeReply, body: string | Uint8Array, encoding: Encoding): Promise<Reply> {
  const encoded = encoding === 'br' ? await toBrotli(body, brotliOptions) : await toGzip(body)
  return { ...reply, body: encoded }
}

const toBrotli = promisify<string | Uint8Array, object, Buffer>(brotliCompress)
const toGzip = promisify<string | Uint8Array, Buffer>(gzip)

// The default quality, 11, is for files compressed once: a hundred times slower for a few percent.
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
}
