// The recorded promises of a service.

import type { Deprecation as Deprecated } from '../resource/deprecation.ts'
import type { Document } from './openapi-document.ts'

export interface Contract {
  /** By version. */
  readonly documents: Readonly<Record<string, Document>>
  /** In the schema definition language. */
  readonly schema: string
  readonly deprecations: readonly Deprecation[]
  /** Limits that affect clients, by their names in `limits.ts`. */
  readonly limits: Readonly<Record<string, number>>
  /** When the clock makes which moves: `Order.expire`. Absent from older snapshots. */
  readonly clock?: Readonly<Record<string, string>>
}

export interface Deprecation extends Deprecated {
  /** A version or a place in the GraphQL schema, as uses are counted. */
  readonly what: string
}
