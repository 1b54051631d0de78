// Variants of a statement: one combines several executions, one has the limit in its text, for PostgreSQL to keep its plan.
// What they gain: docs/decisions/optimisations.md.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { type Batching, query, type Value } from '../../store.ts'
import { byKey, listsOf } from './batching.ts'
import { isSame, type Prepared, type Source, SqlText } from './sql-text.ts'

export type MakeText = (sql: SqlText) => string

export interface Varying {
  readonly source: Source
  readonly type: string
}

/**
 * A page. Executions that differ only in `varying` can be combined. PostgreSQL replans unless the limit is known, so a few
 * limits get their own text.
 */
export function pageSql(make: MakeText, varying: readonly Varying[], sql: SqlText): Prepared {
  const text = make(sql)
  const many = manyOf(make, varying, sql)
  const prepared = sql.query(text, batchingOf(many, sql, {}))
  if (!sql.dialect.inlinesLimits || !isPlannedAnew(sql.sources)) return prepared
  const byLimit = new Map<number, Prepared>()
  const limited = (limit: number): Prepared => {
    const own = new SqlText(sql.dialect, (source) => (source.from === 'limit' ? String(limit) : null))
    // One plan serves all limits.
    return { statement: query(make(own), batchingOf(many, own, { limit })), sources: own.sources }
  }
  return {
    ...prepared,
    limitedTo: (limit) =>
      byLimit.get(limit) ?? (byLimit.size < limitsMax ? getOrInsert(byLimit, limit, limited) : prepared),
  }
}

/** Finds the row with `expression` equal to `key`. Executions with different keys can be combined. */
export function keySql(
  expression: string,
  key: Source,
  make: (test: string, alsoSelected: string) => string,
  sql: SqlText,
): Prepared {
  const parameter = sql.parameter(key)
  const one = make(`${expression} = ${parameter}`, '')
  if (sql.dialect.valueTable === null) return sql.query(one)
  const many = make(sql.dialect.among(expression, parameter), `, ${expression}`)
  return sql.query(one, byKey(many, sql.placeOf(key), sql.dialect))
}

/** Clients use few page sizes; each needs a prepared statement. */
const limitsMax = 8

/** Sources of an unfiltered page: with a filter, the best plan may depend on its values. */
const unfiltered: ReadonlySet<Source['from']> = new Set([
  'actor',
  'code',
  'id',
  'cursor',
  'constant',
  'requestTime',
  'tenantsMax',
  'limit',
])

const isPlannedAnew = (sources: readonly Source[]): boolean =>
  sources.at(-1)?.from === 'limit' && sources.every(({ from }) => unfiltered.has(from))

const valuesAlias = 'execution'
const columnName = (index: number): string => `value${index}`

interface ManyExecutions {
  readonly sql: string
  readonly sources: readonly Source[]
  readonly varying: readonly Source[]
}

/**
 * Varying parameters are lists; the last column is the index of the execution. Null if nothing varies or the dialect has no
 * `valueTable`.
 */
function manyOf(make: MakeText, mayVary: readonly Varying[], { dialect, sources }: SqlText): ManyExecutions | null {
  const varying = mayVary.filter(({ source }) => sources.some((each) => isSame(each, source)))
  if (dialect.valueTable === null || varying.length === 0) return null
  const sql = new SqlText(dialect, (source) => {
    const index = varying.findIndex((each) => isSame(each.source, source))
    return index === -1 ? null : `${valuesAlias}.${columnName(index)}`
  })
  const columns = varying.map(({ source, type }, index) => ({
    name: columnName(index),
    parameter: sql.placeholder(source),
    type,
  }))
  const table = dialect.valueTable(columns, valuesAlias)
  return {
    sql: `select each.*, ${valuesAlias}.place from ${table} cross join lateral (${make(sql)}) each`,
    sources: sql.sources,
    varying: varying.map(({ source }) => source),
  }
}

/** `constants`: values that are part of the text. */
function batchingOf(
  many: ManyExecutions | null,
  { dialect, sources }: SqlText,
  constants: Readonly<Record<string, Value>>,
): Batching | null {
  if (many === null) return null
  const placeOf = (source: Source) => sources.findIndex((each) => isSame(each, source))
  const combined = {
    sql: many.sql,
    varying: many.varying.map(placeOf),
    values: many.sources.map((source) => constants[source.from] ?? { place: placeOf(source) }),
  }
  return listsOf(combined, dialect)
}
