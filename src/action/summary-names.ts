// What summaries are asked for by name: `created_at:month`, `assignee_name`, `-sum_total`. (contract 12.2.21, 12.2.27)

import { getOrInsert } from '../cache/get-or-insert.ts'
import type { Detail } from '../failure/failure.ts'
import { defaultLimits } from '../limits.ts'
import type { CalendarUnit, GroupModel, ResourceModel, SortModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import type { Grouping, SummarySort } from './summary-request.ts'

/** What a summary's values are called in one vocabulary. */
export interface SummaryNames {
  readonly of: (path: SortModel) => string
  readonly groups: ReadonlyMap<string, GroupModel>
  readonly measures: ReadonlyMap<string, SortModel>
}

/** Expects a resource with a summary. `join` puts together the steps of a path. */
export function summaryNames(
  resource: ResourceModel,
  vocabulary: Vocabulary,
  join: (steps: readonly string[]) => string = (steps) => steps.join('_'),
): SummaryNames {
  return getOrInsert(
    getOrInsert(namesByVocabulary, vocabulary, () => new WeakMap()),
    resource,
    () => {
      const of = (path: SortModel) => join(vocabulary.path(resource, path).split('.'))
      const byName = <P extends SortModel>(paths: ReadonlyMap<string, P>) =>
        new Map([...paths.values()].map((path) => [of(path), path]))
      const { groups, measures } = resource.summary!
      return { of, groups: byName(groups), measures: byName(measures) }
    },
  )
}
const namesByVocabulary = new WeakMap<Vocabulary, WeakMap<ResourceModel, SummaryNames>>()

/** The unit of a moment or a day where none is named. */
export const usualUnit = ({ units }: GroupModel): CalendarUnit | null => (units.length === 0 ? null : 'day')

/** Reads names such as `status` and `created_at:month`. Adds to `problems`, under `field`, what cannot be grouped by. */
export function readGroups(
  texts: readonly string[],
  { groups, of }: SummaryNames,
  field: string,
  problems: Detail[],
): readonly Grouping[] {
  const problem = (message: string) => void problems.push({ field, message })
  const groupings: Grouping[] = []
  for (const text of texts) {
    const [name, unitName, ...rest] = text.split(':') as [string, string?, ...string[]]
    const group = groups.get(name)
    if (group === undefined) {
      problem(`Cannot group by ${name}; only by ${[...groups.keys()].join(', ')}.`)
      continue
    }
    const unit = unitName === undefined ? usualUnit(group) : group.units.find((each) => each === unitName)
    if (unit === undefined || rest.length > 0) problem(wrongUnit(name, group))
    else groupings.push({ group, unit })
  }
  requireGroups(groupings, of, field, problems)
  return groupings
}

function wrongUnit(name: string, { units }: GroupModel): string {
  return units.length === 0
    ? `There are no calendar units of ${name}.`
    : `The units of ${name} are ${units.join(', ')}.`
}

/** Adds to `problems` that there are too many, or one of them twice. */
export function requireGroups(
  groupings: readonly Grouping[],
  of: SummaryNames['of'],
  field: string,
  problems: Detail[],
): void {
  const { groupKeys } = defaultLimits
  if (groupings.length > groupKeys) problems.push({ field, message: `At most ${groupKeys}.` })
  const paths = groupings.map(({ group }) => group)
  if (paths.filter(({ list }) => list !== null).length > 1)
    problems.push({ field, message: 'Through one list at most.' })
  const twice = paths.find((path, index) => paths.indexOf(path) < index)
  if (twice !== undefined) problems.push({ field, message: `Names ${of(twice)} twice.` })
}

/** Reads names such as `-count`, `sum_total` and `created_at`. Adds to `problems` what groups cannot be sorted by. */
export function readSummarySort(
  texts: readonly string[],
  { groups, measures }: SummaryNames,
  groupings: readonly Grouping[],
  problems: Detail[],
): readonly SummarySort[] {
  const sums = new Map([...measures].map(([name, sum]) => [`sum_${name}`, sum]))
  const sorts: NamedSort[] = []
  const problem = (field: string, message: string) => void problems.push({ field, message })
  for (const text of texts) {
    const descending = text.startsWith('-')
    const name = descending ? text.slice(1) : text
    const [group, sum] = [groups.get(name), sums.get(name)]
    if (name === 'count') sorts.push({ name, by: 'count', descending })
    else if (sum !== undefined) sorts.push({ name, by: { sum }, descending })
    else if (group === undefined) {
      const names = [...groups.keys(), 'count', ...sums.keys()]
      problem('sort', `Cannot sort by ${name}; only by ${names.join(', ')}.`)
    } else sorts.push({ name, by: { group }, descending })
  }
  requireSorted(sorts, groupings, problem)
  return sorts
}

interface NamedSort extends SummarySort {
  readonly name: string
}
/** Tells what is sorted by twice, and what is not grouped by. */
export function requireSorted(
  sorts: readonly NamedSort[],
  groupings: readonly Grouping[],
  problem: (field: string, message: string) => void,
): void {
  const keyOf = ({ by }: NamedSort) => (by === 'count' ? by : 'group' in by ? by.group : by.sum)
  const isSame = (one: NamedSort, other: NamedSort) =>
    keyOf(one) === keyOf(other) && (one.by === 'count' || other.by === 'count' || 'sum' in one.by === 'sum' in other.by)
  for (const [index, sort] of sorts.entries()) {
    const { name, by } = sort
    if (sorts.slice(0, index).some((other) => isSame(sort, other))) problem('sort', `Sorts by ${name} again.`)
    else if (by !== 'count' && 'group' in by && groupings.every(({ group }) => group !== by.group))
      problem('sort', `It sorts by ${name} and is not grouped by it.`)
  }
}

export const notZone = 'Is no time zone; name one such as Europe/Berlin.'
