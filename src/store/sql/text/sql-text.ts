// The parameters of a statement and the sources of their values.

import type { ColumnType } from '../../../resource/field/field.ts'
import { momentKey, type RequestMoment, requestMomentText } from '../../../resource/language/placeholder.ts'
import { type Batching, type Bound, command, query, type ScanSize, type Statement, type Value } from '../../store.ts'
import { type Dialect, quote } from './dialect.ts'

export type Source =
  | { readonly from: 'code'; readonly isLimited?: boolean }
  | { readonly from: 'actor' | 'id' | 'keys' | 'limit' | 'offset' | 'now' | 'deletedAt' | 'tenantsMax' }
  | { readonly from: 'cursor' | 'filter' | 'scope' | 'where' | 'search' | 'input'; readonly index: number }
  | { readonly from: 'constant'; readonly value: Value }
  | ({ readonly from: 'requestTime'; readonly type: ColumnType } & RequestMoment)

export interface Inputs {
  readonly actor: string | null
  readonly code?: string | null
  /** Those codes that limited tokens are compared with; by default all. */
  readonly limitedCodes?: string
  readonly id?: Value
  readonly keys?: Value
  readonly limit?: number
  /** Above this number of tenants, a list is empty. */
  readonly tenantsMax?: number
  readonly offset?: number
  readonly now?: Value
  /** Records deleted at this time still count as not deleted. */
  readonly deletedAt?: Value
  readonly requestTime?: Date
  readonly cursor?: readonly Value[]
  readonly filter?: readonly Value[]
  readonly scope?: readonly Value[]
  readonly where?: readonly Value[]
  readonly search?: readonly Value[]
  readonly input?: readonly Value[]
}

export type RuleInputs = Pick<Inputs, 'actor' | 'code' | 'limitedCodes' | 'requestTime' | 'deletedAt'>
export const noCaller: RuleInputs = { actor: null }

export interface Prepared {
  readonly statement: Statement
  readonly sources: readonly Source[]
  /** The statement with this limit in its text. (`variants.ts`) */
  readonly limitedTo?: (limit: number) => Prepared
}

/** Records that are not deleted, optionally with those deleted by this write. */
export type AsOf = 'now' | 'untilDeleted'

/** Text in place of a parameter; null keeps the parameter. */
export type Substitute = (source: Source) => string | null

export class SqlText {
  readonly sources: Source[] = []
  readonly dialect: Dialect
  readonly #substitute: Substitute
  readonly #asOf: AsOf
  readonly #fixed = new Map<string, Source>()
  readonly #listed = new Set<string>()
  #tables = 0
  #scanSize: ScanSize = 'page'

  constructor(dialect: Dialect, substitute: Substitute = () => null, asOf: AsOf = 'now') {
    this.dialect = dialect
    this.#asOf = asOf
    this.#substitute = substitute
  }

  parameter(source: Source): string {
    return this.#substitute(source) ?? this.placeholder(source)
  }

  placeholder(source: Source): string {
    const place = this.placeOf(source)
    return this.dialect.parameter(place === -1 ? this.sources.push(source) : place + 1)
  }

  placeOf(source: Source): number {
    return this.sources.findIndex((each) => isSame(each, source))
  }

  /** Not deleted, or deleted no earlier than the statement's time. */
  notDeleted(alias: string): string {
    const isNotDeleted = `${alias}."deleted_at" is null`
    if (this.#asOf === 'now') return isNotDeleted
    return `(${isNotDeleted} or ${alias}."deleted_at" = ${this.parameter({ from: 'deletedAt' })})`
  }

  alias(): string {
    return `t${this.#tables++}`
  }

  /** For a list that belongs to each row of another table. */
  listedAlias(): string {
    const alias = this.alias()
    this.#listed.add(alias)
    return alias
  }

  /** PostgreSQL evaluates it per row of another table; SQLite always looks rows up singly. */
  isListed(alias: string): boolean {
    return this.dialect.engine === 'postgres' && this.#listed.has(alias)
  }

  /** All rows of this alias have the source's value in the column. */
  fix(alias: string, column: string, source: Source): void {
    this.#fixed.set(`${alias}.${column}`, source)
  }

  /** The column, or its fixed value, evaluated once. */
  value(alias: string, column: string): string {
    const source = this.#fixed.get(`${alias}.${column}`)
    return source === undefined ? `${alias}.${quote(column)}` : this.parameter(source)
  }

  /** Makes rows count from here, if the list may read more than a page. */
  scans(scanSize: ScanSize): void {
    if (scanSize === 'walk' || this.#scanSize === 'page') this.#scanSize = scanSize
  }

  /** Tests for cancellation in one row of 32, as a call costs more than a row. PostgreSQL cancels statements itself. */
  watching(alias: string): readonly string[] {
    if (this.#scanSize === 'page' || this.dialect.engine === 'postgres') return []
    return [`(${alias}.rowid & 31 or duet_watch(${alias}.rowid))`]
  }

  query(sql: string, batching: Batching | null = null): Prepared {
    const scanSize = this.#scanSize
    const statement = query(sql, batching)
    return { statement: scanSize === 'page' ? statement : { ...statement, scanSize }, sources: this.sources }
  }

  command(sql: string, batching: Batching | null = null): Prepared {
    return { statement: command(sql, batching), sources: this.sources }
  }
}

export const isSame = (one: Source, other: Source): boolean =>
  one.from === other.from &&
  (one as { index?: number }).index === (other as { index?: number }).index &&
  (one as { value?: Value }).value === (other as { value?: Value }).value &&
  (one.from !== 'code' || one.isLimited === (other as typeof one).isLimited) &&
  (one.from !== 'requestTime' || isSameMoment(one, other as typeof one))

const isSameMoment = (one: RequestTime, other: RequestTime): boolean =>
  one.type === other.type && momentKey(one) === momentKey(other)
type RequestTime = Extract<Source, { from: 'requestTime' }>

export function boundTo(prepared: Prepared, inputs: Inputs): Bound {
  const { statement, sources } = prepared.limitedTo?.(inputs.limit!) ?? prepared
  return { statement, values: valuesOf(sources, inputs) }
}

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
    case 'filter':
    case 'scope':
    case 'where':
    case 'search':
    case 'input':
      return inputs[source.from]![source.index]!
    case 'code':
      return (source.isLimited === true ? inputs.limitedCodes : undefined) ?? inputs.code ?? null
    case 'requestTime':
      return requestMomentText(source, inputs.requestTime!, source.type)
    default:
      return inputs[source.from] ?? null
  }
}
