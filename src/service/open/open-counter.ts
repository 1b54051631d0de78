// Opens the request counter: in this process, or in Redis for all instances.

import { loadOptional } from '../../dependency/optional-package.ts'
import { Failure } from '../../failure/failure.ts'
import type { Log } from '../../observation/log.ts'
import type { Counter } from '../../rate-limit/counter.ts'
import { createMemoryCounter } from '../../rate-limit/memory-counter.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Checks } from '../pipeline/health.ts'

export interface RequestCounter {
  readonly counter: Counter
  readonly redis: Pick<Counter, 'state'> | null
  readonly checks: Checks
}

export async function openRequestCounter(
  { redisUrl: url }: Configuration,
  log: Pick<Log, 'warn' | 'info'>,
): Promise<RequestCounter> {
  if (url === null) return { counter: createMemoryCounter(), redis: null, checks: {} }
  // Loaded on use: most services run without Redis.
  const { connectRedisCounter } = await loadOptional(
    'iovalkey',
    'REDIS_URL is set',
    () => import('../../rate-limit/redis-counter.ts'),
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
