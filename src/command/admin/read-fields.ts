// From `--set name=Ada` to the values of a new record, checked like what a client sends.

import { kindOf, valueOfText } from '../../resource/field/registry.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { CommandError } from '../command.ts'

/** Fails with CommandError where there is no such field, or the value does not fit. */
export function readFields(
  resource: ResourceModel,
  fields: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...fields].map(([field, text]) => {
      const column = resource.column.get(field)
      if (column === undefined || column.secret || column.encrypted || field === 'id') {
        throw new CommandError(`${resource.name} has no field ${field} that could be set.`)
      }
      const problem = (path: string, message: string) => {
        throw new CommandError(`${field}${path}: ${message}`)
      }
      const value = kindOf(column.spec).check(column.spec, valueOfText(text, column.spec), problem, (part) => part)
      return [field, value]
    }),
  )
}
