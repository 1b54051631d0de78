// Opens the counter of requests, as configured: in this process, or in Redis for all instances together.

import { loadOptional } from '../dependency/optional-package.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Counter } from '../rate-limit/counter.ts'
import { createMemoryCounter } from '../rate-limit/memory-counter.ts'
import type { Configuration } from './configuration.ts'
import type { Checks } from './health.ts'

export interface RequestCounter {
  readonly counter: Counter
  /** Null where there is none. */
  readonly redis: Pick<Counter, 'state'> | null
  /** The readiness check of Redis. */
  readonly checks: Checks
}

export async function openRequestCounter(
  { redisUrl: url }: Configuration,
  log: Pick<Log, 'warn' | 'info'>,
): Promise<RequestCounter> {
  if (url === null) return { counter: createMemoryCounter(), redis: null, checks: {} }
  // Most services start without Redis, and sooner without its client.
  const { connectRedisCounter } = await loadOptional(
    'iovalkey',
    'REDIS_URL is set',
    () => import('../rate-limit/redis-counter.ts'),
  )
  const counter = await connectRedisCounter({
    url,
    log: { warn: (sentence) => log.warn(sentence), info: (sentence) => log.info(sentence) },
  })
  return {
    counter,
    redis: counter,
    checks: {
      redis: async () => {
        if (counter.state === 'lost') throw new Failure('SERVICE_UNAVAILABLE')
        return 'ok'
      },
    },
  }
}
