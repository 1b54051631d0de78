// A search in the order of creation, the newest first, on PostgreSQL. Its index tells in which spans of time a word occurs: so the
// newest spans are searched first, then more of them, and what is older only where these have too few answers. (contract 12.2.15)

import type { Value } from '../store.ts'
import { type Dialect, quote } from './dialect.ts'
import { orderSql } from './keyset.ts'
import { leadingSearch, limitSql, reachLimit, rowsSql, type Unnamed } from './list-rows.ts'
import { isDerived, type ListShape } from './list-shape.ts'
import { millisecondsSql, spanBits, spanKeySql } from './search-index.ts'
import type { SqlText } from './sql-text.ts'

/** Whether it is such a search, which the records answer by themselves. */
export function isNewestSearch(scope: Unnamed, dialect: Dialect): boolean {
  const { sort, backward, seek } = scope.shape
  const [first] = sort
  if (first === undefined || first.column.field !== 'createdAt' || isDerived(first)) return false
  const isDescending = first.descending !== backward && (seek === null || first.descending !== seek.backward)
  return isDescending && leadingSearch(scope, dialect) !== null
}

/** Each step goes so many times as far back as the one before it. */
const growth = 8
/** More keys of a shorter span end nearer to where a page does, but each is looked up by itself. */
const spansMax = 4

/** What of a search decides its steps. */
export interface Expectation {
  /** How far back in time its page should reach, in milliseconds. */
  readonly depthMs: number
  /** Whether a word may go on: each step has to find all words that it may be the beginning of, whenever they occur. */
  readonly isOpen: boolean
}

/** The steps of a search: the length of their spans, as a power of two, and how many of them. Before the first there is none. */
export function searchSteps({ depthMs, isOpen }: Expectation): readonly [bits: Value, counts: Value] {
  const [bits, counts]: [(number | null)[], (number | null)[]] = [[null], [null]]
  for (let reach = Math.max(depthMs, 2 ** spanBits[0]); bits.length < (isOpen ? 2 : stepsMax); reach *= growth) {
    const fit = spanBits.find((each) => reach <= spansMax * 2 ** each)
    if (fit === undefined) break
    bits.push(fit)
    // The one that the page begins in, and as many before it as make up for what is left of that.
    counts.push(Math.floor(reach / 2 ** fit) + 2)
  }
  return [arrayOf(bits), arrayOf(counts)]
}
/** More than there are. */
const stepsMax = 10
const arrayOf = (numbers: readonly (number | null)[]): string => `{${numbers.map((each) => each ?? 'null').join()}}`

/** The rows of a page, as a table. `first` is tested of all of them. */
export function newestRows(scope: Unnamed, first: string, sql: SqlText): string {
  const { shape } = scope
  const [begin, step, rows] = [sql.alias(), sql.alias(), sql.alias()]
  const reach = reachLimit(shape, sql)
  const [bits, counts] = [0, 1].map((index) => `(${sql.parameter({ from: 'steps', index })}::int[])`)
  const answers = (before: string, { spans, test = '' }: { spans?: string; test?: string }): string => {
    const alias = sql.alias()
    const { from, where, key } = rowsSql({ ...scope, alias, ...(spans === undefined ? {} : { spans }) }, sql)
    const tests = `${first}${test}${alias}."created_at" < ${before} and ${where}`
    return `select ${alias}.* from ${from} where ${tests} order by ${orderSql(shape, key, sql)}`
  }
  /** The beginning of the earliest span of a step. */
  const least = (bits: string, count: string): string => {
    const ms = `((((${begin}.newest >> ${bits}) - ${count} + 1) << ${bits}) * interval '1 millisecond')`
    return `coalesce('epoch'::timestamptz + ${ms}, 'infinity')`
  }
  const key = spanKeySql('bits', `(${begin}.newest >> bits) - place`)
  const keys = `array(select ${key} from generate_series(0, count - 1) place)`
  const each = `unnest(${bits}[2:], ${counts}[2:], ${bits}, ${counts}) each(bits, count, bits_before, count_before)`
  const columns = `${keys} keys, ${least('bits_before', 'count_before')} before`
  // PostgreSQL would else work out for each row where a step ends.
  const steps = `(select ${columns} from ${each} where bits is not null offset 0) ${step}`
  const ofStep = answers(`${step}.before`, { spans: `${step}.keys` })
  // Nested loops and appended lists are read in turn, since nothing orders them anew.
  const newest = `select ${rows}.* from ${steps} cross join lateral (${ofStep}) ${rows} ${reach}`
  const [lastBits, lastCount] = [bits, counts].map((all) => `${all}[cardinality(${all})]`)
  const end = least(lastBits!, lastCount!)
  // Where there is nothing older, what was found would be read once more.
  const older = `${answers(end, { test: `${outermost(shape, '', sql)} < ${end} and ` })} ${reach}`
  const page = `(${newest}) union all (${older}) ${limitSql(shape, sql)}`
  return `select ${rows}.* from ${beginning(scope, sql)} ${begin} cross join lateral (${page}) ${rows}`
}

/** The moment in which the page begins, in milliseconds. */
function beginning({ shape }: Unnamed, sql: SqlText): string {
  const { cast } = sql.dialect.codec('timestamp')
  const newest =
    shape.seek === null ? outermost(shape, 'desc', sql) : `${sql.parameter({ from: 'cursor', index: 0 })}::${cast}`
  // PostgreSQL would else work it out wherever it is named.
  return `(select ${millisecondsSql(newest)} newest offset 0)`
}

/** When the first record was created, or the last one. */
function outermost({ resource }: ListShape, direction: 'desc' | '', sql: SqlText): string {
  const alias = sql.alias()
  return `(select ${alias}."created_at" from ${quote(resource.table)} ${alias} where ${alias}."deleted_at" is null order by ${alias}."created_at" ${direction} limit 1)`
}
