// Fails for written records that overlap others. (contract 11.5)

import { type Detail, Failure } from '../../failure/failure.ts'
import { words } from '../../resource/naming/casing.ts'
import type { Program } from '../../store/store.ts'
import { firstOverlap, type Overlap } from '../row/exclusion.ts'
import type { WriteScope } from '../write-scope.ts'
import { atPlaces } from './part.ts'
import type { PartTargets } from './target-state.ts'

/**
 * Fails with CONFLICT for an overlap, with BUSINESS_RULE_VIOLATION for an interval that ends before it starts. Details name fields of
 * records in these parts; other records were written by code.
 */
export function* requireDisjoint<P extends PartTargets>(
  parts: readonly P[],
  scope: WriteScope,
  inPlace: (part: P, stage: Program<never>) => Program<never> = ({ part }, stage) => atPlaces(part, stage),
): Program<void> {
  const overlap = yield* firstOverlap(scope)
  if (overlap === null) return
  for (const each of parts) {
    const target = each.targets.findIndex(({ id }) => id === overlap.id)
    if (target !== -1) yield* inPlace(each, failing(failureOf(overlap, target, scope)))
  }
  throw failureOf(overlap, null, scope)
}

// biome-ignore lint/correctness/useYield: a program that only fails
function* failing(failure: Failure): Program<never> {
  throw failure
}

function failureOf(
  { resource, exclusion, isEmpty }: Overlap,
  target: number | null,
  { vocabulary: { name } }: WriteScope,
): Failure {
  const named = ({ field }: { readonly field: string }) => name(resource, field)
  const [start, end] = [named(exclusion.start), named(exclusion.end)]
  const what = target === null ? `${words(resource.name)}'s ${start}` : start
  if (isEmpty) {
    const details: readonly Detail[] = [{ field: start, message: `Must be before ${end}.`, target: target ?? 0 }]
    const message = `The ${what} must be before its ${end}.`
    return new Failure('BUSINESS_RULE_VIOLATION', target === null ? { message } : { message, target, details })
  }
  const fields = exclusion.columns.map(named)
  const record = target === null ? words(resource.name) : 'record'
  const message = `Another ${record} with this ${fields.join(' and ')} overlaps it from ${start} to ${end}.`
  if (target === null) return new Failure('CONFLICT', { message })
  const details = [...fields, start, end].map((field) => ({ field, message: 'Overlaps another record.', target }))
  return new Failure('CONFLICT', { message, target, details })
}
