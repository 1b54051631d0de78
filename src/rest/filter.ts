// What a list is narrowed to. Values are text in a query string; what they must be is the field's to say. (contract 4.3.4)

import type { Detail } from '../failure/failure.ts'
import type { Parameters } from '../http/message/query.ts'
import type { SpecBase } from '../resource/field/field.ts'
import { kindOf } from '../resource/field/registry.ts'
import type { FilterModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** A filter with its value, which is as a record would hold it; undefined where it has a problem. */
export interface Narrowing {
  readonly filter: FilterModel
  readonly name: string
  readonly value: unknown
}

/** The filters of a resource by the names that a version gives them. */
export const filterNames = (resource: ResourceModel, vocabulary: Vocabulary): ReadonlyMap<string, FilterModel> =>
  new Map([...resource.filters].map(([name, filter]) => [vocabulary.filter(resource, name), filter]))

/** Reads the filters among the parameters, in the order of the definition. Adds to `problems` what has the wrong type. */
export function readFilters(
  parameters: Parameters,
  filters: ReadonlyMap<string, FilterModel>,
  vocabulary: Vocabulary,
  problems: Detail[],
): readonly Narrowing[] {
  const narrowings: Narrowing[] = []
  for (const [name, filter] of filters) {
    const text = parameters.get(name)
    if (text === undefined) continue
    const value = text === '' ? undefined : readValue(text, name, filter.value, vocabulary, problems)
    narrowings.push({ filter, name, value })
  }
  return narrowings
}

function readValue(text: string, name: string, spec: SpecBase, vocabulary: Vocabulary, problems: Detail[]): unknown {
  const problem = (_: string, message: string) => void problems.push({ field: name, message })
  return kindOf(spec).check(spec, typed(text, spec), problem, vocabulary.part)
}

/** The text as JSON would have written it; what does not fit stays text, so that the field's own check refuses it. */
export function typed(text: string, spec: SpecBase): unknown {
  if (spec.kind === 'integer') return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text
  if (spec.kind === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}
