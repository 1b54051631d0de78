// Summaries as plans, compiled once per class of actors.

import { type AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import type { Caller } from '../resource/actor.ts'
import type { SortModel, ValuePath } from '../resource/model/model.ts'
import { visibleListOf, visibleValueOf } from '../resource/model/rule/visible-value.ts'
import {
  type GroupUse,
  type Measurement,
  type SummaryColumn,
  type SummaryShape,
  summaryColumns,
  summarySql,
  type ValueUse,
} from '../store/sql/list/summary.ts'
import { fewTenants } from '../store/sql/list/tenant-count.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { average, pointed, scaleOf, sumOf } from '../store/sql/text/exact-sum.ts'
import { boundTo, type Inputs, type Prepared, SqlText } from '../store/sql/text/sql-text.ts'
import type { Program, StoredRow, Value } from '../store/store.ts'
import { makeConnectionPrint } from './connection.ts'
import { createCursorWriter, type ListArguments, neighbourCursor, pageOf } from './page.ts'
import { reshape } from './print-value.ts'
import { type Printer, type Printing, printRows } from './printing.ts'
import type { ReadPlan } from './read-plan.ts'
import { type ListAnswer, listInputs, requireFewTenants } from './run.ts'
import { readableCondition, scopedList } from './scoped-list.ts'
import type { GroupPart, GroupValuePart, ListParts } from './selection.ts'

// Re-exported, so that faces need not import the store.
export type { GroupUse, Measurement, MeasureUse, SummaryShape } from '../store/sql/list/summary.ts'

/** The measures and differences of the shape include those of the parts. */
export interface SummaryRoot extends SummaryShape {
  readonly parts: ListParts<readonly GroupPart[]>
}

export interface SummaryPlan extends Pick<ReadPlan, 'print' | 'connection' | 'tenants' | 'cursorPlaces'> {
  readonly shape: SummaryShape
  readonly prepared: Prepared
}

export interface SummaryArguments extends Pick<Inputs, 'actor' | 'code'> {
  readonly requestTime: Date
  readonly list: ListArguments
  /** The most tenants covered. */
  readonly tenantsMax: number
  /** The offsets of its time zone and when they change. */
  readonly zone: readonly Value[]
  readonly size?: AnswerSize | undefined
}

export type SummaryAnswer = Omit<ListAnswer, 'count' | 'total' | 'errors'>

export function compileSummary({ parts, ...shape }: SummaryRoot, actor: Caller, dialect: Dialect): SummaryPlan {
  const withVisibleValue = <U extends ValueUse>(use: U): U => {
    const visibleValue = visibleValueOf(use.path, shape.resource, actor)
    return visibleValue === null ? use : { ...use, visibleValue }
  }
  const scopedShape: SummaryShape = {
    ...shape,
    rows: scopedList(shape.rows, actor),
    groups: shape.groups.map((each) => withList(withVisibleValue(each), shape, actor)),
    measures: shape.measures.map(withVisibleValue),
    distinct: shape.distinct.map(withVisibleValue),
  }
  const columns = summaryColumns(scopedShape)
  const placeOf = (name: string) =>
    columns.findIndex((each) => (each.of === 'count' ? name === 'n' : name === `${each.of}${each.index}`))
  const readable = readableCondition(shape.rows, actor)
  const printerOf = (of: readonly GroupPart[]): Printer => ({
    print: groupPrinter(of, scopedShape, columns, dialect),
    fallible: false,
  })
  return {
    shape: scopedShape,
    print: parts.as === 'array' ? printerOf(parts.of).print : () => null,
    connection: parts.as === 'array' ? null : makeConnectionPrint(parts.parts, printerOf),
    prepared: summarySql(scopedShape, readable, new SqlText(dialect)),
    tenants: fewTenants(shape.rows, readable, new SqlText(dialect)),
    cursorPlaces: shape.sort.map(({ column }) => placeOf(column.name)),
  }
}

function withList(group: GroupUse, { resource }: SummaryShape, actor: Caller): GroupUse {
  const list = visibleListOf(group.path, resource, actor)
  return list === null ? group : { ...group, list }
}

export function* runSummary(plan: SummaryPlan, args: SummaryArguments, dialect: Dialect): Program<SummaryAnswer> {
  const { shape, prepared, tenants } = plan
  const { list, zone, size = unlimitedSize, ...ruleInputs } = args
  const limit = list.size + 1
  const inputs = { ...ruleInputs, ...listInputs(list, ruleInputs.requestTime, dialect), limit, input: zone }
  if (tenants !== null) yield* requireFewTenants(tenants, inputs)
  const page = pageOf(yield boundTo(prepared, inputs), list, shape)
  const cursors = createCursorWriter(list, shape, plan.cursorPlaces, dialect)
  const hasCursors = list.binding !== null && shape.sort.length > 0
  const printing: Printing = { children: [], errors: [], path: [], size }
  const cursor = (row: StoredRow) => (hasCursors ? `"${cursors.of('either', row)}"` : 'null')
  return {
    json:
      plan.connection === null
        ? printRows(page.rows, plan.print, printing, null)
        : plan.connection({ ...page, total: null, cursor }, printing),
    hasNext: page.hasNext,
    hasPrevious: page.hasPrevious,
    nextCursor: hasCursors ? neighbourCursor(page, 'next', cursors) : null,
    previousCursor: hasCursors ? neighbourCursor(page, 'previous', cursors) : null,
  }
}

/** Additional digits after the point in an average. (contract 12.2.26) */
const averageDigits = 6

type PrintPart = (row: StoredRow) => string

function groupPrinter(
  parts: readonly GroupPart[],
  shape: SummaryShape,
  columns: readonly SummaryColumn[],
  dialect: Dialect,
): PrintPart {
  const placeOf = (of: SummaryColumn['of'], index: number): number =>
    columns.findIndex((each) => each.of === of && (each.of === 'count' || each.index === index))
  const jsonAt = (place: number, { column }: ValuePath): PrintPart => {
    const codec = dialect.codec(column.type)
    return (row) => (row[place] === null ? 'null' : codec.json(row[place]!))
  }
  const printMeasure = (of: Measurement, path: SortModel): PrintPart => {
    const index = shape.measures.findIndex((each) => each.path === path)
    if (of === 'min' || of === 'max') return jsonAt(placeOf(of, index), path)
    const [sum, present] = [placeOf('sum', index), placeOf('present', index)]
    const scale = scaleOf(path.column.type)
    return (row) => {
      if (row[sum] === null) return 'null'
      const exact = sumOf(row[sum]!, dialect)
      if (of === 'sum') return `"${pointed(exact, scale)}"`
      return `"${pointed(average(exact, Number(row[present]), averageDigits), scale + averageDigits)}"`
    }
  }
  const printPart = (part: GroupPart): PrintPart => {
    switch (part.kind) {
      case 'constant':
        return () => part.json
      case 'count': {
        const place = placeOf('count', 0)
        return (row) => String(row[place])
      }
      case 'group': {
        const index = shape.groups.findIndex(({ path }) => path === part.path)
        if (index === -1) return () => 'null'
        const place = placeOf('group', index)
        const { shape: words } = part
        if (words !== undefined) return (row) => JSON.stringify(reshape(row[place], words))
        const json = jsonAt(place, part.path)
        return shape.groups[index]!.unit === null ? json : (row) => JSON.stringify(row[place])
      }
      case 'distinct':
        return printObject(part.parts, (path) => {
          const place = placeOf(
            'distinct',
            shape.distinct.findIndex((each) => each.path === path),
          )
          return (row) => String(row[place])
        })
      default:
        return printObject(part.parts, (path) => printMeasure(part.kind, path))
    }
  }
  return printMembers(parts.map((part) => [part.key, printPart(part)]))
}

const printObject = (parts: readonly GroupValuePart[], printOf: (path: SortModel) => PrintPart): PrintPart =>
  printMembers(parts.map((part) => [part.key, part.path === null ? () => part.json : printOf(part.path)]))

function printMembers(members: readonly (readonly [key: string, print: PrintPart])[]): PrintPart {
  const pieces = members.map(([key, print]) => ({ key: JSON.stringify(key), print }))
  return (row) => `{${pieces.map(({ key, print }) => `${key}:${print(row)}`).join()}}`
}
