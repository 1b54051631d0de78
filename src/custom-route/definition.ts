// The run-time form of `route(…)`: the author's object.

import type { SpecBase } from '../resource/field/field.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import type { AuthorLimit, AuthorRoute, RawBody, RouteField, RouteMethod } from './route.ts'
import type { Signature } from './signature.ts'

export type Specs = Readonly<Record<string, SpecBase>>
export interface RouteDefinition {
  readonly method: RouteMethod
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly access: RuleNode
  readonly params?: Specs
  readonly query?: Specs
  readonly headers?: Specs
  readonly body?: Specs
  readonly raw?: RawBody
  readonly signed?: Signature
  /** The parts of `data`, or a media type. */
  readonly answer?: Specs | string
  readonly status?: number
  readonly limit?: AuthorLimit | readonly AuthorLimit[]
  readonly field?: RouteField
  readonly handle: (moment: object) => Promise<unknown> | AsyncIterable<unknown>
}

/** As one object, whose parts they are. */
export const objectOf = (fields: Specs): SpecBase => ({ kind: 'object', fields }) as SpecBase

export const definitionsOf = (routes: readonly AuthorRoute[]): readonly RouteDefinition[] =>
  routes as readonly unknown[] as readonly RouteDefinition[]

export const limitsOf = ({ limit = [] }: Pick<RouteDefinition, 'limit'>): readonly AuthorLimit[] => [limit].flat()

export const routeLimits = (routes: readonly AuthorRoute[]): readonly AuthorLimit[] =>
  definitionsOf(routes).flatMap(limitsOf)

const usualCost = 20

/** Null if the route is in REST only. (contract 5.5.12) */
export function graphqlFieldOf({ field }: Pick<RouteDefinition, 'field'>): Exclude<RouteField, string> | null {
  if (field === undefined) return null
  return typeof field === 'string' ? { name: field, cost: usualCost } : field
}

/** `At most 10 requests in 60 seconds for each user.` */
export const limitSentences = (definition: Pick<RouteDefinition, 'limit'>): readonly string[] =>
  limitsOf(definition)
    .filter(({ limit }) => limit > 0)
    .map(({ limit, windowSeconds, by }) => `At most ${limit} requests in ${windowSeconds} seconds for each ${by}.`)
