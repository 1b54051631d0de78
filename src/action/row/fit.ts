// Validates values that code gives: a violation is a bug, and nothing is stored. Only a computed number that is too large is a
// failure. (contract 2.2.7)

import { type Detail, Failure, invariant } from '../../failure/failure.ts'
import { checkValue, kindOf } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import { eitherFieldsOf } from '../../resource/model/either.ts'
import { addressProblem, isOfKey } from '../../resource/model/key.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { RowValues } from './load.ts'

/** Others were validated as input. */
export interface Authored {
  readonly fields: Iterable<string>
  readonly detail?: (field: string, message: string) => Detail
  /** Initial data contains the times of creation. */
  readonly isSeed?: boolean
}

/**
 * Converts values to their stored form. Fails with BUSINESS_RULE_VIOLATION if an integer is out of range. Throws, without the
 * value, if one does not fit.
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
    const wrong = isOfKey(resource, column) ? addressProblem(values[field]) : null
    if (wrong !== null) throw new Error(unfit(`${resource.name}.${field}`, wrong))
  }
}

/** None if the record has exactly one of the relations of each `either`, or at most one if it is optional. (contract 11.6.2) */
export const eitherProblems = (
  resource: ResourceModel,
  record: Readonly<RowValues>,
  name: (field: string) => string = (field) => field,
): readonly Detail[] =>
  eitherFieldsOf(resource).flatMap(({ branches, isOptional }) => {
    const count = branches.filter(({ field }) => record[field] != null).length
    if (count === 1 || (count === 0 && isOptional)) return []
    const names = branches.map(({ field }) => name(field))
    const message = `${isOptional ? 'At most' : 'Exactly'} one of ${names.join(', ')} must be set.`
    return names.map((field) => ({ field, message }))
  })

/** Throws if code gives something other than fields with values, such as a function. (contract 13.3.10) */
export function requireFields(where: string, values: unknown): void {
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return
  const kind = Array.isArray(values) ? 'a list' : values === null ? 'null' : `a ${typeof values}`
  const remedy = 'To work a value out of the record, read that first.'
  throw new Error(`The service's own code gives ${where} ${kind}, and it takes fields with their values. ${remedy}`)
}

/** No code writes them. (contract 2.1.5) */
const ownFields: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

export const unfit = (place: string, message: string): string =>
  `The service's own code gave ${place} a value that it cannot hold: ${message}`

/** A number computed from valid input may be too large. */
function requireRange({ field, spec }: Column, value: unknown, detail: Authored['detail']): void {
  const message = kindOf(spec).excess?.(spec, value) ?? null
  if (message === null) return
  throw new Failure('BUSINESS_RULE_VIOLATION', {
    message,
    ...(detail === undefined ? {} : { details: [detail(field, message)] }),
  })
}
