// Turns what a face has read of a list into its shape and bound values. (contract 4.3, 4.4.10, 4.8.1)

import type { Detail } from '../../failure/failure.ts'
import { type Cursor, cursorBinding } from '../../read-plan/cursor.ts'
import { isReadableEverywhere, mayFilterBy } from '../../read-plan/list-access.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import { type Dialect, keyName, type ListShape, type SortKey, totalOrder } from '../../read-plan/selection.ts'
import { type Caller, isService } from '../../resource/actor.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { LinkRelation, ManyRelation, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { missingOf } from '../../resource/model/rule/query-condition.ts'
import { relevance } from '../../resource/model/search/search.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { type PageLimits, type PageRequest, readPageCursor } from './list-page.ts'
import type { Narrowed } from './parameter/narrowing.ts'
import { referenceToName, usualSort } from './parameter/sort.ts'

/** Independent of the caller. */
export interface ListQuestion extends Narrowed {
  readonly resource: ResourceModel
  readonly query?: QueryModel | undefined
  /** Of the record that the list belongs to. */
  readonly of?: ManyRelation | LinkRelation | null | undefined
  readonly sort: readonly SortKey[] | null
  readonly page: PageRequest
  /** In names of the definition; null for other lists. */
  readonly args: Readonly<Record<string, unknown>> | null
  /** False after a problem: no cursor can be compared with such a list. */
  readonly isSound: boolean
}

export interface CursorNames {
  readonly list: readonly unknown[]
  readonly args: readonly unknown[]
}

export interface ListContext {
  readonly limits: PageLimits
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
}

/** Lists of one resource with the same `key` have the same shape. */
export interface BoundList {
  readonly key: string
  readonly shape: ListShape
  readonly list: ListArguments
  readonly points: number
  readonly isPrivate: boolean
}

/** Bound again for each caller, so that a face can cache it. */
export class ListRequest {
  readonly question: ListQuestion
  readonly #sort: readonly SortKey[]
  readonly #shape: Pick<ListShape, 'filters' | 'search'>
  readonly #values: Pick<ListArguments, 'filter'>
  readonly #context: ListContext
  #start: Pick<BoundList, 'shape' | 'key'> | undefined

  constructor(question: ListQuestion, context: ListContext) {
    this.question = question
    this.#context = context
    const { narrowings } = question
    this.#shape = Object.assign({ filters: [] }, ...narrowings.map(({ shape }) => shape))
    this.#values = Object.assign({ filter: [] }, ...narrowings.map(({ values }) => values))
    this.#sort = orderOf(question, this.#isSearched)
  }

  /** Problems: fields that the caller may not read, and a cursor of another list. */
  bind(actor: Caller, names: CursorNames, problems: Detail[]): BoundList {
    const { page, args, isSound, narrowings } = this.question
    const isReadable = this.#requireReadable(actor, problems)
    const binding = page.by === 'offset' ? null : this.#bindingOf(names)
    const cursor =
      binding === null || !isSound || !isReadable
        ? null
        : readPageCursor(page, binding, this.#sort, this.#context.dialect, problems)
    if (cursor === null) this.#start ??= this.#outline(null)
    const { shape, key } = cursor === null ? this.#start! : this.#outline(cursor)
    const list = {
      size: page.size,
      offset: page.by === 'offset' ? page.offset : 0,
      cursor: cursor?.values ?? null,
      ...this.#values,
      binding,
      countMax: this.#context.limits.offset,
      ...(args === null ? {} : { args }),
    }
    const points = narrowings.reduce((sum, each) => sum + each.points, 0)
    return { key, shape, list, points, isPrivate: narrowings.some((each) => each.isPrivate) }
  }

  get #isSearched(): boolean {
    return this.#shape.search != null
  }

  /** Order and length of a list must reveal no more than reading. (contract 4.3.3) */
  #requireReadable(actor: Caller, problems: Detail[]): boolean {
    const { resource, filters, sort } = this.question
    const before = problems.length
    for (const { filter, parameter } of filters) {
      // The runner refuses filters that require a missing permission.
      if (mayFilterBy(filter, resource, actor)) this.#requireField(filter.column.field, parameter, actor, problems)
    }
    if (!this.#isSearched && sort?.some(({ column }) => column === relevance) === true)
      problems.push({ field: 'sort', message: 'There is no search, and only a search has a relevance.' })
    this.#requireInside(problems)
    for (const { by } of sort ?? []) {
      if (by?.isHidden !== true || isService(actor)) continue
      problems.push({ field: 'sort', message: `No caller may read ${this.#context.vocabulary.path(resource, by)}.` })
    }
    return problems.length === before
  }

  /** (contract 12.2.42) */
  #requireInside(problems: Detail[]): void {
    const { resource, of, filters, sort } = this.question
    const { vocabulary } = this.#context
    for (const key of sort ?? []) {
      const order = resource.sorts.get(keyName({ ...key, descending: false }))
      const inside = order === undefined ? null : referenceToName(order, of)
      if (inside === null) continue
      if (filters.some(({ filter: { test, column } }) => test === 'is' && column === inside.column)) continue
      const name = vocabulary.filter(resource, inside.field)
      const message = `Lists are sorted by ${vocabulary.path(resource, order!)} inside one of ${name} only: send it as well.`
      problems.push({ field: 'sort', message })
    }
  }

  #requireField(field: string, parameter: string, actor: Caller, problems: Detail[]): void {
    const { resource } = this.question
    if (isReadableEverywhere(field, resource, actor)) return
    const name = this.#context.vocabulary.name(resource, field)
    problems.push({ field: parameter, message: `You may not read ${name} of every record in this list.` })
  }

  #bindingOf({ list, args }: CursorNames): string {
    const written = args.map((each) => (each === this.question.args ? this.#writtenArguments() : each))
    const narrowed = this.question.narrowings.map(({ binding }) => binding)
    return cursorBinding(...list, this.#sort.map(keyName), ...narrowed, ...written)
  }

  #writtenArguments(): Readonly<Record<string, unknown>> {
    const { query, args } = this.question
    const specs = new Map(query!.args.map(({ name, spec }) => [name, spec]))
    return Object.fromEntries(Object.entries(args!).map(([name, value]) => [name, writeValue(specs.get(name)!, value)]))
  }

  #outline(cursor: Cursor | null): Pick<BoundList, 'shape' | 'key'> {
    const { resource, query, page, args, narrowings } = this.question
    const shape: ListShape = {
      resource,
      ...this.#shape,
      sort: this.#sort,
      ...wayOf(page, cursor),
      offset: page.by === 'offset' && page.hasOffset,
      ...(query === undefined ? {} : { query: { query, missing: missingOf(query, args!) } }),
    }
    return { shape, key: [keyOf(shape), ...narrowings.map(({ key }) => key)].join('\n') }
  }
}

/** Or the best results first; ties follow the default order. (contract 12.2.15) */
function orderOf({ resource, query, sort }: ListQuestion, isSearched: boolean): readonly SortKey[] {
  const usual = usualSort(resource, query)
  if (!isSearched) return sort ?? usual
  if (sort === null) return [{ column: relevance, descending: true }, ...usual]
  if (sort.at(-2)?.column !== relevance) return sort
  const keys = sort.slice(0, -1)
  const isNew = ({ column }: SortKey) => keys.every((each) => each.column !== column)
  return totalOrder(resource, [...keys, ...usual.slice(0, -1).filter(isNew)])
}

export function wayOf(page: PageRequest, cursor: Cursor | null): Pick<ListShape, 'seek' | 'backward'> {
  if (page.by === 'offset') return { seek: null, backward: false }
  if (cursor === null) return { seek: null, backward: page.backward }
  const { direction, values } = cursor
  const nulls = values.map((value) => value === null)
  if (direction === 'either') return { seek: { backward: page.isEnd, nulls }, backward: page.backward }
  const backward = direction.startsWith('previous')
  return { seek: { backward, nulls, inclusive: direction.endsWith('From') }, backward }
}

function keyOf({ sort, seek, backward, offset, query }: ListShape): string {
  const from = seek === null ? '' : `${seek.backward ? '<' : '>'}${seek.inclusive ? '=' : ''}${nullsOf(seek.nulls)}`
  const way = `${backward ? 'b' : ''}${offset ? 'o' : ''}`
  return `${sort.map(keyName).join(',')};${from}${way}${query === undefined ? '' : `?${query.missing}`}`
}
const nullsOf = (nulls: readonly boolean[]): string => nulls.map(Number).join('')
