// Other texts of one statement, for the database to do less: one that answers several executions at once, and one whose limit
// is part of the text. Without this file: the same answers, but lists are never combined, so that a list of one author takes
// 1.5 times as long under load, and PostgreSQL plans a page for every execution.
// A dialect without `valueTable` and `inlinesLimits` makes neither.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Batching, query, type Value } from '../store.ts'
import { byKey, listsOf } from './batching.ts'
import { isSame, type Prepared, type Source, SqlText } from './sql-text.ts'

/** Makes the text of a statement, with the parameters and aliases of the `SqlText` that it is handed. */
export type MakeText = (sql: SqlText) => string

/** A source whose values may differ where several executions become one, and the type that the database takes it for. */
export interface Varying {
  readonly source: Source
  readonly type: string
}

/**
 * The statement of a page. Executions that differ only in what is `varying` can be combined. PostgreSQL plans a statement
 * anew each time unless it knows the limit, so for few limits there is a text of its own.
 */
export function pageSql(make: MakeText, varying: readonly Varying[], sql: SqlText): Prepared {
  const text = make(sql)
  const many = manyOf(make, varying, sql)
  const prepared = sql.query(text, batchingOf(many, sql, {}))
  if (!sql.dialect.inlinesLimits || !isPlannedAnew(sql.sources)) return prepared
  const byLimit = new Map<number, Prepared>()
  const limited = (limit: number): Prepared => {
    const own = new SqlText(sql.dialect, (source) => (source.from === 'limit' ? String(limit) : null))
    // The combined statement keeps its limit as a parameter: one plan serves executions with any limit.
    return { statement: query(make(own), batchingOf(many, own, { limit })), sources: own.sources }
  }
  return {
    ...prepared,
    limitedTo: (limit) =>
      byLimit.get(limit) ?? (byLimit.size < limitsMax ? getOrInsert(byLimit, limit, limited) : prepared),
  }
}

/**
 * A statement that finds the row where `expression` is `key`; `make` makes its text of that test and of what it selects
 * beside the rest. Executions with other keys can be combined.
 */
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

/** Clients use few page sizes; each of these is a statement to be prepared. */
const limitsMax = 8

/** What a page is found by where it is not filtered. Where it is, the best plan may depend on the values of the filter. */
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

/** Whether the only number is a limit at the end, and nothing filters. */
const isPlannedAnew = (sources: readonly Source[]): boolean =>
  sources.at(-1)?.from === 'limit' && sources.every(({ from }) => unfiltered.has(from))

/** The table of the values that vary, and its columns. */
const valuesAlias = 'execution'
const columnName = (index: number): string => `value${index}`

interface ManyExecutions {
  readonly sql: string
  readonly sources: readonly Source[]
  readonly varying: readonly Source[]
}

/**
 * The text for many executions: its parameters for what varies are lists, and the last column of a row is the place of its
 * execution. Null where nothing varies in this statement, or the database has no table of values.
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

/** How executions of a statement with these sources, and with these constants in its text, become one of `many`. */
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
    // How many records have a word, nobody knows before.
    isUneven: many.varying.some(({ from }) => from === 'search'),
    values: many.sources.map((source) => constants[source.from] ?? { place: placeOf(source) }),
  }
  return listsOf(combined, dialect)
}
