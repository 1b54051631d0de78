// The type of a resource, as services, other resources and clients use it.

import type { Fields } from '../../field/field.ts'
import type { Row } from './row.ts'

/** The fields of a key. */
export type KeyFields = readonly string[] | { readonly fields: readonly string[] }

/**
 * A resource as made by `resource(…)`. Its type carries fields, actions, filters and queries to services, effects, reactions and
 * clients.
 */
export interface Resource<
  out Name extends string,
  out Plural extends string,
  out F extends Fields,
  out Actions,
  out Filters,
  out Protected,
  out Versions,
  out Made = {},
  out Asked = {},
  out Keys = readonly KeyFields[],
  out Conditions = readonly string[],
  out Summed = unknown,
  out Within = unknown,
  out Members = unknown,
> {
  readonly name: Name
  readonly plural: Plural
  readonly fields: F
  readonly actions: Actions
  readonly filter: Filters
  readonly protect: Protected
  readonly versions: Versions
  readonly computed: Made
  readonly queries: Asked
  readonly keys: Keys
  readonly where: Conditions
  readonly summary: Summed
  readonly within: Within
  readonly members: Members
}
/** Any definition of a resource, for generic code. */
export type AnyResource = Resource<string, string, Fields, {}, {}, {}, {}>
/** A record as callbacks see it: camelCase names, times as `Date`, absent values as null. */
export type RowOf<R extends AnyResource> = Row<R['name'], R['fields']>
