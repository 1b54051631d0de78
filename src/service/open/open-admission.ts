// Opens rate limits, load shedding, and the throttle of refusals.

import { routeLimits } from '../../custom-route/definition.ts'
import { loadOptional } from '../../dependency/optional-package.ts'
import { Failure } from '../../failure/failure.ts'
import type { Log } from '../../observation/log.ts'
import type { Counter } from '../../rate-limit/counter.ts'
import { createMemoryCounter } from '../../rate-limit/memory-counter.ts'
import { createRateLimiter, type RateLimiter } from '../../rate-limit/rate-limiter.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Checks } from '../pipeline/health.ts'
import { createRefusalThrottle, LoadShedder, type RefusalThrottle } from '../pipeline/load-shedding.ts'
import type { OpenContext } from './open-context.ts'

export interface Admission extends Pick<RequestCounter, 'redis' | 'checks'> {
  readonly limiter: RateLimiter
  readonly shedder: LoadShedder
  readonly throttle: RefusalThrottle
}

export async function openAdmission({ routes, configuration, limits, log, shutdown }: OpenContext): Promise<Admission> {
  const { counter, redis, checks } = await openRequestCounter(configuration, log)
  shutdown.defer(() => counter.close())
  const now = () => performance.now()
  return {
    limiter: createRateLimiter({ limits, counter, routeLimits: routeLimits(routes) }),
    shedder: new LoadShedder({ limits, now, afterTurn: setImmediate, log }),
    throttle: createRefusalThrottle({ limits, now }),
    redis,
    checks,
  }
}

export interface RequestCounter {
  readonly counter: Counter
  readonly redis: Pick<Counter, 'state'> | null
  readonly checks: Checks
}

/** In this process, or in Redis for all instances. */
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
  const counter = await connectRedisCounter({ url, log })
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
