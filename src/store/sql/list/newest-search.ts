// Searches by creation, newest first, on PostgreSQL. Newest time spans are searched first, then growing ones, older records
// only if these have too few matches. (contract 12.2.35)

import { isDerived, type ListShape } from '../condition/list-shape.ts'
import { millisecondsSql, spanBits, spanKeySql } from '../condition/search-index.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { orderSql } from './keyset.ts'
import { leadingSearch, limitAhead, limitSql, rowsSql, type Unnamed } from './list-rows.ts'

/** Only if records match by themselves. */
export function isNewestSearch(scope: Unnamed, dialect: Dialect): boolean {
  const { sort, backward, seek } = scope.shape
  const [first] = sort
  if (first === undefined || first.column.field !== 'createdAt' || isDerived(first)) return false
  const isDescending = first.descending !== backward && (seek === null || first.descending !== seek.backward)
  return isDescending && leadingSearch(scope, dialect) !== null
}

/** The factor between the depths of steps. */
const growth = 8
/** Shorter spans fit a page better, but each is a separate lookup. */
const spansMax = 4

/**
 * The length of each step's spans, as a power of two, and their number. A prefix has only one step, because each looks up all
 * its words.
 */
function stepsOf(isOpen: boolean): readonly [bits: string, counts: string] {
  const [bits, counts]: [(number | null)[], (number | null)[]] = [[null], [null]]
  for (let span = 2 ** spanBits[0]; bits.length < (isOpen ? 2 : stepsMax); span *= growth) {
    const fit = spanBits.find((each) => span <= spansMax * 2 ** each)
    if (fit === undefined) break
    bits.push(fit)
    // Plus the partial span in which the page begins, and one for its remainder.
    counts.push(Math.floor(span / 2 ** fit) + 2)
  }
  return [arrayOf(bits), arrayOf(counts)]
}
const stepsMax = 10
const arrayOf = (numbers: readonly (number | null)[]): string =>
  `'{${numbers.map((each) => each ?? 'null').join()}}'::int[]`
const whole = stepsOf(false)
const open = stepsOf(true)

/** `first`: a test of every row. */
export function newestRows(scope: Unnamed, first: string, sql: SqlText): string {
  const { shape } = scope
  const [begin, step, rows] = [sql.alias(), sql.alias(), sql.alias()]
  const limit = limitAhead(shape, sql)
  const isOpen = shape.search!.terms.some(({ isExcluded, mayGoOn }) => mayGoOn && !isExcluded)
  const [bits, counts] = (isOpen ? open : whole).map((each) => `(${each})`)
  const answers = (before: string, { spans, test = '' }: { spans?: string; test?: string }): string => {
    const alias = sql.alias()
    const { from, where, key } = rowsSql({ ...scope, alias, ...(spans === undefined ? {} : { spans }) }, sql)
    const tests = `${first}${test}${alias}."created_at" < ${before} and ${where}`
    return `select ${alias}.* from ${from} where ${tests} order by ${orderSql(shape, key, sql)}`
  }
  const least = (bits: string, count: string): string => {
    const ms = `((((${begin}.newest >> ${bits}) - ${count} + 1) << ${bits}) * interval '1 millisecond')`
    return `coalesce('epoch'::timestamptz + ${ms}, 'infinity')`
  }
  const key = spanKeySql('bits', `(${begin}.newest >> bits) - place`)
  const keys = `array(select ${key} from generate_series(0, count - 1) place)`
  const each = `unnest(${bits}[2:], ${counts}[2:], ${bits}, ${counts}) each(bits, count, bits_before, count_before)`
  const columns = `${keys} keys, ${least('bits_before', 'count_before')} before`
  // `offset 0` makes PostgreSQL evaluate a step's end once, not per row.
  const steps = `(select ${columns} from ${each} where bits is not null offset 0) ${step}`
  const ofStep = answers(`${step}.before`, { spans: `${step}.keys` })
  // Nested loops and appended lists keep their order.
  const newest = `select ${rows}.* from ${steps} cross join lateral (${ofStep}) ${rows} ${limit}`
  const [lastBits, lastCount] = [bits, counts].map((all) => `${all}[cardinality(${all})]`)
  const end = least(lastBits!, lastCount!)
  // Otherwise matches would be read again.
  const older = `${answers(end, { test: `${outermost(shape, '', sql)} < ${end} and ` })} ${limit}`
  const page = `(${newest}) union all (${older}) ${limitSql(shape, sql)}`
  return `select ${rows}.* from ${beginning(scope, sql)} ${begin} cross join lateral (${page}) ${rows}`
}

/** The time at which the page begins, in milliseconds. */
function beginning({ shape }: Unnamed, sql: SqlText): string {
  const { cast } = sql.dialect.codec('timestamp')
  const newest =
    shape.seek === null ? outermost(shape, 'desc', sql) : `${sql.parameter({ from: 'cursor', index: 0 })}::${cast}`
  // `offset 0`: evaluated once, not at each use.
  return `(select ${millisecondsSql(newest)} newest offset 0)`
}

function outermost({ resource }: ListShape, direction: 'desc' | '', sql: SqlText): string {
  const alias = sql.alias()
  return `(select ${alias}."created_at" from ${quote(resource.table)} ${alias} where ${alias}."deleted_at" is null order by ${alias}."created_at" ${direction} limit 1)`
}
