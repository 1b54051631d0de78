// The parameters of one statement: their places in its text, and where their values come from.

import { momentAt } from '../../resource/model/placeholder.ts'
import { type Batching, type Bound, command, query, type Reach, type Statement, type Value } from '../store.ts'
import { type Dialect, quote } from './dialect.ts'

/** Where a parameter's value comes from when the statement runs. */
export type Source =
  | { readonly from: 'actor' | 'code' | 'id' | 'keys' | 'limit' | 'offset' | 'now' | 'deletedAt' | 'tenantsMax' }
  | { readonly from: 'cursor' | 'filter' | 'scope' | 'where' | 'search' | 'steps' | 'input'; readonly index: number }
  | { readonly from: 'constant'; readonly value: Value }
  /** So long after the moment of the request, in whole seconds, so that equal reads of a second share a statement. */
  | { readonly from: 'requestTime'; readonly shiftMs: number }

/** What a statement is run with. Only what its sources ask for is looked at. */
export interface Inputs {
  readonly actor: string | null
  /** The hash of the access code that is shown. */
  readonly code?: string | null
  readonly id?: Value
  readonly keys?: Value
  readonly limit?: number
  /** From how many tenants a list is gathered: no record is found of more. */
  readonly tenantsMax?: number
  readonly offset?: number
  readonly now?: Value
  /** When the records were deleted that still count as living. */
  readonly deletedAt?: Value
  /** What rules take for now. */
  readonly requestTime?: Date
  readonly cursor?: readonly Value[]
  readonly filter?: readonly Value[]
  readonly scope?: readonly Value[]
  readonly where?: readonly Value[]
  readonly search?: readonly Value[]
  /** The steps of a search. (`newest-search.ts`) */
  readonly steps?: readonly Value[]
  readonly input?: readonly Value[]
}

/** Who asks, and when: what rules take from a request. */
export type Asking = Pick<Inputs, 'actor' | 'code' | 'requestTime' | 'deletedAt'>
/** For statements that ask no rule. */
export const noAsker: Asking = { actor: null }

export interface Prepared {
  readonly statement: Statement
  readonly sources: readonly Source[]
  /** The same with this limit as a part of its text. (`variants.ts`) */
  readonly limitedTo?: (limit: number) => Prepared
}

/** Which records count as living: those that were not deleted, or also those that one write has just deleted. */
export type Living = 'now' | 'untilDeleted'

/** Text to stand in place of the parameter of a source; null where the parameter stays. */
export type Substitute = (source: Source) => string | null

/** Hands out the parameters and aliases of one statement, and remembers where the values come from. */
export class SqlText {
  readonly sources: Source[] = []
  readonly dialect: Dialect
  readonly #substitute: Substitute
  readonly #living: Living
  /** By alias and name. */
  readonly #fixed = new Map<string, Source>()
  readonly #listed = new Set<string>()
  #tables = 0
  #reach: Reach = 'page'

  constructor(dialect: Dialect, substitute: Substitute = () => null, living: Living = 'now') {
    this.dialect = dialect
    this.#living = living
    this.#substitute = substitute
  }

  /** The text for this source: its parameter, or what is substituted for it. */
  parameter(source: Source): string {
    return this.#substitute(source) ?? this.placeholder(source)
  }

  /** The parameter for this source, the same one each time. */
  placeholder(source: Source): string {
    const place = this.placeOf(source)
    return this.dialect.parameter(place === -1 ? this.sources.push(source) : place + 1)
  }

  /** The place of this source among the values, from 0; -1 where it has none. */
  placeOf(source: Source): number {
    return this.sources.findIndex((each) => isSame(each, source))
  }

  /** That the record of this alias was not deleted, or no earlier than its statement looks at. */
  living(alias: string): string {
    const isLiving = `${alias}."deleted_at" is null`
    if (this.#living === 'now') return isLiving
    return `(${isLiving} or ${alias}."deleted_at" = ${this.parameter({ from: 'deletedAt' })})`
  }

  /** A table alias that no other table of this statement has. */
  alias(): string {
    return `t${this.#tables++}`
  }

  /** The same for records of a list that belongs to each row of another table. */
  listedAlias(): string {
    const alias = this.alias()
    this.#listed.add(alias)
    return alias
  }

  /** Whether PostgreSQL asks of this alias for each row of another table; SQLite finds rows one by one anyway. */
  isListed(alias: string): boolean {
    return this.dialect.engine === 'postgres' && this.#listed.has(alias)
  }

  /** Every row of this alias has the value of this source in that column. */
  fix(alias: string, column: string, source: Source): void {
    this.#fixed.set(`${alias}.${column}`, source)
  }

  /**
   * A column, or the one value that all of its rows have: what is asked about that value is asked once, and not of every row.
   */
  value(alias: string, column: string): string {
    const source = this.#fixed.get(`${alias}.${column}`)
    return source === undefined ? `${alias}.${quote(column)}` : this.parameter(source)
  }

  /** From here on, rows of lists are watched that may be more than a page. */
  reachTo(reach: Reach): void {
    if (reach === 'walk' || this.#reach === 'page') this.#reach = reach
  }

  /** The tests that ask of each row of this alias whether to go on; PostgreSQL ends statements by itself. */
  watching(alias: string): readonly string[] {
    return this.#reach !== 'page' && this.dialect.engine === 'sqlite' ? [`duet_watch(${alias}.rowid)`] : []
  }

  query(sql: string, batching: Batching | null = null): Prepared {
    const reach = this.#reach
    const statement = query(sql, batching)
    return { statement: reach === 'page' ? statement : { ...statement, reach }, sources: this.sources }
  }

  command(sql: string, batching: Batching | null = null): Prepared {
    return { statement: command(sql, batching), sources: this.sources }
  }
}

export const isSame = (one: Source, other: Source): boolean =>
  one.from === other.from &&
  (one as { index?: number }).index === (other as { index?: number }).index &&
  (one as { value?: Value }).value === (other as { value?: Value }).value &&
  (one as { shiftMs?: number }).shiftMs === (other as { shiftMs?: number }).shiftMs

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
    case 'where':
      return inputs.where![source.index]!
    case 'search':
      return inputs.search![source.index]!
    case 'steps':
      return inputs.steps![source.index]!
    case 'input':
      return inputs.input![source.index]!
    case 'requestTime': {
      const second = Math.floor(inputs.requestTime!.getTime() / 1_000) * 1_000
      return momentAt(second + source.shiftMs).toISOString()
    }
    default:
      return inputs[source.from] ?? null
  }
}
