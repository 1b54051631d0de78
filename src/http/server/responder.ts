// Sends replies on their connections, and reports them to `watch`.

import type { Duplex } from 'node:stream'
import type { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Watch, WatchedReply } from '../../observation/watch.ts'
import { isStreamed, type Reply, type StreamedReply, type WholeReply } from '../message/exchange.ts'
import { type AnswerStream, type AnswerStreams, discard } from './answer/answer-stream.ts'
import { sendPieces } from './answer/send-pieces.ts'
import type { UnreadAnswers } from './answer/unread-answers.ts'
import { type Connection, endGently } from './connection.ts'
import type { HttpExchange } from './http-exchange.ts'
import type { Replier } from './replier.ts'
import { bare, type Envelope, isBodiless, requestIdFrom, respond, respondHead, respondRaw } from './respond.ts'

export interface ResponderDependencies {
  readonly limits: Pick<Limits, 'unreadBodyBytes' | 'lingerMs' | 'streamTimeoutMs'>
  readonly replier: Replier
  readonly unread: UnreadAnswers
  readonly streams: AnswerStreams
  readonly watch: Watch | undefined
  readonly now: () => Date
  readonly findAddress: (peer: string, forwardedFor: string | undefined) => string
}

export class Responder {
  readonly #dependencies: ResponderDependencies

  constructor(dependencies: ResponderDependencies) {
    this.#dependencies = dependencies
  }

  /** Never rejects. */
  async answer(exchange: HttpExchange, connection: Connection): Promise<void> {
    const reply = await this.#dependencies.replier.reply(exchange)
    if (isStreamed(reply)) await this.#stream(reply, exchange, connection)
    else this.#send(reply, exchange, connection)
  }

  refuse(failure: Failure, exchange: HttpExchange, connection: Connection): void {
    this.#send(this.#dependencies.replier.refuse(failure, exchange.path), exchange, connection)
  }

  /** Answers on the bare socket and ends the connection, unless `makeReply` resolves with null: an upgrade. */
  async answerRaw(exchange: HttpExchange, socket: Duplex, makeReply: () => Promise<WholeReply | null>): Promise<void> {
    const { replier } = this.#dependencies
    let reply: WholeReply | null
    try {
      reply = await makeReply()
    } catch (thrown) {
      reply = replier.toThrown(exchange, thrown)
    }
    if (reply === null) {
      replier.report(exchange, switchingProtocols)
      return
    }
    try {
      this.#sendRaw(socket, reply, exchange)
    } catch (thrown) {
      reply = replier.toThrown(exchange, thrown)
      this.#sendRaw(socket, reply, bare(exchange))
    }
    replier.report(exchange, reply)
  }

  /** For data that never became an exchange. */
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
      // The client has left: report only bugs, not failures it never received.
      const failure = reply.failure === 'INTERNAL_ERROR' ? reply.failure : null
      replier.report(exchange, { ...reply, status: 0, failure })
      return
    }
    const leavesBytes = this.#decideEnd(exchange, connection)
    let reported = reply
    try {
      respond(response, reply, exchange, this.#finishing(reply, exchange, connection))
    } catch (thrown) {
      // A header that cannot be written: nothing has been sent.
      exchange.releaseAnswer()
      reported = replier.toThrown(exchange, thrown)
      respond(response, reported, bare(exchange), connection.finished)
    }
    if (leavesBytes) exchange.body!.discard()
    replier.report(exchange, reported)
    connection.startQueued()
  }

  /** True if unread bytes of the request remain. */
  #decideEnd(exchange: HttpExchange, connection: Connection): boolean {
    const { limits } = this.#dependencies
    const leavesBytes = exchange.body?.endsConnection(limits.unreadBodyBytes) ?? false
    // Only after the last request taken: those before it still need their answers.
    if (leavesBytes || (connection.endsSoon && exchange === connection.latest)) connection.endAfter(exchange)
    if (leavesBytes) {
      // node:http calls this after the last answer of a connection.
      connection.socket.destroySoon = () => endGently(connection.socket, limits.lingerMs)
    }
    return leavesBytes
  }

  /** The connection runs nothing else meanwhile. Never rejects. */
  async #stream(reply: StreamedReply, exchange: HttpExchange, connection: Connection): Promise<void> {
    const { limits, replier, streams } = this.#dependencies
    const report = (thrown: unknown): void => void replier.toThrown(exchange, thrown)
    if (exchange.method === 'HEAD' || isBodiless(reply.status)) {
      void discard(reply.body, report)
      return this.#send(reply, exchange, connection)
    }
    const { isEndless = false } = reply
    exchange.beginStream(isEndless ? Number.POSITIVE_INFINITY : limits.streamTimeoutMs)
    let stream: AnswerStream
    try {
      stream = await streams.open(reply.body, { signal: exchange.signal, report, isEndless })
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
    if (isEndless) this.#beginEndless(reply, exchange)
    const failure = await sendPieces(stream, { exchange, connection, ...this.#dependencies })
    connection.answered()
    exchange.body?.release()
    exchange.releaseAnswer()
    if (!isEndless) replier.report(exchange, { ...reply, ...failure })
    connection.startQueued()
  }

  #beginEndless(reply: StreamedReply, exchange: HttpExchange): void {
    exchange.body?.release()
    this.#dependencies.replier.report(exchange, reply)
  }

  #finishing(reply: Reply, exchange: HttpExchange, connection: Connection): () => void {
    const { unread } = this.#dependencies
    const bytes = isStreamed(reply) ? 0 : unread.add(reply.body, connection)
    if (bytes === 0) {
      // It had grown large, but was refused or compressed.
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

  #sendRaw(socket: Duplex, reply: WholeReply, envelope: Envelope): void {
    respondRaw(socket, reply, envelope)
    endGently(socket, this.#dependencies.limits.lingerMs)
  }
}

const switchingProtocols: WatchedReply = { status: 101 }
