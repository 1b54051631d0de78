// Reads a definition: its resources, and its routes, reactions and schedules, which resources do not refer to.

import { requireSoundSignIn } from '../../authentication/issuer/oidc.ts'
import { requireSoundTexts } from '../../authentication/text/texts.ts'
import type { AuthorRoute } from '../../custom-route/route.ts'
import type { Limits } from '../../limits.ts'
import { type ReactionDefinition, readReactions } from '../../reaction/definition.ts'
import type { Reaction } from '../../reaction/on.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import type { Model } from '../../resource/model/model.ts'
import { readSchedules, type ScheduleDefinition } from '../../time/schedule.ts'
import { allSound } from './all-sound.ts'
import { requireSoundRoutes } from './check-routes.ts'
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
