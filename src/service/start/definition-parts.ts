// Routes, reactions and schedules of a definition, which resources do not refer to.

import type { Reaction } from '../../reaction/on.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import type { AuthorRoute } from '../../rest/custom-route/route.ts'
import type { Schedule } from '../../time/every.ts'

export interface DefinitionParts {
  readonly routes: readonly AuthorRoute[]
  readonly reactions: readonly Reaction[]
  readonly schedules: readonly Schedule[]
}

export function partsOf(service: Service<unknown>): DefinitionParts {
  const { routes = [], reactions = [], schedules = [] } = definitionOf(service)
  return { routes: routes as readonly AuthorRoute[], reactions: reactions as readonly Reaction[], schedules }
}
