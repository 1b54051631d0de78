// Builds the text of one statement together with the places its values come from.

import { type Batching, type Bound, command, query, type Statement, type Value } from '../store.ts'
import { byKey, listsOf, type ManyText } from './batching.ts'
import type { Dialect } from './dialect.ts'

/** Where a parameter's value comes from when the statement runs. */
export type Source =
  | { readonly from: 'actor' | 'id' | 'keys' | 'limit' | 'offset' | 'now' }
  | { readonly from: 'cursor' | 'filter' | 'scope' | 'input'; readonly index: number }
  | { readonly from: 'constant'; readonly value: Value }

/** What a statement is run with. Only what its sources ask for is looked at. */
export interface Inputs {
  readonly actor: string | null
  readonly id?: Value
  readonly keys?: Value
  readonly limit?: number
  readonly offset?: number
  readonly now?: Value
  readonly cursor?: readonly Value[]
  readonly filter?: readonly Value[]
  readonly scope?: readonly Value[]
  readonly input?: readonly Value[]
}

export interface Prepared {
  readonly statement: Statement
  readonly sources: readonly Source[]
  /** The same for a limit that is part of the text, where the database then need not plan it each time it runs. */
  readonly limitedTo?: (limit: number) => Prepared
}

/** What may differ between those who ask, and of which type the database takes it for. */
export interface Varying {
  readonly source: Source
  readonly type: string
}

export class SqlText {
  readonly sources: Source[]
  readonly dialect: Dialect
  /** Whose text this is a part of, and what it has from a table of values in place of parameters. */
  readonly #within: { readonly whole: SqlText; readonly varying: readonly Varying[] } | null
  #tables = 0

  constructor(
    dialect: Dialect,
    within: { readonly whole: SqlText; readonly varying: readonly Varying[] } | null = null,
  ) {
    this.dialect = dialect
    this.#within = within
    this.sources = within?.whole.sources ?? []
  }

  /** The parameter for this source; asked twice, it is the same one. */
  parameter(source: Source): string {
    const varies = this.#within?.varying.findIndex((each) => isSame(each.source, source)) ?? -1
    if (varies !== -1) return `${variedTable}.${valueName(varies)}`
    let place = this.#placeOf(source)
    if (place === -1) place = this.sources.push(source) - 1
    return this.dialect.parameter(place + 1)
  }

  /** A table alias that no other table of this statement has. */
  alias(): string {
    return this.#within?.whole.alias() ?? `t${this.#tables++}`
  }

  /**
   * The rows that `make` finds for each of many rows of what varies; null where nothing of it is in this statement, or where
   * several statements are never asked as one. What belongs to one row of values stands together, in its order.
   */
  ofMany(mayVary: readonly Varying[], make: (sql: SqlText) => string): ManyText | null {
    const varying = mayVary.filter(({ source }) => this.#placeOf(source) !== -1)
    if (this.dialect.valueTable === null || varying.length === 0) return null
    const columns = varying.map(({ source, type }, index) => ({
      name: valueName(index),
      parameter: this.parameter(source),
      type,
    }))
    const table = this.dialect.valueTable(columns, variedTable)
    const each = make(new SqlText(this.dialect, { whole: this, varying }))
    return {
      sql: `select each.*, ${variedTable}.place from ${table} cross join lateral (${each}) each`,
      places: varying.map(({ source }) => this.#placeOf(source)),
    }
  }

  #placeOf(source: Source): number {
    return this.sources.findIndex((each) => isSame(each, source))
  }

  query(sql: string, batching: Batching | null = null): Prepared {
    return { statement: query(sql, batching), sources: this.sources }
  }
  /**
   * A statement whose `limit` stands in it as `limit` says. PostgreSQL plans it anew each time, unless it knows the limit
   * beforehand; that is left so where it filters, since the best plan may then depend on what for.
   */
  page(sql: string, limit: string, many: ManyText | null): Prepared {
    // Where many ask, the limit stays a value: it is planned once, and for any of them, whoever has how many.
    const batching = (...fixed: readonly Value[]) => (many === null ? null : listsOf(many, this.dialect, fixed))
    const prepared = this.query(sql, batching())
    const scalarSources = this.sources.slice(0, -1)
    const isPlannedAnew = this.dialect.engine === 'postgres' && this.sources.at(-1)?.from === 'limit'
    if (!isPlannedAnew || scalarSources.some(({ from }) => !withoutFilter.has(from))) return prepared
    const made = new Map<number, Prepared>()
    const make = (count: number) => ({
      statement: query(sql.replaceAll(limit, String(count)), batching(count)),
      sources: scalarSources,
    })
    return {
      ...prepared,
      limitedTo: (count) =>
        made.get(count) ?? (made.size < mostLimits ? made.getOrInsertComputed(count, make) : prepared),
    }
  }
  /**
   * A statement that finds the row where `expression` is `key`; `sql` makes its text of that test and of what it selects
   * beside the rest.
   */
  find(expression: string, key: Source, sql: (test: string, alsoSelected: string) => string): Prepared {
    const parameter = this.parameter(key)
    const one = sql(`${expression} = ${parameter}`, '')
    // SQLite is in the process: there is no way to it that several could share.
    if (this.dialect.engine === 'sqlite') return this.query(one)
    const many = sql(this.dialect.among(expression, parameter), `, ${expression}`)
    return this.query(one, byKey(many, this.#placeOf(key), this.dialect))
  }
  command(sql: string): Prepared {
    return { statement: command(sql), sources: this.sources }
  }
}

/** What a page is found by without a filter. */
const withoutFilter: ReadonlySet<Source['from']> = new Set(['actor', 'id', 'cursor', 'constant'])
/** Clients ask for few sizes of pages; each is a statement to be prepared. */
const mostLimits = 8

/** The table of what varies, and its columns. */
const variedTable = 'asked'
const valueName = (index: number): string => `value${index}`

const isSame = (one: Source, other: Source): boolean =>
  one.from === other.from &&
  (one as { index?: number }).index === (other as { index?: number }).index &&
  (one as { value?: Value }).value === (other as { value?: Value }).value

/** A statement with the values that these inputs give its parameters. */
export function boundTo(prepared: Prepared, inputs: Inputs): Bound {
  const { statement, sources } = prepared.limitedTo?.(inputs.limit!) ?? prepared
  return { statement, values: valuesOf(sources, inputs) }
}

/** The values of a statement, in the order of its parameters. */
export function valuesOf(sources: readonly Source[], inputs: Inputs): Value[] {
  const values = new Array<Value>(sources.length)
  for (let at = 0; at < sources.length; at++) values[at] = inputOf(sources[at]!, inputs)
  return values
}

function inputOf(source: Source, inputs: Inputs): Value {
  switch (source.from) {
    case 'constant':
      return source.value
    case 'cursor':
      return inputs.cursor![source.index]!
    case 'filter':
      return inputs.filter![source.index]!
    case 'scope':
      return inputs.scope![source.index]!
    case 'input':
      return inputs.input![source.index]!
    default:
      return inputs[source.from] ?? null
  }
}
