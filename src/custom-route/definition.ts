// The run-time form of `route(…)`: the author's object.

import type { SpecBase } from '../resource/field/field.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import type { AuthorLimit, AuthorRoute, RawBody, RouteMethod } from './route.ts'
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
  readonly handle: (moment: object) => Promise<unknown> | AsyncIterable<unknown>
}

export const definitionsOf = (routes: readonly AuthorRoute[]): readonly RouteDefinition[] =>
  routes as readonly unknown[] as readonly RouteDefinition[]

export const limitsOf = ({ limit = [] }: Pick<RouteDefinition, 'limit'>): readonly AuthorLimit[] => [limit].flat()

export const routeLimits = (routes: readonly AuthorRoute[]): readonly AuthorLimit[] =>
  definitionsOf(routes).flatMap(limitsOf)
