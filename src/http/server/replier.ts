// Runs the pipeline, and turns what it throws into a reply.

import { Failure } from '../../failure/failure.ts'
import type { Watch, WatchedReply } from '../../observation/watch.ts'
import type { Reply, WholeReply } from '../message/exchange.ts'
import type { BodyReader, HttpExchange, ServerExchange } from './http-exchange.ts'
import { failureReply } from './respond.ts'

export interface ReplierOptions {
  /** A thrown Failure is answered by `refuse`; anything else is a bug: 500 and a log line. */
  readonly answer: (exchange: ServerExchange) => Promise<Reply>
  /** In the form of this path; null: unknown path. By default the REST envelope. */
  readonly refuse?: (failure: Failure, path: string | null) => WholeReply
  /** Answers a well-formed request that is refused, which must be counted. By default `refuse`. (contract 4.10.1) */
  readonly answerRefused?: (exchange: ServerExchange, failure: Failure) => Promise<WholeReply>
  readonly log: ServerLog
  readonly watch?: Watch | undefined
  /** For `watch`: the route of a path, if it was not set. */
  readonly patternOf?: ((path: string) => string | null) | undefined
}

export interface ServerLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string, secrets: readonly string[]): void
}

type AnyExchange = HttpExchange<BodyReader>

export interface Replier {
  reply(exchange: AnyExchange): Promise<Reply>
  /** Refused for its head. May reject with anything, for `toThrown`. */
  replyToRefused(exchange: AnyExchange, failure: Failure): Promise<WholeReply>
  /** (contract 7.2.3) */
  toThrown(exchange: AnyExchange, thrown: unknown): WholeReply
  refuse(failure: Failure, path: string | null): WholeReply
  /** After the answer was handed over, so that watching delays none. */
  report(exchange: AnyExchange, reply: WatchedReply): void
}

export function createReplier(options: ReplierOptions): Replier {
  const { answer, refuse = failureReply, answerRefused, log, watch, patternOf } = options
  const replyToRefused: Replier['replyToRefused'] = (exchange, failure) =>
    answerRefused === undefined ? Promise.reject(failure) : answerRefused(exchange, failure)
  const toThrown: Replier['toThrown'] = (exchange, thrown) => {
    const { method, path, requestId } = exchange
    if (thrown instanceof Failure) return refuse(thrown, path)
    const fields = { err: thrown, method, path, requestId }
    log.error(fields, 'A request failed unexpectedly.', exchange.secrets())
    return refuse(new Failure('INTERNAL_ERROR'), path)
  }
  return {
    replyToRefused,
    async reply(exchange) {
      try {
        if (exchange.expectsTooMuch) return await replyToRefused(exchange, new Failure('EXPECTATION_FAILED'))
        return await answer(exchange)
      } catch (thrown) {
        // An uncaught exception would end the process.
        return toThrown(exchange, thrown)
      }
    },
    toThrown,
    refuse,
    report(exchange, reply) {
      if (watch === undefined) return
      const durationMs = performance.now() - exchange.begunMs
      exchange.route ??= patternOf?.(exchange.path) ?? null
      watch(exchange, reply, durationMs)
    },
  }
}
