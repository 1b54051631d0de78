// Reads a definition: its resources, and its routes, reactions and schedules, which resources do not refer to.

import { requireSoundSignIn } from '../../authentication/issuer/oidc.ts'
import { requireSoundTexts } from '../../authentication/text/texts.ts'
import { routeContradictions } from '../../custom-route/contradictions.ts'
import { definitionsOf, graphqlFieldOf, type RouteDefinition, routeLimits } from '../../custom-route/definition.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import type { Limits } from '../../limits.ts'
import { makeBuckets } from '../../rate-limit/buckets.ts'
import { type ReactionDefinition, readReactions } from '../../reaction/definition.ts'
import type { Reaction } from '../../reaction/on.ts'
import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { readSchedules, type ScheduleDefinition } from '../../time/schedule.ts'
import { allSound } from './all-sound.ts'
import { compileService } from './compile-service.ts'
import { readMigrations, type WrittenMigration } from './migration.ts'

export interface ServiceParts {
  readonly model: Model
  readonly routes: readonly AuthorRoute[]
  readonly reactions: ReadonlyMap<string, ReactionDefinition>
  readonly schedules: readonly ScheduleDefinition[]
  readonly migrations: readonly WrittenMigration[]
}

/** Fails with ServiceDefinitionError for contradictions. (contract 5.4.3) */
export function readDefinition(definition: Service<unknown>, limits: Limits): ServiceParts {
  const model = compileService(definition)
  const parts = definitionOf(definition)
  const routes = (parts.routes ?? []) as readonly AuthorRoute[]
  const ownReactions = (parts.reactions ?? []) as readonly Reaction[]
  const names = new Set(ownReactions.map(({ name }) => name))
  const [, reactions, schedules, migrations] = allSound(
    () => requireSoundRoutes(routes, model, limits),
    () => readReactions(ownReactions, model, limits),
    () => readSchedules(parts.schedules ?? [], names, limits),
    () => readMigrations(parts.migrations ?? []),
    () => requireSoundSignIn(model.accounts.methods?.issuers ?? {}),
    () => requireSoundTexts(model.accounts.texts),
  )
  return { model, routes, reactions, schedules, migrations }
}

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
