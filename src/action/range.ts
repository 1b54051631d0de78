// What callbacks work out must fit its field as what clients send does. (contract 2.2.7)

import { type Detail, Failure } from '../failure/failure.ts'
import { integerMax } from '../resource/field/number.ts'
import type { ResourceModel } from '../resource/model.ts'
import type { RowValues } from './load.ts'

/** Fails with BUSINESS_RULE_VIOLATION where a whole number is beyond the limits of its field; `told` names it in details. */
export function requireRange(
  resource: ResourceModel,
  values: Readonly<RowValues>,
  told?: (field: string, message: string) => Detail,
): void {
  for (const [field, value] of Object.entries(values)) {
    const { spec } = resource.column.get(field)!
    if (spec.kind !== 'integer' || typeof value !== 'number') continue
    const { min = -integerMax - 1, max = integerMax } = spec as typeof spec & { min?: number; max?: number }
    if (Number.isInteger(value) && value >= min && value <= max) continue
    const message = problem(value, min, max)
    throw new Failure('BUSINESS_RULE_VIOLATION', {
      message,
      ...(told === undefined ? {} : { details: [told(field, message)] }),
    })
  }
}

function problem(value: number, min: number, max: number): string {
  if (!Number.isInteger(value)) return 'The result is no whole number.'
  return value > max ? `The result is larger than ${max}.` : `The result is smaller than ${min}.`
}
