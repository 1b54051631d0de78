// Asks the pipeline for a reply, and makes one of whatever it throws.

import { Failure } from '../../failure/failure.ts'
import type { Reply, WholeReply } from '../message/exchange.ts'
import type { BodyReader, HttpExchange, ServerExchange } from './http-exchange.ts'
import { failureReply } from './respond.ts'

export interface ReplierOptions {
  /** The pipeline. A Failure that it throws is answered by `refuse`; anything else is a bug: 500, and the log. */
  readonly answer: (exchange: ServerExchange) => Promise<Reply>
  /**
   * The answer to a failure that the server found, in the form that this path uses; null where the path is unknown.
   * Without it every path gets the REST envelope.
   */
  readonly refuse?: (failure: Failure, path: string | null) => WholeReply
  /**
   * Answers a request that is well formed but refused (EXPECTATION_FAILED, METHOD_NOT_ALLOWED): the place to count it, for
   * only malformed requests go uncounted. Without it `refuse` answers. (contract 4.10.1)
   */
  readonly answerRefused?: (exchange: ServerExchange, failure: Failure) => Promise<WholeReply>
  readonly log: ServerLog
}

export interface ServerLog {
  warn(fields: object, message: string): void
  /** `secrets`: what must not be written, wherever it stands. */
  error(fields: object, message: string, secrets: readonly string[]): void
}

type AnyExchange = HttpExchange<BodyReader>

export interface Replier {
  /** May throw or reject with anything; `toThrown` has the reply to it. */
  ask(exchange: AnyExchange): Promise<Reply>
  /** The reply to a request that is well formed and refused for its head. May reject like `ask`. */
  askRefused(exchange: AnyExchange, failure: Failure): Promise<WholeReply>
  /** Its own reply for a Failure; otherwise 500, and everything else in the log. (contract 7.2.3) */
  toThrown(exchange: AnyExchange, thrown: unknown): WholeReply
  refuse(failure: Failure, path: string | null): WholeReply
}

export function createReplier({ answer, refuse = failureReply, answerRefused, log }: ReplierOptions): Replier {
  const askRefused: Replier['askRefused'] = (exchange, failure) =>
    answerRefused === undefined ? Promise.reject(failure) : answerRefused(exchange, failure)
  return {
    askRefused,
    ask: (exchange) =>
      exchange.expectsTooMuch ? askRefused(exchange, new Failure('EXPECTATION_FAILED')) : answer(exchange),
    toThrown(exchange, thrown) {
      const { method, path, requestId } = exchange
      if (thrown instanceof Failure) return refuse(thrown, path)
      const fields = { err: thrown, method, path, requestId }
      log.error(fields, 'A request failed unexpectedly.', exchange.secrets())
      return refuse(new Failure('INTERNAL_ERROR'), path)
    },
    refuse,
  }
}
