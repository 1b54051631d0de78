// Which deprecation a path has. (contract 9.4.1)

import type { Deprecating } from '../deprecation.ts'
import type { ResourceModel, ValuePath } from './model.ts'

/** That of the first deprecated name. */
export function deprecationOfPath(holder: ResourceModel, path: ValuePath): Deprecating | undefined {
  let of = holder
  for (const { field, target } of path.list === null ? path.relations : [path.list, ...path.relations]) {
    const { deprecated } = of.fields.get(field)?.spec ?? {}
    if (deprecated !== undefined) return deprecated
    of = target
  }
  return path.column.spec.deprecated
}
