// The records of the definition's own resource, which does not exist yet when the definition is written.

import type { ResourceModel } from '../../resource/model/model.ts'

type Method = (of: ResourceModel, ...rest: never[]) => unknown

/** Binds each method to this resource. */
export const recordsHere = (resource: ResourceModel, methods: object): object =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, Method]) => [
      name,
      (...rest: never[]) => method(resource, ...rest),
    ]),
  )
