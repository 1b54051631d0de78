// The records of one resource, which its own definition need not name, and could not before it exists.

import type { ResourceModel } from '../resource/model/model.ts'

type Deed = (of: ResourceModel, ...rest: never[]) => unknown

/** Each of these deeds, of this resource. */
export const recordsHere = (resource: ResourceModel, deeds: object): object =>
  Object.fromEntries(
    Object.entries(deeds).map(([name, deed]: [string, Deed]) => [name, (...rest: never[]) => deed(resource, ...rest)]),
  )
