// What a definition's own code gives must fit its field as what clients send does: a violation is a bug, and nothing is
// stored. Only a number that was worked out and is too large is an answer. (contract 2.2.7)

import { type Detail, Failure, invariant } from '../failure/failure.ts'
import { checkValue, kindOf } from '../resource/field/registry.ts'
import type { Column } from '../resource/model/column.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { RowValues } from './load.ts'

/** The fields whose values code gave; what else is written was checked where it came in. */
export interface Authored {
  readonly fields: Iterable<string>
  /** Names a field in the details of a failure. */
  readonly detail?: (field: string, message: string) => Detail
  /** What a database begins with says when it was made. */
  readonly isSeed?: boolean
}

/**
 * Puts the authored values into the form in which they are stored, such as an e-mail address without capitals. Fails with
 * BUSINESS_RULE_VIOLATION where a whole number is beyond the limits of its field. Throws, for the log, a sentence that
 * names the resource and the field, and never the value, where one does not fit.
 */
export function fitToFields(
  resource: ResourceModel,
  values: RowValues,
  { fields, detail, isSeed = false }: Authored,
): void {
  for (const field of fields) {
    const column = resource.column.get(field)
    invariant(column !== undefined && !column.secret, `${resource.name}.${field} is a field that code writes`)
    const isMade = column.spec.kind === 'counter' || column.spec.isKept === true || (!isSeed && ownFields.has(field))
    if (isMade) throw new Error(unfit(`${resource.name}.${field}`, 'Is made by the service.'))
    requireRange(column, values[field], detail)
    values[field] = checkValue(column.spec, values[field], (path, message) => {
      throw new Error(unfit(`${resource.name}.${field}${path}`, message))
    })
  }
}

/** What every record has, and nobody writes. (contract 2.1.5) */
const ownFields: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** What the log says of a value that does not fit. */
export const unfit = (place: string, message: string): string =>
  `The service's own code gave ${place} a value that it cannot hold: ${message}`

/** What is worked out of what clients sent may be too large without anybody's mistake. */
function requireRange({ field, spec }: Column, value: unknown, detail: Authored['detail']): void {
  const message = kindOf(spec).excess?.(spec, value) ?? null
  if (message === null) return
  throw new Failure('BUSINESS_RULE_VIOLATION', {
    message,
    ...(detail === undefined ? {} : { details: [detail(field, message)] }),
  })
}
