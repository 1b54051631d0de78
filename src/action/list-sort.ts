// In which order a list is read. (contract 4.3.1)

import type { Detail } from '../failure/failure.ts'
import { type SortKey, totalOrder } from '../read-plan/selection.ts'
import type { QueryModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** The order where nobody names one: that of the query, or newest first. */
export const usualSort = (resource: ResourceModel, query?: QueryModel): readonly SortKey[] =>
  totalOrder(resource, query?.sort ?? [{ column: resource.column.get('createdAt')!, descending: true }])

/** Reads names such as `-created_at` and `title`. Adds to `problems` what cannot be sorted by or is named twice. */
export function readSort(
  names: readonly string[],
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problems: Detail[],
): readonly SortKey[] {
  const problem = (message: string) => void problems.push({ field: 'sort', message })
  const keys: SortKey[] = []
  for (const text of names) {
    const descending = text.startsWith('-')
    const name = descending ? text.slice(1) : text
    const field = vocabulary.field(resource, name)
    if (field === undefined || !resource.sorts.has(field)) problem(unsortable(name, resource, vocabulary))
    else if (keys.some((key) => key.column.field === field)) problem(`Names ${name} twice.`)
    else keys.push({ column: resource.column.get(field)!, descending })
  }
  return totalOrder(resource, keys)
}

function unsortable(name: string, resource: ResourceModel, vocabulary: Vocabulary): string {
  const names = [...resource.sorts].map((field) => vocabulary.name(resource, field)).join(', ')
  return name === '' ? 'Must be names of fields with commas between them.' : `Cannot sort by ${name}; only by ${names}.`
}
