// Turns what a face has read of a summary into its shape and bound values. (contract 12.2)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Detail } from '../../failure/failure.ts'
import { type Cursor, cursorBinding } from '../../read-plan/cursor.ts'
import { type GroupPart, keyName, type SortKey, type Value } from '../../read-plan/selection.ts'
import type { SummaryShape } from '../../read-plan/summary.ts'
import type { Caller } from '../../resource/actor.ts'
import { type TimeZone, utc } from '../../resource/code/time-zone.ts'
import type { SortModel } from '../../resource/model/model.ts'
import { type Measurement, summaryKey, unitKey } from '../../store/sql/list/summary.ts'
import { type PageRequest, readPageCursor } from './list-page.ts'
import {
  type BoundList,
  type CursorNames,
  type ListContext,
  type ListQuestion,
  ListRequest,
  wayOf,
} from './list-request.ts'
import type { Grouping, SummarySort } from './parameter/groups.ts'
import type { Narrowed } from './parameter/narrowing.ts'

export interface SummaryParts {
  readonly measures: readonly { readonly path: SortModel; readonly of: readonly Measurement[] }[]
  readonly distinct: readonly SortModel[]
}
export function measuredBy(groups: readonly GroupPart[]): SummaryParts {
  const measures = new Map<SortModel, Set<Measurement>>()
  const distinct = new Set<SortModel>()
  for (const part of groups) {
    if (!('parts' in part)) continue
    for (const { path } of part.parts) {
      if (path === null) continue
      if (part.kind === 'distinct') distinct.add(path)
      else getOrInsert(measures, path, () => new Set<Measurement>()).add(part.kind)
    }
  }
  return { measures: [...measures].map(([path, of]) => ({ path, of: [...of] })), distinct: [...distinct] }
}

/** Adds the sums that groups are sorted by. */
export function withSums(parts: SummaryParts, sorts: readonly SummarySort[]): SummaryParts {
  const measures = [...parts.measures]
  for (const { by } of sorts) {
    if (by === 'count' || 'group' in by) continue
    const at = measures.findIndex(({ path }) => path === by.sum)
    if (at === -1) measures.push({ path: by.sum, of: ['sum'] })
    else if (!measures[at]!.of.includes('sum')) measures[at] = { path: by.sum, of: [...measures[at]!.of, 'sum'] }
  }
  return { ...parts, measures }
}

export const isShared = ({ groups, parts }: Pick<SummaryQuestion, 'groups' | 'parts'>): boolean =>
  [...groups.map(({ group }) => group), ...parts.measures.map(({ path }) => path), ...parts.distinct].every(
    ({ isHideable }) => !isHideable,
  )

/** Independent of the caller. */
export interface SummaryQuestion extends Pick<ListQuestion, 'resource' | keyof Narrowed | 'page' | 'isSound'> {
  readonly groups: readonly Grouping[]
  readonly zone: TimeZone
  readonly parts: SummaryParts
  readonly sort: readonly SummarySort[] | null
}

/** Summaries of one resource with the same `key` have the same shape. */
export interface BoundSummary extends Omit<BoundList, 'shape'> {
  readonly shape: SummaryShape
  readonly zone: readonly Value[]
}

export class SummaryRequest {
  readonly question: SummaryQuestion
  readonly #rows: ListRequest
  readonly #sort: readonly SortKey[]
  readonly #context: ListContext
  readonly #zone: ZoneValues

  constructor(question: SummaryQuestion, context: ListContext) {
    this.question = question
    this.#context = context
    const { resource, filters, narrowings, isSound } = question
    // A cursor names a group, so it is bound to the list as well.
    const page = { by: 'cursor', size: 1, cursor: null, parameter: '', isEnd: false, backward: false } as const
    this.#rows = new ListRequest({ resource, filters, narrowings, sort: null, page, args: null, isSound }, context)
    this.#sort = sortKeys(question, context)
    this.#zone = zoneValues(question.zone)
  }

  /** Problems: filters that the caller may not use, and a cursor of another summary. */
  bind(actor: Caller, names: CursorNames, problems: Detail[]): BoundSummary {
    const { page, isSound, groups, zone } = this.question
    const before = problems.length
    const rows = this.#rows.bind(actor, names, problems)
    const kinds = groups.map(({ group, unit }) => [group.name, unit])
    const binding = cursorBinding(rows.list.binding, 'summary', kinds, zone.name, this.#sort.map(keyName))
    const cursor =
      isSound && problems.length === before
        ? readPageCursor(page, binding, this.#sort, this.#context.dialect, problems)
        : null
    const shape = this.#shapeOf(rows.shape, page, cursor)
    return {
      ...rows,
      key: `${rows.key}|${this.#keyOf(shape)}`,
      shape,
      list: {
        ...rows.list,
        size: page.size,
        offset: page.by === 'offset' ? page.offset : 0,
        cursor: cursor?.values ?? null,
        binding: page.by === 'offset' ? null : binding,
      },
      zone: this.#zone.values,
    }
  }

  #shapeOf(rows: SummaryShape['rows'], page: PageRequest, cursor: Cursor | null): SummaryShape {
    const { resource, groups, parts } = this.question
    return {
      resource,
      rows: { ...rows, sort: [], seek: null },
      groups: groups.map(({ group, unit }) => ({ path: group, unit })),
      measures: parts.measures,
      distinct: parts.distinct.map((path) => ({ path })),
      ...(groups.some(({ group }) => group.column.type === 'timestamp') ? clocksOf(this.#zone) : noClocks),
      sort: this.#sort,
      ...wayOf(page, cursor),
      offset: page.by === 'offset' && page.hasOffset,
    }
  }

  #keyOf({ groups, measures, distinct, periods, breaksHours, sort, seek, backward, offset }: SummaryShape): string {
    return JSON.stringify([
      groups.map(({ path, unit }) => [path.name, unit]),
      measures.map(({ path, of }) => [path.name, of]),
      distinct.map(({ path }) => path.name),
      [periods, breaksHours, sort.map(keyName), seek, backward, offset],
    ])
  }
}

/** Ends with all groups, so that no two are equal. */
function sortKeys({ groups, parts, sort, isSound }: SummaryQuestion, { dialect }: ListContext): readonly SortKey[] {
  const groupKey = (index: number, descending: boolean): SortKey => {
    const { group, unit } = groups[index]!
    return unit === null
      ? summaryKey({ of: 'group', index }, group.column, descending, dialect)
      : unitKey(index, descending)
  }
  // An order by something that is not grouped has been reported.
  const keys = (isSound ? (sort ?? []) : []).map(({ by, descending }): SortKey => {
    if (by === 'count') return summaryKey({ of: 'count' }, null, descending, dialect)
    if ('group' in by)
      return groupKey(
        groups.findIndex(({ group }) => group === by.group),
        descending,
      )
    const index = parts.measures.findIndex(({ path }) => path === by.sum)
    return summaryKey({ of: 'sum', index }, by.sum.column, descending, dialect)
  })
  const last = keys.at(-1)?.descending ?? false
  const others = groups.map((_, index) => groupKey(index, last))
  const isNew = ({ column }: SortKey) => keys.every((key) => key.column.name !== column.name)
  return [...keys, ...others.filter(isNew)]
}

interface ZoneValues extends Pick<SummaryShape, 'periods' | 'breaksHours'> {
  readonly values: readonly Value[]
}
const clocksOf = ({ periods, breaksHours }: ZoneValues) => ({ periods, breaksHours })
const noClocks = { periods: 0, breaksHours: false } as const

/** Starts of periods, then offsets; padded to a power of two. */
function zoneValues(zone: TimeZone): ZoneValues {
  if (zone === utc) return { ...noClocks, values: [] }
  const count = 2 ** Math.ceil(Math.log2(zone.periods.length))
  const [first, ...others] = zone.periods
  const missing = Array.from({ length: count - zone.periods.length }, () => ({
    begins: never,
    aheadSeconds: zone.periods.at(-1)!.aheadSeconds,
  }))
  const all = [first!, ...others, ...missing]
  return {
    periods: count,
    breaksHours: breaksHours(zone),
    values: [...all.slice(1).map(({ begins }) => begins.toISOString()), ...all.map((each) => each.aheadSeconds)],
  }
}
const breaksHours = ({ periods }: TimeZone): boolean =>
  periods.some(({ begins, aheadSeconds }, index) => {
    const before = periods[index - 1]?.aheadSeconds ?? aheadSeconds
    return index > 0 && [before, aheadSeconds].some((ahead) => (begins.getTime() / 1_000 + ahead) % 3_600 !== 0)
  })
const never = new Date('9999-12-31T23:59:59.999Z')
