// Opens rate limits, load shedding, and the throttle of refusals.

import { routeLimits } from '../../custom-route/definition.ts'
import { createRateLimiter, type RateLimiter } from '../../rate-limit/rate-limiter.ts'
import { createRefusalThrottle, LoadShedder, type RefusalThrottle } from '../pipeline/load-shedding.ts'
import type { OpenContext } from './open-context.ts'
import { openRequestCounter, type RequestCounter } from './open-counter.ts'

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
