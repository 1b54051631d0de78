// Summaries of readable records: count, sums and distinct values per group.

import type { Column } from '../../../resource/model/column.ts'
import type { CalendarUnit, SortModel } from '../../../resource/model/model.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import type { VisibleList, VisibleValue } from '../../../resource/model/rule/visible-value.ts'
import { conditionSql, notDeletedSql } from '../condition/condition.ts'
import { linkSides } from '../condition/list-members.ts'
import type { ListShape, SortKey } from '../condition/list-shape.ts'
import { type ClockSql, changeSql, offsetSql, unitOfDay, unitOfMoment } from '../text/calendar.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { sumSql, sumType } from '../text/exact-sum.ts'
import { placeSql } from '../text/place.ts'
import type { Prepared, SqlText } from '../text/sql-text.ts'
import { orderSql, seekSql } from './keyset.ts'
import { drivenTable, listsOf } from './list.ts'
import { limitSql, type PartialList, rowKey, rowsOf } from './list-rows.ts'
import { visibleValueSql } from './visible-value.ts'

export type Measurement = 'sum' | 'avg' | 'min' | 'max'

export interface ValueUse {
  readonly path: SortModel
  readonly visibleValue?: VisibleValue
}
export interface GroupUse extends ValueUse {
  /** Null unless it is a moment or day. */
  /** For values of list members, with the list's visibility. */
  readonly unit: CalendarUnit | null
  readonly list?: VisibleList
}
export interface MeasureUse extends ValueUse {
  readonly of: readonly Measurement[]
}

export interface SummaryShape extends Pick<ListShape, 'resource' | 'sort' | 'seek' | 'backward' | 'offset'> {
  readonly rows: ListShape
  readonly groups: readonly GroupUse[]
  readonly measures: readonly MeasureUse[]
  readonly distinct: readonly ValueUse[]
  /** Rounded to a power of two; 0 for UTC. */
  readonly periods: number
  /** Whether offsets change within an hour, which is split there. */
  readonly breaksHours: boolean
}

/** By index in the shape's groups, measures and distinct values. */
export type SummaryColumn =
  | { readonly of: 'count' }
  | { readonly of: 'group' | 'distinct'; readonly index: number }
  | { readonly of: Measurement | 'present'; readonly index: number }

export function summaryColumns({ groups, measures, distinct }: SummaryShape): readonly SummaryColumn[] {
  return [
    ...groups.map((_, index) => ({ of: 'group', index }) as const),
    { of: 'count' },
    ...measures.flatMap(({ of }, index) => [
      ...(of.includes('sum') || of.includes('avg') ? [{ of: 'sum', index } as const] : []),
      ...(of.includes('avg') ? [{ of: 'present', index } as const] : []),
      ...(of.includes('min') ? [{ of: 'min', index } as const] : []),
      ...(of.includes('max') ? [{ of: 'max', index } as const] : []),
    ]),
    ...distinct.map((_, index) => ({ of: 'distinct', index }) as const),
  ]
}

const nameOf = (column: SummaryColumn): string => (column.of === 'count' ? 'n' : `${column.of}${column.index}`)

export function summaryKey(of: SummaryColumn, column: Column | null, descending: boolean, dialect: Dialect): SortKey {
  if (of.of === 'count') return madeKey(of, { type: 'integer', spec: { kind: 'integer' }, nullable: false }, descending)
  const type = of.of === 'sum' ? sumType(column!.type, dialect) : column!.type
  const spec = of.of === 'sum' ? { kind: 'decimal' } : column!.spec
  return madeKey(of, { type, spec, nullable: true }, descending)
}
export const unitKey = (index: number, descending: boolean): SortKey =>
  madeKey({ of: 'group', index }, { type: 'text', spec: { kind: 'text' }, nullable: true }, descending)

function madeKey(of: SummaryColumn, kind: Pick<Column, 'type' | 'spec' | 'nullable'>, descending: boolean): SortKey {
  const name = nameOf(of)
  return {
    column: { field: name, name, unique: false, secret: false, encrypted: false, ...kind },
    descending,
    isMade: true,
  }
}

export function summarySql(shape: SummaryShape, condition: Condition, sql: SqlText): Prepared {
  // Reads all matches, whatever is selected.
  const { where, search } = shape.rows
  sql.scans(where == null && search == null ? 'walk' : 'matches')
  const rows = valueRows(shape, condition, sql)
  const columns = summaryColumns(shape)
  const made = columns.map((each) => `${aggregateSql(each, sql)} as ${nameOf(each)}`)
  const keys = shape.groups.map((_, index) => `r.group${index}`)
  const groups = `select ${made.join(', ')} from (${rows}) r${keys.length === 0 ? '' : ` group by ${keys.join(', ')}`}`
  const key = ({ column }: SortKey): string => placeSql(column, `g.${column.name}`)
  const seek = shape.seek === null ? '' : ` where ${seekSql(shape, shape.seek, key, sql)}`
  const order = shape.sort.length === 0 ? '' : ` order by ${orderSql(shape, key, sql)}`
  const selected = columns.map((each) => selectedSql(each, shape, sql))
  return sql.query(`select ${selected.join(', ')} from (${groups}) g${seek}${order} ${limitSql(shape, sql)}`)
}

function valueRows(shape: SummaryShape, condition: Condition, sql: SqlText): string {
  const alias = sql.alias()
  const value = ({ path, visibleValue }: ValueUse, of = alias): string => {
    const own = (column: string) => column
    return visibleValue === undefined ? `${of}.${quote(path.column.name)}` : visibleValueSql(visibleValue, of, sql, own)
  }
  const joins: string[] = []
  const groups = shape.groups.map((each, index) => {
    if (each.list === undefined) return `${value(each)} as group${index}`
    const member = sql.alias()
    joins.push(memberJoin(each.list, alias, member, sql))
    return `${value(each, member)} as group${index}`
  })
  const values = [
    ...groups,
    ...shape.measures.map((each, index) => `${value(each)} as measure${index}`),
    ...shape.distinct.map((each, index) => `${value(each)} as distinct${index}`),
  ]
  const { from, where } = readableRows(shape.rows, condition, alias, sql)
  const selected = joins.length === 0 ? values : [`${alias}."id" as own`, ...values]
  const records = `${selected.length === 0 ? '1 as one' : selected.join(', ')} from ${[from, ...joins].join(' ')} where ${where}`
  // Equal members count once per record.
  const once = joins.length === 0 ? 'select' : 'select distinct'
  if (shape.groups.every(({ unit }) => unit === null)) return `${once} ${records}`
  return unitRows(shape, `select ${records}`, once, sql)
}

/** Unordered. */
function readableRows(
  shape: ListShape,
  condition: Condition,
  alias: string,
  sql: SqlText,
): { readonly from: string; readonly where: string } {
  const parts = listsOf(shape, condition, true, sql)
  const [first] = parts
  const readable = (of: string, list: PartialList) => {
    const { driven, from, where } = rowsOf(list, of, null, sql)
    return { from: driven === null ? from : drivenTable(driven, from, of, sql), where }
  }
  if (parts.length === 1) return readable(alias, first!)
  const keys = parts.map((each) => {
    const of = sql.alias()
    const { from, where } = readable(of, each)
    return `select ${of}.${rowKey(sql)} from ${from} where ${where}`
  })
  return {
    from: `${quote(shape.resource.table)} ${alias}`,
    where: `${alias}.${rowKey(sql)} in (${keys.join(' union ')})`,
  }
}

/** Joins visible members; a record without any has nulls. */
function memberJoin({ relation, from, to }: VisibleList, holder: string, member: string, sql: SqlText): string {
  const table = quote(relation.target.table)
  const tests = [notDeletedSql(to, member, sql), ...(from.is === 'always' ? [] : [conditionSql(from, holder, sql)])]
  if (relation.kind === 'many') {
    const isOwn = `${member}.${quote(relation.by.column.name)} = ${holder}."id"`
    return `left join ${table} ${member} on ${[isOwn, ...tests].join(' and ')}`
  }
  const [mine, theirs] = linkSides(relation)
  const link = sql.alias()
  const links = `from ${quote(relation.link.table)} ${link}`
  const isOwn = `${link}."${mine}_id" = ${holder}."id"`
  // SQLite looks members up by id; PostgreSQL would scan the table.
  if (sql.dialect.engine === 'sqlite') {
    const isLinked = `${member}."id" in (select ${link}."${theirs}_id" ${links} where ${isOwn})`
    return `left join ${table} ${member} on ${[isLinked, ...tests].join(' and ')}`
  }
  const linked = `${links} join ${table} ${member} on ${member}."id" = ${link}."${theirs}_id"`
  return `left join lateral (select ${member}.* ${linked} where ${[isOwn, ...tests].join(' and ')}) ${member} on true`
}

function unitRows(
  { groups, measures, distinct, periods, breaksHours }: SummaryShape,
  records: string,
  once: string,
  sql: SqlText,
): string {
  const isMoment = ({ unit, path }: GroupUse) => unit !== null && path.column.type === 'timestamp'
  const isBroken = ({ unit }: GroupUse) => breaksHours && unit === 'hour'
  const clocks = groups.flatMap((group, index) => {
    if (periods === 0 || !isMoment(group)) return []
    const offset = `${offsetSql(`v.group${index}`, periods, sql)} as offset${index}`
    return isBroken(group) ? [offset, `${changeSql(`v.group${index}`, periods, sql)} as change${index}`] : [offset]
  })
  const from = clocks.length === 0 ? `(${records}) v` : `(select v.*, ${clocks.join(', ')} from (${records}) v) v`
  const clockOf = (group: GroupUse, index: number): ClockSql | null =>
    periods === 0 ? null : { offset: `v.offset${index}`, change: isBroken(group) ? `v.change${index}` : null }
  const units = groups.map((group, index) => {
    const value = `v.group${index}`
    if (group.unit === null) return value
    const name = isMoment(group)
      ? unitOfMoment(group.unit, value, clockOf(group, index), sql)
      : unitOfDay(group.unit, value, sql)
    return `${name} as group${index}`
  })
  const others = [
    ...measures.map((_, index) => `v.measure${index}`),
    ...distinct.map((_, index) => `v.distinct${index}`),
  ]
  const own = once === 'select' ? [] : ['v.own']
  return `${once} ${[...own, ...units, ...others].join(', ')} from ${from}`
}

function aggregateSql(column: SummaryColumn, { dialect }: SqlText): string {
  switch (column.of) {
    case 'count':
      return 'count(*)'
    case 'group':
      return `r.group${column.index}`
    case 'distinct':
      return `count(distinct r.distinct${column.index})`
    case 'present':
      return `count(r.measure${column.index})`
    case 'sum':
    case 'avg':
      return sumSql(`r.measure${column.index}`, dialect)
    default:
      return `${column.of}(r.measure${column.index})`
  }
}

/** Numbers beyond JavaScript's precision become text. */
function selectedSql(column: SummaryColumn, { groups, measures }: SummaryShape, { dialect }: SqlText): string {
  const name = `g.${nameOf(column)}`
  if (column.of === 'sum') return dialect.engine === 'postgres' ? `${name}::text` : name
  if (column.of === 'group' && groups[column.index]!.unit !== null) return name
  if (column.of !== 'group' && column.of !== 'min' && column.of !== 'max') return name
  const { path } = (column.of === 'group' ? groups : measures)[column.index]!
  return dialect.codec(path.column.type).selected?.(name) ?? name
}
