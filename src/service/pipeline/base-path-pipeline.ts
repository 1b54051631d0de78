// Adds the base path to paths in answers.

import { withBasePath } from '../../http/host/base-path.ts'
import type { Reply } from '../../http/message/exchange.ts'
import type { Pipeline } from './pipeline.ts'

export function belowBasePath(pipeline: Pipeline, basePath: string): Pipeline {
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
