// Validates values that code gives: a violation is a bug, and nothing is stored. Only a computed number that is too large is a
// failure. (contract 2.2.7)

import { type Detail, Failure, invariant } from '../../failure/failure.ts'
import { checkValue, kindOf } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import { eitherFieldsOf } from '../../resource/model/either.ts'
import { addressProblem, isOfKey } from '../../resource/model/key.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { withRelations } from '../input/either-input.ts'
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
    if (isMade) refuseValue(`${resource.name}.${field}`, 'Is made by the service.')
    requireRange(column, values[field], detail)
    values[field] = checkValue(column.spec, values[field], (path, message) =>
      refuseValue(`${resource.name}.${field}${path}`, message),
    )
    const wrong = isOfKey(resource, column) ? addressProblem(values[field]) : null
    if (wrong !== null) refuseValue(`${resource.name}.${field}`, wrong)
  }
}

/**
 * Values that code gives, as they are stored. Throws if one is no type and id of a record, or if one of the relations is given
 * alone. (contract 11.6.2)
 */
export function withoutEithers(values: Readonly<RowValues>, resource: ResourceModel): Readonly<RowValues> {
  const eithers = eitherFieldsOf(resource)
  if (eithers.length === 0) return values
  const stored = { ...values }
  for (const { field, branches } of eithers) {
    const alone = branches.find((branch) => values[branch.field] !== undefined)
    if (alone !== undefined)
      throw new Error(
        `The service's own code gives ${resource.name}.${alone.field}, which is part of ${field}: give ${field}.`,
      )
    if (values[field] === undefined) continue
    const value = checkValue(resource.fields.get(field)!.spec, values[field], (path, message) =>
      refuseValue(`${resource.name}.${field}${path}`, message),
    )
    Object.assign(stored, withRelations(field, value, resource))
    delete stored[field]
  }
  return stored
}

/** Throws if a new record has none of the relations of an `either` that is required, or has two. (contract 11.6.2) */
export function requireEithers(resource: ResourceModel, record: Readonly<RowValues>): void {
  for (const { field, branches, isOptional } of eitherFieldsOf(resource)) {
    const count = branches.filter((branch) => record[branch.field] != null).length
    if (count === 1 || (count === 0 && isOptional)) continue
    const names = branches.map((branch) => branch.field).join(', ')
    refuseValue(`${resource.name}.${field}`, `${isOptional ? 'At most' : 'Exactly'} one of ${names} must be set.`)
  }
}

/** Throws if code gives something other than fields with values, such as a function. (contract 13.3.10) */
export function requireFields(where: string, values: unknown): void {
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return
  const kind = Array.isArray(values) ? 'a list' : values === null ? 'null' : `a ${typeof values}`
  const remedy = 'To work a value out of the record, read that first.'
  throw new Error(`The service's own code gives ${where} ${kind}, and it takes fields with their values. ${remedy}`)
}

/** No code writes them. (contract 2.1.5) */
export const ownFields: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

export function refuseValue(place: string, message: string): never {
  throw new Error(`The service's own code gave ${place} a value that it cannot hold: ${message}`)
}

/** A number computed from valid input may be too large. */
function requireRange({ field, spec }: Column, value: unknown, detail: Authored['detail']): void {
  const message = kindOf(spec).excess?.(spec, value) ?? null
  if (message === null) return
  throw new Failure('BUSINESS_RULE_VIOLATION', {
    message,
    ...(detail === undefined ? {} : { details: [detail(field, message)] }),
  })
}
