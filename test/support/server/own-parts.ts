// Routes, reactions and schedules that a test gives to a definition made elsewhere.

import type { Service, ServiceReaction, ServiceRoute, ServiceSchedule } from '../../../src/resource/language/service.ts'

export interface OwnParts {
  readonly routes?: readonly ServiceRoute[] | undefined
  readonly reactions?: readonly ServiceReaction[] | undefined
  readonly schedules?: readonly ServiceSchedule[] | undefined
}

/** The same definition if a test gives none. */
export function withParts(definition: Service<unknown>, { routes, reactions, schedules }: OwnParts): Service<unknown> {
  const parts = Object.entries({ routes, reactions, schedules }).filter(([, each]) => each !== undefined)
  return parts.length === 0 ? definition : ({ ...definition, ...Object.fromEntries(parts) } as Service<unknown>)
}
