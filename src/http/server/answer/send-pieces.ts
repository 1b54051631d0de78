// Sends the pieces of a streamed answer as fast as they are read.

import type { ServerResponse } from 'node:http'
import { clientGone } from '../../../budget/deadline.ts'
import { type FailureCode, isUnavailable } from '../../../failure/failure.ts'
import { type Connection, endGently } from '../connection.ts'
import type { BodyReader, HttpExchange } from '../http-exchange.ts'
import type { Replier } from '../replier.ts'
import type { AnswerStream } from './answer-stream.ts'
import type { UnreadAnswers } from './unread-answers.ts'

export interface PieceDependencies {
  readonly exchange: HttpExchange
  readonly connection: Connection
  readonly unread: UnreadAnswers
  readonly replier: Pick<Replier, 'toThrown'>
  readonly limits: { readonly lingerMs: number }
}
interface StreamEnd {
  readonly status?: 0
  readonly failure?: FailureCode | null
}

/** Resolves when the answer has ended. If it fails midway the connection is cut, so that the client notices. (contract 8.4.9) */
export async function sendPieces(stream: AnswerStream, dependencies: PieceDependencies): Promise<StreamEnd> {
  const { exchange, connection, limits } = dependencies
  const response = exchange.response!
  try {
    await pump(stream, response, dependencies)
  } catch (thrown) {
    cutOff(response, connection)
    if (thrown === clientGone) return { status: 0 }
    return { failure: blame(thrown, dependencies) }
  }
  response.once('finish', () => {
    connection.finished()
    // Draining began after the head was sent.
    if (connection.endsSoon && !exchange.endsConnection && !connection.isWaiting) {
      connection.isEnding = true
      endGently(connection.socket, limits.lingerMs)
    }
  })
  response.end()
  return {}
}

async function pump(
  stream: AnswerStream,
  response: ServerResponse,
  { connection, unread }: PieceDependencies,
): Promise<void> {
  for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
    if (response.write(piece)) continue
    const bytes = unread.add(piece, connection)
    await stream.pause((resume) => response.once('drain', resume))
    unread.remove(bytes, connection)
  }
}

/** The failure for logs and metrics. A failure that cannot be sent any more is a bug, except a timeout. */
export function blame(
  thrown: unknown,
  { exchange, replier }: { readonly exchange: HttpExchange<BodyReader>; readonly replier: Pick<Replier, 'toThrown'> },
): FailureCode | null {
  const isForeseen = isUnavailable(thrown)
  const bug = () => new Error('A streamed answer failed after it had begun.', { cause: thrown })
  return replier.toThrown(exchange, isForeseen ? thrown : bug()).failure ?? null
}

/** Without the last chunk; without chunks by a reset, as a normal end would look complete. */
function cutOff(response: ServerResponse, { socket }: Connection): void {
  if (response.socket === null) response.once('socket', () => socket.destroy())
  else if (response.req.httpVersionMinor === 0) socket.resetAndDestroy()
  else socket.destroy()
}
