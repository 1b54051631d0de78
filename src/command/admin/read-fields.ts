// Parses `--set name=Ada` into values of a new record, validated like input.

import { checkText } from '../../resource/field/registry.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { CommandError } from '../service/command.ts'

/** Fails with CommandError for an unknown field or an invalid value. */
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
      return [field, checkText(column.spec, text, problem, (part) => part)]
    }),
  )
}
