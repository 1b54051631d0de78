// What a service promises, as it is written down for the next comparison.

import type { Deprecation as Deprecated } from '../resource/deprecation.ts'
import type { Document } from './openapi-document.ts'

export interface Contract {
  /** The OpenAPI document of each version, by its name. */
  readonly documents: Readonly<Record<string, Document>>
  /** The GraphQL schema in the schema definition language. */
  readonly schema: string
  readonly deprecations: readonly Deprecation[]
  /** The limits that clients meet, by their names in `limits.ts`. */
  readonly limits: Readonly<Record<string, number>>
}

export interface Deprecation extends Deprecated {
  /** A version, or a place in the GraphQL schema: as uses of it are counted. */
  readonly what: string
}
