// What a list is narrowed to. Values are text in a query string; what they must be is the field's to say. (contract 4.3.4)

import type { Narrowing } from '../action/list-request.ts'
import type { Detail } from '../failure/failure.ts'
import type { Parameters } from '../http/message/query.ts'
import type { SpecBase } from '../resource/field/field.ts'
import { kindOf, valueOfText } from '../resource/field/registry.ts'
import type { FilterModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

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
    narrowings.push({ filter, parameter: name, value })
  }
  return narrowings
}

function readValue(text: string, name: string, spec: SpecBase, vocabulary: Vocabulary, problems: Detail[]): unknown {
  const problem = (_: string, message: string) => void problems.push({ field: name, message })
  return kindOf(spec).check(spec, valueOfText(text, spec), problem, vocabulary.part)
}
