// Checks, before anything is opened, that custom routes can be served beside a definition.

import type { Limits } from '../limits.ts'
import { makeBuckets } from '../rate-limit/buckets.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import type { Model } from '../resource/model/model.ts'
import { routeContradictions } from '../rest/custom-route/contradictions.ts'
import { routeLimits } from '../rest/custom-route/definition.ts'
import type { AuthorRoute } from '../rest/custom-route/route.ts'

/** Fails with ServiceDefinitionError where routes contradict themselves, each other or the model. (contract 5.4.3) */
export function requireSoundRoutes(routes: readonly AuthorRoute[], model: Model, limits: Limits): void {
  const problems = routeContradictions(routes, model, limits)
  try {
    makeBuckets(limits, routeLimits(routes))
  } catch (error) {
    // It says in one sentence what is wrong with a limit; so does everything else that keeps a service from starting.
    throw new ServiceDefinitionError([...problems, (error as Error).message])
  }
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}
