// Whether a made record has one relation of each `either`, as the service keeps it. (contract 11.6.2)

import { eitherFieldsOf } from '../../../src/resource/model/either.ts'
import type { ResourceModel } from '../../../src/resource/model/model.ts'

export const isWhole = (of: ResourceModel, values: Readonly<Record<string, unknown>>): boolean =>
  eitherFieldsOf(of).every(({ branches, isOptional }) => {
    const count = branches.filter(({ field }) => values[field] != null).length
    return count === 1 || (count === 0 && isOptional)
  })
