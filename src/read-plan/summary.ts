// Summaries as plans: compiled once for actors of one class, run for each request, answered as JSON texts that faces put together.

import type { Asker } from '../resource/actor.ts'
import type { ValuePath } from '../resource/model/model.ts'
import { listSightOf, sightOf } from '../resource/model/sight.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { average, pointed, scaleOf, sumOf } from '../store/sql/exact-sum.ts'
import { boundTo, type Inputs, type Prepared, SqlText } from '../store/sql/sql-text.ts'
import {
  type GroupUse,
  type Measurement,
  type SummaryColumn,
  type SummaryShape,
  summaryColumns,
  summarySql,
  type ValueUse,
} from '../store/sql/summary.ts'
import type { Program, StoredRow, Value } from '../store/store.ts'
import { createCursorWriter, type ListArguments, neighbourCursor, pageOf } from './page.ts'
import { listInputs } from './run.ts'
import { readableCondition, scopedList } from './scoped-list.ts'

// Faces write summaries down; they need not know of the store for that.
export type { GroupUse, Measurement, MeasureUse, SummaryShape } from '../store/sql/summary.ts'

export interface SummaryPlan {
  readonly shape: SummaryShape
  readonly prepared: Prepared
  readonly columns: readonly SummaryColumn[]
  readonly cursorPlaces: readonly number[]
}

export interface SummaryArguments extends Pick<Inputs, 'actor' | 'code'> {
  readonly requestTime: Date
  readonly list: ListArguments
  /** When the clocks of its time zone change, and to what. */
  readonly zone: readonly Value[]
}

/** One group: what it is of, how many records it has, and what their numbers come to, all as JSON. */
export interface SummaryGroup {
  /** By the place of the shape's groups. */
  readonly keys: readonly string[]
  readonly count: string
  /** By the place of the shape's measures. */
  readonly measures: readonly Readonly<Partial<Record<Measurement, string>>>[]
  readonly distinct: readonly string[]
  /** Its cursor, which leads either way; null where nobody asked for cursors. */
  readonly cursor: () => string | null
}
export interface SummaryAnswer {
  readonly groups: readonly SummaryGroup[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly nextCursor: string | null
  readonly previousCursor: string | null
}

export function compileSummary(shape: SummaryShape, actor: Asker, dialect: Dialect): SummaryPlan {
  const withSight = <U extends ValueUse>(use: U): U => {
    const sight = sightOf(use.path, shape.resource, actor)
    return sight === null ? use : { ...use, sight }
  }
  const sighted: SummaryShape = {
    ...shape,
    rows: scopedList(shape.rows, actor),
    groups: shape.groups.map((each) => withList(withSight(each), shape, actor)),
    measures: shape.measures.map(withSight),
    distinct: shape.distinct.map(withSight),
  }
  const columns = summaryColumns(sighted)
  const placeOf = (name: string) =>
    columns.findIndex((each) => (each.of === 'count' ? name === 'n' : name === `${each.of}${each.index}`))
  return {
    shape: sighted,
    prepared: summarySql(sighted, readableCondition(shape.rows, actor), new SqlText(dialect)),
    columns,
    cursorPlaces: shape.sort.map(({ column }) => placeOf(column.name)),
  }
}

function withList(group: GroupUse, { resource }: SummaryShape, actor: Asker): GroupUse {
  const list = listSightOf(group.path, resource, actor)
  return list === null ? group : { ...group, list }
}

/** Reads one page of groups. */
export function* runSummary(plan: SummaryPlan, args: SummaryArguments, dialect: Dialect): Program<SummaryAnswer> {
  const { shape, prepared } = plan
  const { list, zone, ...asking } = args
  const limit = list.size + 1
  const inputs = { ...asking, ...listInputs(list, asking.requestTime, dialect), limit, input: zone }
  const page = pageOf(yield boundTo(prepared, inputs), list, shape)
  const cursors = createCursorWriter(list, shape, plan.cursorPlaces, dialect)
  const hasCursors = list.binding !== null && shape.sort.length > 0
  return {
    groups: page.rows.map((row) => ({
      ...groupOf(row, plan, dialect),
      cursor: () => (hasCursors ? cursors.of('either', row) : null),
    })),
    hasNext: page.hasNext,
    hasPrevious: page.hasPrevious,
    nextCursor: hasCursors ? neighbourCursor(page, 'next', cursors) : null,
    previousCursor: hasCursors ? neighbourCursor(page, 'previous', cursors) : null,
  }
}

/** How many more digits behind the point an average has than what it is of. (contract 12.2.26) */
const averageDigits = 6

function groupOf(row: StoredRow, { shape, columns }: SummaryPlan, dialect: Dialect): Omit<SummaryGroup, 'cursor'> {
  const valueAt = (of: SummaryColumn['of'], index: number): Value =>
    row[columns.findIndex((each) => each.of === of && (each.of === 'count' || each.index === index))]!
  const json = ({ column }: ValuePath, value: Value) =>
    value === null ? 'null' : dialect.codec(column.type).json(value)
  return {
    keys: shape.groups.map(({ path, unit }, index) => {
      const value = valueAt('group', index)
      return unit === null || value === null ? json(path, value) : `"${String(value)}"`
    }),
    count: String(valueAt('count', 0)),
    measures: shape.measures.map(({ path, of }, index) =>
      Object.fromEntries(
        of.map((each): [Measurement, string] => {
          if (each === 'min' || each === 'max') return [each, json(path, valueAt(each, index))]
          const sum = valueAt('sum', index)
          const scale = scaleOf(path.column.type)
          if (sum === null) return [each, 'null']
          if (each === 'sum') return [each, `"${pointed(sumOf(sum, dialect), scale)}"`]
          const mean = average(sumOf(sum, dialect), Number(valueAt('present', index)), averageDigits)
          return [each, `"${pointed(mean, scale + averageDigits)}"`]
        }),
      ),
    ),
    distinct: shape.distinct.map((_, index) => String(valueAt('distinct', index))),
  }
}
