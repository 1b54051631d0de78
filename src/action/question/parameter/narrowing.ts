// Narrows a list, in the same order for every face.

import type { Detail } from '../../../failure/failure.ts'
import { filter } from './filter.ts'
import type { Asked, FilterValue, Narrowing, Parameter, ReadContext, Sent } from './parameter.ts'
import { search } from './search.ts'
import { where } from './where.ts'

export interface Narrowed {
  readonly narrowings: readonly Narrowing[]
  /** Those that only some callers may use. */
  readonly filters: readonly FilterValue[]
}

export const narrowing: readonly Parameter<Narrowing | null>[] = [filter, where, search]

export function readNarrowing(
  sent: Sent,
  asked: Asked,
  context: ReadContext,
  problems: Detail[],
  mistakes?: Detail[],
): Narrowed {
  const narrowings = narrowing.flatMap((kind) => kind.read(sent, asked, context, problems, mistakes) ?? [])
  return { narrowings, filters: narrowings.flatMap(({ filters = [] }) => filters) }
}
