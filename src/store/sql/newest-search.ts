// A search in the order of creation, the newest first, on PostgreSQL. Its index tells in which spans of time a word occurs: so the
// newest spans are searched first, then more of them, and what is older only where these have too few answers. (contract 12.2.15)

import type { Value } from '../store.ts'
import { type Dialect, quote } from './dialect.ts'
import { orderSql } from './keyset.ts'
import { leadingSearch, limitSql, reachLimit, rowsSql, type Unnamed } from './list-rows.ts'
import { isDerived } from './list-shape.ts'
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

/**
 * The steps of a search whose page is expected to reach so many milliseconds back: the length of their spans, as a power of two, and
 * how many of them. Before the first there is none.
 */
export function searchSteps(depthMs: number): readonly [bits: Value, counts: Value] {
  const [bits, counts]: [(number | null)[], (number | null)[]] = [[null], [null]]
  for (let reach = Math.max(depthMs, 2 ** spanBits[0]); ; reach *= growth) {
    const fit = spanBits.find((each) => reach <= spansMax * 2 ** each)
    if (fit === undefined) break
    bits.push(fit)
    // The one that the page begins in, and as many before it as make up for what is left of that.
    counts.push(Math.floor(reach / 2 ** fit) + 2)
  }
  return [arrayOf(bits), arrayOf(counts)]
}
const arrayOf = (numbers: readonly (number | null)[]): string => `{${numbers.map((each) => each ?? 'null').join()}}`

/** Where the rows of a page lie, in their order, as a table. `first` is tested of all of them. */
export function newestPlaces(scope: Unnamed, first: string, sql: SqlText): string {
  const { shape } = scope
  const [begin, step, rows, place] = [sql.alias(), sql.alias(), sql.alias(), sql.alias()]
  const reach = reachLimit(shape, sql)
  const [bits, counts] = [0, 1].map((index) => `(${sql.parameter({ from: 'steps', index })}::int[])`)
  const answers = (before: string, spans?: string): string => {
    const alias = sql.alias()
    const { from, where, key } = rowsSql({ ...scope, alias, ...(spans === undefined ? {} : { spans }) }, sql)
    const tests = `${first}${alias}."created_at" < ${before} and ${where}`
    return `select ${alias}.place from ${from} where ${tests} order by ${orderSql(shape, key, sql)}`
  }
  /** The beginning of what a step has searched. */
  const least = (bits: string, count: string): string => {
    const ms = `((((${begin}.newest >> ${bits}) - ${count} + 1) << ${bits}) * interval '1 millisecond')`
    return `coalesce('epoch'::timestamptz + ${ms}, 'infinity')`
  }
  const number = `(${begin}.newest >> bits)`
  const keys = `array(select ${spanKeySql('bits', `${number} - ${place}.n`)} from generate_series(0, count - 1) ${place}(n))`
  // PostgreSQL would else work out for each row when a step ends.
  const steps = `(select ${keys} keys, ${least('bits_before', 'count_before')} before from unnest(${bits}[2:], ${counts}[2:], ${bits}, ${counts}) of(bits, count, bits_before, count_before) where bits is not null offset 0)`
  // Nested loops and appended lists are read in turn, since nothing orders them anew.
  const newest = `select ${rows}.place from ${steps} ${step} cross join lateral (${answers(`${step}.before`, `${step}.keys`)}) ${rows} ${reach}`
  const [lastBits, lastCount] = [bits, counts].map((each) => `${each}[cardinality(${each})]`)
  const older = `${answers(least(lastBits!, lastCount!))} ${reach}`
  const page = `(${newest}) union all (${older}) ${limitSql(shape, sql)}`
  return `select ${rows}.place from ${beginning(scope, sql)} ${begin} cross join lateral (${page}) ${rows}`
}

/** The moment in which the page begins, in milliseconds. */
function beginning({ shape }: Unnamed, sql: SqlText): string {
  const { resource, sort, seek } = shape
  const column = sort[0]!.column
  const alias = sql.alias()
  const name = `${alias}.${quote(column.name)}`
  const newest =
    seek === null
      ? `(select ${name} from ${quote(resource.table)} ${alias} where ${alias}."deleted_at" is null order by ${name} desc limit 1)`
      : `${sql.parameter({ from: 'cursor', index: 0 })}::${sql.dialect.codec(column.type).cast}`
  // PostgreSQL would else work it out wherever it is named.
  return `(select ${millisecondsSql(newest)} newest offset 0)`
}
