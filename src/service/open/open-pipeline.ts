// Opens the pipeline that every request passes.

import { withBasePath } from '../../http/host/base-path.ts'
import type { Reply } from '../../http/message/exchange.ts'
import type { ConnectionsOptions } from '../../http/server/connections.ts'
import type { ServerExchange } from '../../http/server/http-exchange.ts'
import type { TracedRequest, Traces } from '../../observation/trace.ts'
import { codePrefixes } from '../../resource/model/rule/access-code.ts'
import { createHealth } from '../pipeline/health.ts'
import { createPipeline, type Pipeline } from '../pipeline/pipeline.ts'
import { createWellKnown } from '../pipeline/well-known.ts'
import type { OpenContext } from './open-context.ts'
import type { Parts } from './open-parts.ts'

/** For our server and a host's. */
export function connectionsOptions(context: OpenContext, parts: Parts): ConnectionsOptions {
  const { limits, answers, trustProxy, clock, log } = context
  return {
    ...openPipeline(context, parts),
    limits,
    answers,
    now: clock,
    watch: parts.observation.watch,
    trustProxy,
    log: {
      warn: (fields, message) => log.warn(message, { ...fields }),
      error: (fields, message, secrets) => log.error(message, { ...fields }, secrets),
    },
  }
}

function openPipeline(
  { model, configuration, allowedOrigins, limits, clock, drain, basePath }: OpenContext,
  { observation, authentication, admission, faces, explorer, database }: Parts,
): Pipeline {
  const health = createHealth({
    needed: { database: () => database.store.ping() },
    useful: admission.checks,
    pendingIndexes: database.pendingIndexes,
    isDraining: () => drain.isBegun,
    limits,
  })
  const takesCodes = codePrefixes(model).size > 0
  const wellKnown = createWellKnown(model.versions, configuration.baseUrl ?? basePath)
  const parts = {
    ...admission,
    ...faces,
    authentication,
    health,
    wellKnown,
    explorer,
    allowedOrigins,
    takesCodes,
    limits,
    clock,
  }
  const pipeline = belowBasePath(createPipeline(parts), basePath)
  return observation.traces === null ? pipeline : tracePipeline(pipeline, observation.traces)
}

/** Adds the base path to paths in answers. */
function belowBasePath(pipeline: Pipeline, basePath: string): Pipeline {
  if (basePath === '') return pipeline
  const below = <T extends Reply>(reply: T): T => withBasePath(reply, basePath)
  return {
    ...pipeline,
    answer: async (exchange) => below(await pipeline.answer(exchange)),
    answerRefused: async (exchange, failure) => below(await pipeline.answerRefused(exchange, failure)),
    refuse: (failure, path) => below(pipeline.refuse(failure, path)),
    async upgrade(exchange, upgrade) {
      const reply = await pipeline.upgrade(exchange, upgrade)
      return reply === null ? null : below(reply)
    },
  }
}

/** Adds a tracing span to each request. */
function tracePipeline(pipeline: Pipeline, traces: Traces): Pipeline {
  const describe = (exchange: ServerExchange): TracedRequest => ({
    method: exchange.method,
    path: exchange.path,
    address: exchange.address,
    requestId: exchange.requestId,
    headers: exchange.headers,
    route: () => exchange.route ?? pipeline.patternOf(exchange.path),
    asService: () => exchange.asService,
  })
  return {
    ...pipeline,
    answer(exchange) {
      const setTrace = (trace: ServerExchange['trace']) => {
        exchange.trace = trace
      }
      return traces.request(describe(exchange), setTrace, () => pipeline.answer(exchange))
    },
  }
}
