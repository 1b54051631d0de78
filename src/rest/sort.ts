// In which order a list is asked for. (contract 4.3.1)

import type { Detail } from '../failure/failure.ts'
import { type SortKey, totalOrder } from '../read-plan/selection.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** Newest first. */
export const defaultSort = (resource: ResourceModel): readonly SortKey[] =>
  totalOrder(resource, [{ column: resource.column.get('createdAt')!, descending: true }])

/** Reads `-created_at,title`. Adds to `problems` what cannot be sorted by or is named twice. */
export function readSort(
  text: string,
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problems: Detail[],
): readonly SortKey[] {
  const problem = (message: string) => void problems.push({ field: 'sort', message })
  const keys: SortKey[] = []
  for (const said of text.split(',')) {
    const descending = said.startsWith('-')
    const name = descending ? said.slice(1) : said
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
