// Routes and reactions of a definition, which resources do not refer to.

import type { Reaction } from '../../reaction/on.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import type { AuthorRoute } from '../../rest/custom-route/route.ts'

export interface DefinitionParts {
  readonly routes: readonly AuthorRoute[]
  readonly reactions: readonly Reaction[]
}

export function partsOf(service: Service<unknown>): DefinitionParts {
  const { routes = [], reactions = [] } = definitionOf(service)
  return { routes: routes as readonly AuthorRoute[], reactions: reactions as readonly Reaction[] }
}
