// From what a face has read of a list (filters, order, page, arguments) to the shape of its statement and the values that
// are bound to it: one meaning for every face. (contract 4.3, 4.4.10, 4.8.1)

import type { Detail } from '../failure/failure.ts'
import { type Cursor, type CursorBindings, readCursor } from '../read-plan/cursor.ts'
import { isReadableEverywhere, mayFilterBy } from '../read-plan/list-access.ts'
import type { ListArguments } from '../read-plan/run.ts'
import {
  type Dialect,
  type FilterUse,
  keyName,
  type ListShape,
  type SortKey,
  totalOrder,
  type Value,
} from '../read-plan/selection.ts'
import { type Asker, isService } from '../resource/actor.ts'
import { columnTypeOf, writeValue } from '../resource/field/registry.ts'
import type { SearchShape } from '../resource/model/condition.ts'
import type { FilterModel, QueryModel, ResourceModel } from '../resource/model/model.ts'
import { missingOf } from '../resource/model/query-condition.ts'
import { relevance } from '../resource/model/search.ts'
import type { SearchQuestion } from '../resource/model/search-question.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { encodeValue } from '../store/sql/column-value.ts'
import { commonWordsOf } from '../store/sql/common-words.ts'
import { searchValues } from '../store/sql/search.ts'
import type { PageLimits, PageRequest } from './list-page.ts'
import { usualSort } from './list-sort.ts'
import type { WhereQuestion } from './where/question.ts'

/** A filter with its value, which is as a record would hold it; undefined where it has a problem. */
export interface Narrowing {
  readonly filter: FilterModel
  /** The parameter that it came by. */
  readonly parameter: string
  readonly value: unknown
}

/** What a face has read, whoever asks. */
export interface ListQuestion {
  readonly resource: ResourceModel
  readonly query?: QueryModel | undefined
  /** In the order of the definition. */
  readonly filters: readonly Narrowing[]
  /** Null where nothing is asked beside them. */
  readonly where?: WhereQuestion | null
  /** What is searched; null where nothing is. */
  readonly search?: SearchQuestion | null
  /** Null for the usual order. */
  readonly sort: readonly SortKey[] | null
  readonly page: PageRequest
  /** Of a query, by the names of its definition; null for other lists. */
  readonly args: Readonly<Record<string, unknown>> | null
  /** False where one of the filters, the order or the arguments has a problem: no cursor can be compared with such a list. */
  readonly isSound: boolean
}

/** What a list is called in its cursors, before and after its order and its filters. */
export interface CursorNames {
  readonly list: readonly unknown[]
  readonly args: readonly unknown[]
}

export interface ListContext {
  readonly limits: PageLimits
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
  readonly bindings: CursorBindings
}

/** One list of one request. Lists of one resource with the same `key` have the same shape. */
export interface BoundList {
  readonly key: string
  readonly shape: ListShape
  readonly list: ListArguments
  /** How much its condition asks. */
  readonly points: number
}

/** A search costs as much as a condition through a list. (contract 12.2.13) */
const searchPoints = 10

/** A list as it was asked for: bound again for each caller, so that a face may keep it. */
export class ListRequest {
  readonly question: ListQuestion
  readonly #sort: readonly SortKey[]
  readonly #values: readonly Value[]
  /** As long as the same words are common. */
  #search: { readonly common: ReadonlySet<string>; readonly values: readonly Value[] } | null = null
  readonly #context: ListContext
  /** The same for every page that no cursor begins. */
  #start: Pick<BoundList, 'shape' | 'key'> | undefined

  constructor(question: ListQuestion, context: ListContext) {
    this.question = question
    this.#context = context
    this.#sort = orderOf(question)
    this.#values = question.filters.map((each) => encode(each, context.dialect))
  }

  /** The list for this caller. Adds to `problems` what the caller may not read, and a cursor of another list. */
  bind(actor: Asker, names: CursorNames, problems: Detail[]): BoundList {
    const { page, args, isSound, where, search } = this.question
    const isReadable = this.#requireReadable(actor, problems)
    const binding = page.by === 'offset' ? null : this.#bindingOf(names)
    const cursor = binding === null || !isSound || !isReadable ? null : this.#cursor(binding, problems)
    if (cursor === null) this.#start ??= this.#outline(null)
    const { shape, key } = cursor === null ? this.#start! : this.#outline(cursor)
    const list = {
      size: page.size,
      offset: page.by === 'offset' ? page.offset : 0,
      cursor: cursor?.values ?? null,
      filter: this.#values,
      binding,
      countMax: this.#context.limits.offset,
      ...(args === null ? {} : { args }),
      ...(where == null ? {} : { where: where.values }),
      ...(search == null ? {} : { search: this.#searchValues(search) }),
    }
    return { key, shape, list, points: (where?.points ?? 0) + (search == null ? 0 : searchPoints) }
  }

  #searchValues({ terms }: SearchQuestion): readonly Value[] {
    const common = commonWordsOf(this.question.resource.search!)
    if (this.#search?.common !== common)
      this.#search = { common, values: searchValues(terms, common, this.#context.dialect) }
    return this.#search.values
  }

  /** Neither the order of a list nor its length may tell what reading would not. (contract 4.3.3) */
  #requireReadable(actor: Asker, problems: Detail[]): boolean {
    const { resource, filters, sort } = this.question
    const before = problems.length
    for (const { filter, parameter } of filters) {
      // A filter that needs a permission which the caller lacks is refused for that, by the runner.
      if (mayFilterBy(filter, resource, actor)) this.#requireField(filter.column.field, parameter, actor, problems)
    }
    if (this.question.search == null && sort?.some(({ column }) => column === relevance) === true)
      problems.push({ field: 'sort', message: 'Nothing is searched, and relevance is that of a search.' })
    for (const { by } of sort ?? []) {
      if (by?.isHidden !== true || isService(actor)) continue
      problems.push({ field: 'sort', message: `Nobody may read ${this.#context.vocabulary.path(resource, by)}.` })
    }
    return problems.length === before
  }

  #requireField(field: string, parameter: string, actor: Asker, problems: Detail[]): void {
    const { resource } = this.question
    if (isReadableEverywhere(field, resource, actor)) return
    const name = this.#context.vocabulary.name(resource, field)
    problems.push({ field: parameter, message: `You may not read ${name} of every record in this list.` })
  }

  #bindingOf({ list, args }: CursorNames): string {
    const filters = this.question.filters.map(({ filter, value }) => [filter.name, writeValue(filter.value, value)])
    const written = args.map((each) => (each === this.question.args ? this.#writtenArguments() : each))
    const { where, search } = this.question
    const beside = [
      ...(where == null ? [] : [{ where: where.text }]),
      ...(search == null ? [] : [{ search: search.text }]),
    ]
    return this.#context.bindings.of(...list, this.#sort.map(keyName), filters, ...written, ...beside)
  }

  /** As JSON has them. */
  #writtenArguments(): Readonly<Record<string, unknown>> {
    const { query, args } = this.question
    const specs = new Map(query!.args.map(({ name, spec }) => [name, spec]))
    return Object.fromEntries(Object.entries(args!).map(([name, value]) => [name, writeValue(specs.get(name)!, value)]))
  }

  #cursor(binding: string, problems: Detail[]): Cursor | null {
    const { page } = this.question
    if (page.by === 'offset' || page.cursor === null) return null
    const cursor = readCursor(page.cursor, binding, this.#sort, this.#context.dialect)
    if (typeof cursor !== 'string') return cursor
    problems.push({ field: page.parameter, message: cursor })
    return null
  }

  #outline(cursor: Cursor | null): Pick<BoundList, 'shape' | 'key'> {
    const { resource, query, filters, page, args, where, search } = this.question
    const shape: ListShape = {
      resource,
      filters: filters.map(useOf),
      sort: this.#sort,
      ...wayOf(page, cursor),
      offset: page.by === 'offset' && page.hasOffset,
      ...(query === undefined ? {} : { query: { query, missing: missingOf(query, args!) } }),
      ...(where == null ? {} : { where: where.tree }),
      ...(search == null ? {} : { search: this.#searchShape(search) }),
    }
    return { shape, key: where == null ? keyOf(shape) : `${keyOf(shape)}&${where.shape}` }
  }

  #searchShape({ terms }: SearchQuestion): SearchShape {
    const shapes = terms.map(({ isExcluded, tokens, mayGoOn, part }) => ({
      isExcluded,
      isSequence: tokens.length > 1,
      mayGoOn,
      hasPart: part !== null,
    }))
    return { model: this.question.resource.search!, terms: shapes, rankedMax: this.#context.limits.searchRanked }
  }
}

/** The order that is asked for, else the best answers first; what is alike in that is in the usual order. (contract 12.2.15) */
function orderOf({ resource, query, sort, search }: ListQuestion): readonly SortKey[] {
  const usual = usualSort(resource, query)
  if (search == null) return sort ?? usual
  if (sort === null) return [{ column: relevance, descending: true }, ...usual]
  if (sort.at(-2)?.column !== relevance) return sort
  const keys = sort.slice(0, -1)
  const isNew = ({ column }: SortKey) => keys.every((each) => each.column !== column)
  return totalOrder(resource, [...keys, ...usual.slice(0, -1).filter(isNew)])
}

/** Which way the list is read. A cursor that leads either way is used as the face says. */
export function wayOf(page: PageRequest, cursor: Cursor | null): Pick<ListShape, 'seek' | 'backward'> {
  if (page.by === 'offset') return { seek: null, backward: false }
  if (cursor === null) return { seek: null, backward: page.backward }
  const { direction, values } = cursor
  const nulls = values.map((value) => value === null)
  if (direction === 'either') return { seek: { backward: page.isEnd, nulls }, backward: page.backward }
  const backward = direction.startsWith('previous')
  return { seek: { backward, nulls, inclusive: direction.endsWith('From') }, backward }
}

/** Everything in a shape but its resource. */
function keyOf({ filters, sort, seek, backward, offset, query, search }: ListShape): string {
  const used = filters.map(({ filter, present }) => `${filter.name}${present ?? ''}`).join(',')
  const from = seek === null ? '' : `${seek.backward ? '<' : '>'}${seek.inclusive ? '=' : ''}${nullsOf(seek.nulls)}`
  const way = `${backward ? 'b' : ''}${offset ? 'o' : ''}`
  return `${used};${sort.map(keyName).join(',')};${from}${way}${query === undefined ? '' : `?${query.missing}`}${searchKey(search)}`
}
const searchKey = (search: ListShape['search']): string =>
  search == null ? '' : `~${search.terms.map((each) => Object.values(each).map(Number).join('')).join()}`
const nullsOf = (nulls: readonly boolean[]): string => nulls.map(Number).join('')

const useOf = ({ filter, value }: Narrowing): FilterUse => ({
  filter,
  present: filter.test === 'isPresent' ? (value as boolean) : null,
})

/** Whether a field must be present is part of a list's shape, not a value of it. */
function encode({ filter, value }: Narrowing, dialect: Dialect): Value {
  // A value that does not fit is among the problems; nothing runs with it.
  if (filter.test === 'isPresent' || value === undefined) return null
  const { column, value: spec } = filter
  return encodeValue(filter.test === 'contains' ? { spec, type: columnTypeOf(spec)! } : column, value, dialect)
}
