// Checks custom routes against the definition before anything is opened.

import { routeContradictions } from '../../custom-route/contradictions.ts'
import { routeLimits } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import type { Limits } from '../../limits.ts'
import { makeBuckets } from '../../rate-limit/buckets.ts'
import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { Model } from '../../resource/model/model.ts'

/** Fails with ServiceDefinitionError if routes contradict themselves, each other or the model. (contract 5.4.3) */
export function requireSoundRoutes(routes: readonly AuthorRoute[], model: Model, limits: Limits): void {
  const problems = routeContradictions(routes, model, limits)
  try {
    makeBuckets(limits, routeLimits(routes))
  } catch (error) {
    throw new ServiceDefinitionError([...problems, (error as Error).message])
  }
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}
