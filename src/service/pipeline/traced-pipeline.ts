// Adds a tracing span to each request.

import type { ServerExchange } from '../../http/server/http-exchange.ts'
import type { TracedRequest, Traces } from '../../observation/trace.ts'
import type { Pipeline } from './pipeline.ts'

export function tracePipeline(pipeline: Pipeline, traces: Traces): Pipeline {
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
