// Answers requests: sends replies on their connections, and tells of them to whoever watches.

import type { Duplex } from 'node:stream'
import type { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Watch, WatchedReply } from '../../observation/watch.ts'
import { isStreamed, type Reply, type StreamedReply, type WholeReply } from '../message/exchange.ts'
import { type AnswerStream, type AnswerStreams, discard } from './answer-stream.ts'
import { type Connection, endGently } from './connection.ts'
import type { HttpExchange } from './http-exchange.ts'
import type { Replier } from './replier.ts'
import { type Envelope, isBodiless, requestIdFrom, respond, respondHead, respondRaw } from './respond.ts'
import { sendPieces } from './send-pieces.ts'
import type { UnreadAnswers } from './unread-answers.ts'

export interface ResponderDependencies {
  readonly limits: Pick<Limits, 'unreadBodyBytes' | 'lingerMs' | 'streamTimeoutMs'>
  readonly replier: Replier
  readonly unread: UnreadAnswers
  readonly streams: AnswerStreams
  readonly watch: Watch | undefined
  /** Finds the route of a path, for whoever watches, where nobody has set it on the way. */
  readonly patternOf: ((path: string) => string | null) | undefined
  readonly now: () => Date
  readonly findAddress: (peer: string, forwardedFor: string | undefined) => string
}

export class Responder {
  readonly #dependencies: ResponderDependencies

  constructor(dependencies: ResponderDependencies) {
    this.#dependencies = dependencies
  }

  /** Carries out a request and answers it. Never rejects. */
  async answer(exchange: HttpExchange, connection: Connection): Promise<void> {
    const { replier } = this.#dependencies
    let reply: Reply
    try {
      reply = await replier.ask(exchange)
    } catch (thrown) {
      // Last line of defence: an exception that is not caught here would crash the process.
      reply = replier.toThrown(exchange, thrown)
    }
    if (isStreamed(reply)) await this.#stream(reply, exchange, connection)
    else this.#send(reply, exchange, connection)
  }

  /** Answers a request that is not carried out. */
  refuse(failure: Failure, exchange: HttpExchange, connection: Connection): void {
    this.#send(this.#dependencies.replier.refuse(failure, exchange.path), exchange, connection)
  }

  /** Answers on the bare socket, and ends the connection; unless `ask` resolves with null, for somebody has taken it over. */
  async answerRaw(exchange: HttpExchange, socket: Duplex, ask: () => Promise<WholeReply | null>): Promise<void> {
    const { replier } = this.#dependencies
    let reply: WholeReply | null
    try {
      reply = await ask()
    } catch (thrown) {
      // As in `answer`.
      reply = replier.toThrown(exchange, thrown)
    }
    if (reply === null) {
      this.#report(exchange, switchingProtocols)
      return
    }
    try {
      this.#sendRaw(socket, reply, exchange)
    } catch (thrown) {
      // As in `#send`.
      reply = replier.toThrown(exchange, thrown)
      this.#sendRaw(socket, reply, withoutAdded(exchange))
    }
    this.#report(exchange, reply)
  }

  /** Answers what never became an exchange, on the bare socket, and ends the connection. */
  refuseRaw({ socket, peer }: Connection, failure: Failure, path: string | null): void {
    const { replier, findAddress, now, watch } = this.#dependencies
    const requestId = requestIdFrom(undefined)
    const reply = replier.refuse(failure, path)
    this.#sendRaw(socket, reply, { requestId, added: [], endsConnection: true })
    const address = findAddress(peer, undefined)
    watch?.({ method: '', path, route: null, requestId, address, principal: null, now: now() }, reply, 0)
  }

  #send(reply: Reply, exchange: HttpExchange, connection: Connection): void {
    const { replier } = this.#dependencies
    connection.answered()
    exchange.body?.release()
    const response = exchange.response!
    if (response.destroyed || connection.socket.destroyed) {
      exchange.releaseAnswer()
      // The client was told of no failure; a bug is one whoever was there.
      const failure = reply.failure === 'INTERNAL_ERROR' ? reply.failure : null
      this.#report(exchange, { ...reply, status: 0, failure })
      return
    }
    const leavesBytes = this.#decideEnd(exchange, connection)
    let reported = reply
    try {
      respond(response, reply, exchange, this.#finishing(reply, exchange, connection))
    } catch (thrown) {
      // A header that cannot be written, such as one with a line break in it. Nothing has been sent.
      exchange.releaseAnswer()
      reported = replier.toThrown(exchange, thrown)
      respond(response, reported, withoutAdded(exchange), connection.finished)
    }
    if (leavesBytes) exchange.body!.discard()
    this.#report(exchange, reported)
    connection.startQueued()
  }

  /** Whether the connection ends with this answer. True where bytes of the request are left that nobody has read. */
  #decideEnd(exchange: HttpExchange, connection: Connection): boolean {
    const { limits } = this.#dependencies
    const leavesBytes = exchange.body?.endsConnection(limits.unreadBodyBytes) ?? false
    // Not before the last one that was taken: those behind it are carried out, and need their answers.
    if (leavesBytes || (connection.endsSoon && exchange === connection.latest)) connection.endAfter(exchange)
    if (leavesBytes) {
      // What node:http calls after the last answer of a connection.
      connection.socket.destroySoon = () => endGently(connection.socket, limits.lingerMs)
    }
    return leavesBytes
  }

  /** Sends an answer while it is made; the connection carries out nothing else meanwhile. Never rejects. */
  async #stream(reply: StreamedReply, exchange: HttpExchange, connection: Connection): Promise<void> {
    const { limits, replier, streams } = this.#dependencies
    const report = (thrown: unknown): void => void replier.toThrown(exchange, thrown)
    if (exchange.method === 'HEAD' || isBodiless(reply.status)) {
      void discard(reply.body, report)
      return this.#send(reply, exchange, connection)
    }
    exchange.beginStream(limits.streamTimeoutMs)
    let stream: AnswerStream
    try {
      stream = await streams.open(reply.body, { signal: exchange.signal, report })
    } catch (thrown) {
      return this.#send(replier.toThrown(exchange, thrown), exchange, connection)
    }
    const leavesBytes = this.#decideEnd(exchange, connection)
    try {
      respondHead(exchange.response!, reply, exchange)
    } catch (thrown) {
      // As in `#send`.
      stream.stop(thrown)
      return this.#send(replier.toThrown(exchange, thrown), exchange, connection)
    }
    if (leavesBytes) exchange.body!.discard()
    const failure = await sendPieces(stream, { exchange, connection, ...this.#dependencies })
    connection.answered()
    exchange.body?.release()
    exchange.releaseAnswer()
    this.#report(exchange, { ...reply, ...failure })
    connection.startQueued()
  }

  /** What to do when this answer has left. */
  #finishing(reply: Reply, exchange: HttpExchange, connection: Connection): () => void {
    const { unread } = this.#dependencies
    const bytes = isStreamed(reply) ? 0 : unread.add(reply.body, connection)
    if (bytes === 0) {
      // One that grew large, and was refused or compressed.
      exchange.releaseAnswer()
      return connection.finished
    }
    return () => {
      exchange.releaseAnswer()
      unread.remove(bytes, connection)
      connection.finished()
      connection.startQueued()
    }
  }

  /** Called when the answer has been handed to the connection, so that watching delays none. */
  #report(exchange: HttpExchange, reply: WatchedReply): void {
    const { watch, patternOf } = this.#dependencies
    if (watch === undefined) return
    const durationMs = performance.now() - exchange.begunMs
    exchange.route ??= patternOf?.(exchange.path) ?? null
    watch(exchange, reply, durationMs)
  }

  /** Where node:http has no response to offer. */
  #sendRaw(socket: Duplex, reply: WholeReply, envelope: Envelope): void {
    respondRaw(socket, reply, envelope)
    endGently(socket, this.#dependencies.limits.lingerMs)
  }
}

/** Without what the pipeline added. */
const withoutAdded = ({ requestId, endsConnection }: HttpExchange): Envelope => ({
  requestId,
  endsConnection,
  added: [],
})

/** What a client is answered whose upgrade was accepted. */
const switchingProtocols: WatchedReply = { status: 101 }
