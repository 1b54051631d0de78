// Compresses large answers for clients that ask for it, on the thread pool, never on the main thread.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Limits } from '../limits.ts'
import { isStreamed, type Reply, type WholeReply } from './message/exchange.ts'
import { type Encoding, negotiateEncoding } from './message/negotiate.ts'
import { varyBy } from './message/vary.ts'

/**
 * The reply, compressed where it is large enough and `Accept-Encoding` allows it. The ETag stays as it is: it names a
 * version rather than bytes, a client sends it back in `If-Match`, and there are no ranges that could mix two encodings.
 */
export function compress(
  reply: Reply,
  acceptEncoding: string | undefined,
  limits: Pick<Limits, 'compressFromBytes'>,
): Reply | Promise<Reply> {
  // To compress what is made in pieces would hold pieces back.
  if (isStreamed(reply)) return reply
  const { body, headers } = reply
  // The length of a string is at most its bytes, and near enough.
  if (body === null || body.length < limits.compressFromBytes || headers['Content-Encoding'] !== undefined) return reply
  const varying = varyBy(reply, 'Accept-Encoding')
  const encoding = negotiateEncoding(acceptEncoding)
  return encoding === null ? varying : encode(varying, body, encoding)
}

async function encode(reply: WholeReply, body: string | Uint8Array, encoding: Encoding): Promise<Reply> {
  const encoded = encoding === 'br' ? await toBrotli(body, brotliOptions) : await toGzip(body)
  return { ...reply, headers: { ...reply.headers, 'Content-Encoding': encoding }, body: encoded }
}

const toBrotli = promisify<string | Uint8Array, object, Buffer>(brotliCompress)
const toGzip = promisify<string | Uint8Array, Buffer>(gzip)

// The default quality, 11, is meant for files compressed once: a hundred times slower for a few percent.
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
}
