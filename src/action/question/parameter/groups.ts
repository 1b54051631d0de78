// What a summary is grouped by, and the order of its groups. (contract 12.2.21, 12.2.27)

import { memoizePair } from '../../../cache/memoize.ts'
import type { Detail } from '../../../failure/failure.ts'
import { defaultLimits } from '../../../limits.ts'
import { pathWords } from '../../../resource/about.ts'
import type { CalendarUnit, GroupModel, ResourceModel, SortModel } from '../../../resource/model/model.ts'
import { deprecationOfPath } from '../../../resource/model/path-deprecation.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import { constant, words } from '../../../resource/naming/casing.ts'
import { type Asked, elementsOf, type Parameter, type Word } from './parameter.ts'
import { bothWays } from './sort.ts'

/** `unit` is null unless the group is a time or a date. */
export interface Grouping {
  readonly group: GroupModel
  readonly unit: CalendarUnit | null
}
export interface SummarySort {
  /** The client's name. */
  readonly name: string
  readonly by: { readonly group: GroupModel } | 'count' | { readonly sum: SortModel }
  readonly descending: boolean
}

const names = { text: 'group_by', typed: 'groupBy', code: 'by' } as const

export const groups: Parameter<readonly Grouping[]> = {
  read(sent, { resource }, { form, vocabulary }, problems) {
    const field = names[form]
    const groupings = elementsOf<Grouping>(sent(field), form).flatMap((each) =>
      typeof each === 'string' ? groupingOf(each, summaryNames(resource, vocabulary), field, problems) : [each],
    )
    requireGroups(groupings, summaryNames(resource, vocabulary), field, problems)
    return groupings
  },

  describe({ resource }, form) {
    const { groupKeys } = defaultLimits
    const wordsIn = (vocabulary: Vocabulary) =>
      [...resource.summary!.groups.values()].flatMap((group) => {
        const name = vocabulary.joined(resource, group)
        const word = (written: string, unit: CalendarUnit | null): Word => ({
          name: written,
          about: `By ${pathWords(group)}${unit === null ? '' : `, by the ${unit}`}.`,
          value: { group, unit } satisfies Grouping,
          deprecated: deprecationOfPath(resource, group),
        })
        const withUnit = (unit: CalendarUnit) =>
          form === 'text' ? `${name}:${unit}` : `${constant(name)}_${unit.toUpperCase()}`
        return [
          word(form === 'text' ? name : constant(name), usualUnit(group)),
          ...group.units.map((unit) => word(withUnit(unit), unit)),
        ]
      })
    const about = `What ${words(resource.plural)} can be grouped by.`
    const aboutGroups = {
      text: `What the records are grouped by, at most ${groupKeys}; by default all are one group. A moment or a day is grouped by its day, or by the unit after the colon.`,
      typed: `What the ${words(resource.plural)} are grouped by, at most ${groupKeys}; by default all are one group.`,
    }[form]
    const type = () =>
      ({ is: 'words', title: `${resource.graphql.name}Group`, about, words: wordsIn, max: groupKeys }) as const
    return [{ name: names[form], about: () => aboutGroups, type }]
  },
}

/** Null for the order of the groups. */
export const groupOrder: Parameter<readonly SummarySort[] | null, Asked & { readonly groups: readonly Grouping[] }> = {
  read(sent, { resource, groups: groupings }, { form, vocabulary }, problems) {
    const sorts = elementsOf<SummarySort>(sent('sort'), form).flatMap((each) =>
      typeof each === 'string' ? orderOf(each, summaryNames(resource, vocabulary), problems) : [each],
    )
    requireOrder(sorts, groupings, problems)
    return sorts.length === 0 ? null : sorts
  },

  describe({ resource }, form, vocabulary) {
    const { orders } = summaryNames(resource, vocabulary)
    const written = form === 'text' ? (name: string) => name : constant
    const wordsIn = (names: Vocabulary) =>
      [...orders.values()].flatMap((by) => {
        if (by === 'count') return bothWays(written(by), form, { about: 'how many there are', value: { by } })
        const [path, sum, about] = 'group' in by ? [by.group, '', ''] : [by.sum, `${written('sum')}_`, 'the sum of ']
        return bothWays(sum + written(names.joined(resource, path)), form, {
          about: about + pathWords(path),
          value: { by },
          deprecated: deprecationOfPath(resource, path),
        })
      })
    const about = `What groups of ${words(resource.plural)} can be sorted by.`
    const type = () =>
      ({ is: 'words', title: `${resource.graphql.name}SummarySort`, about, words: wordsIn, max: orders.size }) as const
    return [{ name: 'sort', about: () => aboutOrder[form], type }]
  },
}
const aboutOrder = {
  text: 'The order of the groups; `-` before a name reverses it. As `group_by` by default.',
  typed: 'The order of the groups; that of groupBy without it.',
}

export interface SummaryNames {
  readonly of: (path: SortModel) => string
  readonly groups: ReadonlyMap<string, GroupModel>
  readonly orders: ReadonlyMap<string, SummarySort['by']>
}

/** Requires a resource with a summary. */
export const summaryNames = memoizePair((resource: ResourceModel, vocabulary: Vocabulary): SummaryNames => {
  const of = (path: SortModel) => vocabulary.joined(resource, path)
  const groups = [...resource.summary!.groups.values()].map((group) => [of(group), group] as const)
  const sums = [...resource.summary!.measures.values()].map((sum) => [`sum_${of(sum)}`, { sum }] as const)
  const orders = new Map<string, SummarySort['by']>(groups.map(([name, group]) => [name, { group }]))
  for (const [name, by] of [['count', 'count'] as const, ...sums]) orders.set(name, by)
  return { of, groups: new Map(groups), orders }
})

/** The default unit of times and dates. */
const usualUnit = ({ units }: GroupModel): CalendarUnit | null => (units.length === 0 ? null : 'day')

/** Reads `status` or `created_at:month`. Adds problems under `field`. */
function groupingOf(text: string, { groups }: SummaryNames, field: string, problems: Detail[]): readonly Grouping[] {
  const problem = (message: string) => {
    problems.push({ field, message })
    return []
  }
  const [name, unitName, ...rest] = text.split(':') as [string, string?, ...string[]]
  const group = groups.get(name)
  if (group === undefined) return problem(`Cannot group by ${name}; only by ${[...groups.keys()].join(', ')}.`)
  const unit = unitName === undefined ? usualUnit(group) : group.units.find((each) => each === unitName)
  return unit === undefined || rest.length > 0 ? problem(wrongUnit(name, group)) : [{ group, unit }]
}

function wrongUnit(name: string, { units }: GroupModel): string {
  return units.length === 0
    ? `There are no calendar units of ${name}.`
    : `The units of ${name} are ${units.join(', ')}.`
}

function requireGroups(groupings: readonly Grouping[], { of }: SummaryNames, field: string, problems: Detail[]): void {
  const { groupKeys } = defaultLimits
  if (groupings.length > groupKeys) problems.push({ field, message: `At most ${groupKeys}.` })
  const paths = groupings.map(({ group }) => group)
  if (paths.filter(({ list }) => list !== null).length > 1)
    problems.push({ field, message: 'Through one list at most.' })
  const twice = paths.find((path, index) => paths.indexOf(path) < index)
  if (twice !== undefined) problems.push({ field, message: `Names ${of(twice)} twice.` })
}

/** Reads `-count`, `sum_total` or `created_at`. Adds problems. */
function orderOf(text: string, { orders }: SummaryNames, problems: Detail[]): readonly SummarySort[] {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const by = orders.get(name)
  if (by !== undefined) return [{ name, by, descending }]
  problems.push({ field: 'sort', message: `Cannot sort by ${name}; only by ${[...orders.keys()].join(', ')}.` })
  return []
}

function requireOrder(sorts: readonly SummarySort[], groupings: readonly Grouping[], problems: Detail[]): void {
  const problem = (message: string) => void problems.push({ field: 'sort', message })
  const keyOf = ({ by }: SummarySort) => (by === 'count' ? by : 'group' in by ? by.group : by.sum)
  const isSame = (one: SummarySort, other: SummarySort) =>
    keyOf(one) === keyOf(other) && (one.by === 'count' || other.by === 'count' || 'sum' in one.by === 'sum' in other.by)
  for (const [index, sort] of sorts.entries()) {
    const { name, by } = sort
    if (sorts.slice(0, index).some((other) => isSame(sort, other))) problem(`Sorts by ${name} again.`)
    else if (by !== 'count' && 'group' in by && groupings.every(({ group }) => group !== by.group))
      problem(`It sorts by ${name} and is not grouped by it.`)
  }
}
