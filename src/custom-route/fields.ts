// Reads described values, which either face sends in its own form. (contract 5.5.3)

import type { Detail } from '../failure/failure.ts'
import type { PartName, Problem, SpecBase } from '../resource/field/field.ts'
import { initialValue, kindOf } from '../resource/field/registry.ts'
import type { Specs } from './definition.ts'

export interface Reading<Sent> {
  readonly partName: PartName
  check(spec: SpecBase, sent: Sent, problem: Problem, partName: PartName): unknown
}
export const checkJson: Reading<unknown>['check'] = (spec, ...rest) => kindOf(spec).check(spec, ...rest)

/** In the definition's names. Adds all problems. */
export function readFields<Sent>(
  fields: Specs,
  find: (name: string) => Sent | undefined,
  reading: Reading<Sent>,
  problems: Detail[],
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [field, spec] of Object.entries(fields)) {
    const name = reading.partName(field, spec)
    const problem: Problem = (path, message) => void problems.push({ field: `${name}${path}`, message })
    values[field] = readField(spec, find(name), problem, reading)
  }
  return values
}

function readField<Sent>(
  spec: SpecBase,
  sent: Sent | undefined,
  problem: Problem,
  { partName, check }: Reading<Sent>,
): unknown {
  if (sent === undefined) {
    const initial = initialValue(spec)
    if (initial === undefined) problem('', 'Is required.')
    return initial
  }
  if (sent !== null) return check(spec, sent, problem, partName)
  if (!spec.optional) problem('', 'Must not be null.')
  return null
}
