// The pipeline, with a span around each request. It takes the pipeline's place only where somebody traces.

import type { ServerExchange } from '../http/server/http-exchange.ts'
import type { TracedRequest, Traces } from '../observation/trace.ts'
import type { Pipeline } from './pipeline.ts'

export function tracePipeline(pipeline: Pipeline, traces: Traces): Pipeline {
  const traced = (exchange: ServerExchange): TracedRequest => ({
    method: exchange.method,
    path: exchange.path,
    address: exchange.address,
    requestId: exchange.requestId,
    headers: exchange.headers,
    route: () => exchange.route ?? pipeline.patternOf(exchange.path),
  })
  return {
    ...pipeline,
    answer(exchange) {
      const begun = (trace: ServerExchange['trace']) => {
        exchange.trace = trace
      }
      return traces.request(traced(exchange), begun, () => pipeline.answer(exchange))
    },
  }
}
