// Checks custom routes against the definition before anything is opened.

import { routeContradictions } from '../../custom-route/contradictions.ts'
import { definitionsOf, graphqlFieldOf, type RouteDefinition, routeLimits } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import type { Limits } from '../../limits.ts'
import { makeBuckets } from '../../rate-limit/buckets.ts'
import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'

/** Fails with ServiceDefinitionError if routes contradict themselves, each other or the model. (contract 5.4.3) */
export function requireSoundRoutes(routes: readonly AuthorRoute[], model: Model, limits: Limits): void {
  const problems = [
    ...routeContradictions(routes, model, limits),
    ...fieldProblems(definitionsOf(routes), model, limits),
  ]
  try {
    makeBuckets(limits, routeLimits(routes))
  } catch (error) {
    throw new ServiceDefinitionError([...problems, (error as Error).message])
  }
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}

/** Only the schema knows the names of all types and fields. */
function fieldProblems(routes: readonly RouteDefinition[], model: Model, limits: Limits): readonly string[] {
  const fields = routes.filter((each) => graphqlFieldOf(each) !== null)
  if (fields.length === 0) return []
  try {
    makeSchema(model, graphqlVocabulary(), limits, fields)
    return []
  } catch (error) {
    const names = fields.map((each) => graphqlFieldOf(each)!.name).join(', ')
    return [`GraphQL cannot have the fields of routes (${names}): ${(error as Error).message}`]
  }
}
