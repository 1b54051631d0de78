// In which order a list is read. (contract 4.3.1)

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Detail } from '../failure/failure.ts'
import { keyName, type SortKey, sortKey, totalOrder } from '../read-plan/selection.ts'
import type { QueryModel, ResourceModel, SortModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/** The order where nobody names one: that of the query, or newest first. */
export const usualSort = (resource: ResourceModel, query?: QueryModel): readonly SortKey[] =>
  totalOrder(resource, query?.sort ?? [{ column: resource.column.get('createdAt')!, descending: true }])

/** Reads names such as `-created_at` and `assignee.name`. Adds to `problems` what cannot be sorted by or is named twice. */
export function readSort(
  names: readonly string[],
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problems: Detail[],
): readonly SortKey[] {
  const problem = (message: string) => void problems.push({ field: 'sort', message })
  const byName = sortNames(resource, vocabulary)
  const keys: SortKey[] = []
  for (const text of names) {
    const descending = text.startsWith('-')
    const name = descending ? text.slice(1) : text
    const sort = byName.get(name)
    if (sort === undefined) problem(unsortable(name, byName))
    else if (isNamed(sort, keys)) problem(`Names ${name} twice.`)
    else keys.push(sortKey(sort, descending))
  }
  return totalOrder(resource, keys)
}

/** Whether one of the keys sorts by this already, in whichever direction. */
export const isNamed = (sort: SortModel, keys: readonly SortKey[]): boolean =>
  keys.some((key) => keyName({ ...key, descending: false }) === sort.name)

/** What lists of a resource can be sorted by, by the names of a vocabulary. */
const sortNames = (resource: ResourceModel, vocabulary: Vocabulary): ReadonlyMap<string, SortModel> =>
  getOrInsert(
    getOrInsert(namesByVocabulary, vocabulary, () => new WeakMap()),
    resource,
    () => new Map([...resource.sorts.values()].map((sort) => [vocabulary.path(resource, sort), sort])),
  )
const namesByVocabulary = new WeakMap<Vocabulary, WeakMap<ResourceModel, ReadonlyMap<string, SortModel>>>()

function unsortable(name: string, byName: ReadonlyMap<string, SortModel>): string {
  const names = [...byName.keys()].join(', ')
  return name === '' ? 'Must be names of fields with commas between them.' : `Cannot sort by ${name}; only by ${names}.`
}
