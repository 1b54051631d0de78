// From what a face has read of a summary (groups, numbers, filters, order, page) to the shape of its statement and the values that
// are bound to it: one meaning for every face. (contract 12.2)

import type { Detail } from '../failure/failure.ts'
import { readCursor } from '../read-plan/cursor.ts'
import type { ListArguments } from '../read-plan/page.ts'
import { keyName, type SortKey, type Value } from '../read-plan/selection.ts'
import type { SummaryShape } from '../read-plan/summary.ts'
import type { Asker } from '../resource/actor.ts'
import type { CalendarUnit, GroupModel, SortModel, SummaryModel } from '../resource/model/model.ts'
import { type Measurement, summaryKey, unitKey } from '../store/sql/summary.ts'
import type { PageRequest } from './list-page.ts'
import { type CursorNames, type ListContext, type ListQuestion, ListRequest, wayOf } from './list-request.ts'
import { type TimeZone, utc } from './time-zone.ts'

/** What records are grouped by; `unit` is null for what is no moment and no day. */
export interface Grouping {
  readonly group: GroupModel
  readonly unit: CalendarUnit | null
}
/** How groups are sorted: by what they are of, by how many they are, or by a sum. */
export interface SummarySort {
  readonly by: { readonly group: GroupModel } | 'count' | { readonly sum: SortModel }
  readonly descending: boolean
}
/** What is answered of each group, beside what it is of and how many records it has. */
export interface SummaryParts {
  readonly measures: readonly { readonly path: SortModel; readonly of: readonly Measurement[] }[]
  readonly distinct: readonly SortModel[]
}
export const allMeasurements: readonly Measurement[] = ['sum', 'avg', 'min', 'max']
/** Everything there is. */
export const wholeSummary = ({ measures, distinct }: SummaryModel): SummaryParts => ({
  measures: [...measures.values()].map((path) => ({ path, of: allMeasurements })),
  distinct: [...distinct.values()],
})

/** The same with the sums that groups are sorted by. */
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

/** Whether it comes to the same for all who ask, as long as no record changes. */
export const isShared = ({ groups, parts }: Pick<SummaryQuestion, 'groups' | 'parts'>): boolean =>
  [...groups.map(({ group }) => group), ...parts.measures.map(({ path }) => path), ...parts.distinct].every(
    ({ isHideable }) => !isHideable,
  )

/** What a face has read, whoever asks. */
export interface SummaryQuestion
  extends Pick<ListQuestion, 'resource' | 'filters' | 'where' | 'search' | 'page' | 'isSound'> {
  readonly groups: readonly Grouping[]
  readonly zone: TimeZone
  readonly parts: SummaryParts
  /** Null for that of the groups. */
  readonly sort: readonly SummarySort[] | null
}

/** One summary of one request. Summaries of one resource with the same `key` have the same shape. */
export interface BoundSummary {
  readonly key: string
  readonly shape: SummaryShape
  readonly list: ListArguments
  readonly zone: readonly Value[]
  /** How much its condition and its search ask. */
  readonly points: number
}

export class SummaryRequest {
  readonly question: SummaryQuestion
  readonly #rows: ListRequest
  readonly #sort: readonly SortKey[]
  readonly #context: ListContext
  readonly #zone: { readonly periods: number; readonly values: readonly Value[] }

  constructor(question: SummaryQuestion, context: ListContext) {
    this.question = question
    this.#context = context
    const { resource, filters, where = null, search = null, isSound } = question
    // The cursor is one of groups: what it is bound to begins with what the records are.
    const page = { by: 'cursor', size: 1, cursor: null, parameter: '', isEnd: false, backward: false } as const
    this.#rows = new ListRequest({ resource, filters, where, search, sort: null, page, args: null, isSound }, context)
    this.#sort = sortKeys(question, context)
    this.#zone = zoneValues(question.zone)
  }

  /** The summary for this caller. Adds to `problems` what the caller may not filter by, and a cursor of another one. */
  bind(actor: Asker, names: CursorNames, problems: Detail[]): BoundSummary {
    const { page, isSound, groups, zone } = this.question
    const before = problems.length
    const rows = this.#rows.bind(actor, names, problems)
    const kinds = groups.map(({ group, unit }) => [group.name, unit])
    const { bindings } = this.#context
    const binding = bindings.of(rows.list.binding, 'summary', kinds, zone.name, this.#sort.map(keyName))
    const cursor = isSound && problems.length === before ? this.#cursor(page, binding, problems) : null
    const shape = this.#shapeOf(rows.shape, page, cursor)
    return {
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
      points: rows.points,
    }
  }

  #cursor(page: PageRequest, binding: string, problems: Detail[]) {
    if (page.by === 'offset' || page.cursor === null) return null
    const cursor = readCursor(page.cursor, binding, this.#sort, this.#context.dialect)
    if (typeof cursor !== 'string') return cursor
    problems.push({ field: page.parameter, message: cursor })
    return null
  }

  #shapeOf(rows: SummaryShape['rows'], page: PageRequest, cursor: ReturnType<typeof readCursor> | null): SummaryShape {
    const { resource, groups, parts } = this.question
    return {
      resource,
      rows: { ...rows, sort: [], seek: null },
      groups: groups.map(({ group, unit }) => ({ path: group, unit })),
      measures: parts.measures,
      distinct: parts.distinct.map((path) => ({ path })),
      periods: groups.some(({ group }) => group.column.type === 'timestamp') ? this.#zone.periods : 0,
      sort: this.#sort,
      ...wayOf(page, typeof cursor === 'string' ? null : cursor),
      offset: page.by === 'offset' && page.hasOffset,
    }
  }

  #keyOf({ groups, measures, distinct, periods, sort, seek, backward, offset }: SummaryShape): string {
    return JSON.stringify([
      groups.map(({ path, unit }) => [path.name, unit]),
      measures.map(({ path, of }) => [path.name, of]),
      distinct.map(({ path }) => path.name),
      [periods, sort.map(keyName), seek, backward, offset],
    ])
  }
}

/** The order that is asked for, or that of the groups; it ends with all groups, so that no two are alike. */
function sortKeys({ groups, parts, sort, isSound }: SummaryQuestion, { dialect }: ListContext): readonly SortKey[] {
  const groupKey = (index: number, descending: boolean): SortKey => {
    const { group, unit } = groups[index]!
    return unit === null
      ? summaryKey({ of: 'group', index }, group.column, descending, dialect)
      : unitKey(index, descending)
  }
  // What it is sorted by may be what it is not grouped by, where that is told.
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

/** Beginnings first, then how far ahead; filled up to a power of two with what no moment reaches. */
function zoneValues(zone: TimeZone): { readonly periods: number; readonly values: readonly Value[] } {
  if (zone === utc) return { periods: 0, values: [] }
  const count = 2 ** Math.ceil(Math.log2(zone.periods.length))
  const [first, ...others] = zone.periods
  const missing = Array.from({ length: count - zone.periods.length }, () => ({
    begins: never,
    aheadSeconds: zone.periods.at(-1)!.aheadSeconds,
  }))
  const all = [first!, ...others, ...missing]
  return {
    periods: count,
    values: [...all.slice(1).map(({ begins }) => begins.toISOString()), ...all.map((each) => each.aheadSeconds)],
  }
}
const never = new Date('9999-12-31T23:59:59.999Z')
