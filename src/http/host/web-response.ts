// Turns a reply into a fetch response, with the headers of every answer. (contract 4.10)

import { clientGone } from '../../budget/deadline.ts'
import type { Reply, StreamedReply, WholeReply } from '../message/exchange.ts'
import type { AnswerStream } from '../server/answer/answer-stream.ts'
import { type Envelope, headersOf, isBodiless } from '../server/respond.ts'

/** Throws if a header cannot be written. HEAD, 204 and 304 have no body. */
export function webResponse(reply: WholeReply, envelope: Envelope, method: string): Response {
  const { status, body } = reply
  const bytes = body === null ? 0 : Buffer.byteLength(body)
  const isSent = body !== null && method !== 'HEAD' && !isBodiless(status)
  return new Response(isSent ? (body as string | Uint8Array<ArrayBuffer>) : null, initOf(reply, bytes, envelope))
}

/** A response of unknown length; HEAD has no stream. Throws if a header cannot be written. */
export const streamedResponse = (
  reply: StreamedReply,
  stream: ReadableStream<Uint8Array> | null,
  envelope: Envelope,
): Response => new Response(stream, initOf(reply, null, envelope))

/** Pulls each piece when the host has room. `end` resolves with the reason for an early stop, or null. */
export const webStream = (stream: AnswerStream, end: Promise<unknown>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      start(controller) {
        void end.then((reason) => reason !== null && controller.error(reason))
      },
      async pull(controller) {
        const piece = await stream.next()
        if (piece === null) controller.close()
        else controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece)
      },
      cancel: () => stream.stop(clientGone),
    },
    { highWaterMark: 0 },
  )

function initOf(reply: Reply, bytes: number | null, envelope: Envelope): { status: number; headers: Headers } {
  const names = headersOf(reply, bytes, envelope)
  const headers = new Headers()
  for (let index = 0; index < names.length; index += 2) headers.append(names[index]!, names[index + 1]!)
  return { status: reply.status, headers }
}
