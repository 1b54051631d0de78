// Which page of a list the code of a service names: by the limits that clients have, in the names of the definition.

import type { ListInput, ListRoot } from '../action/call.ts'
import { type PageLimits, type PageRequest, pageProblem, sizeProblem, usualSize } from '../action/list-page.ts'
import { ListRequest, type Narrowing } from '../action/list-request.ts'
import { readSearchText } from '../action/list-search.ts'
import { readSort } from '../action/list-sort.ts'
import type { RootCache } from '../action/root-cache.ts'
import type { WhereLimits } from '../action/where/meter.ts'
import { readWhere } from '../action/where/read.ts'
import type { Detail } from '../failure/failure.ts'
import { CursorBindings } from '../read-plan/cursor.ts'
import type { Dialect, Selection } from '../read-plan/selection.ts'
import type { Asker } from '../resource/actor.ts'
import { kindOf, valueOfText, writeValue } from '../resource/field/registry.ts'
import type { FilterModel, ResourceModel } from '../resource/model/model.ts'
import { asDefined, graphqlVocabulary, type Vocabulary } from '../resource/model/vocabulary.ts'

export interface ListNames {
  readonly filter?: Readonly<Record<string, unknown>>
  /** A tree, or a text. */
  readonly where?: unknown
  /** Words that must occur in them. */
  readonly search?: string
  readonly sort?: readonly string[]
  /** From 1. */
  readonly page?: number
  readonly perPage?: number
  /** Where it goes on, by the last page's cursor; null from the beginning. */
  readonly cursor?: string | null
}
/** Reads the lists of one resource. */
export interface ListReader {
  /** Never fails: what is wrong is in the input. */
  read(names: ListNames, actor: Asker): ListInput
}
interface ListDependencies {
  readonly dialect: Dialect
  readonly limits: PageLimits & WhereLimits
  /** In which texts of conditions speak. */
  readonly textVocabulary: Vocabulary
  readonly roots: RootCache
}

export function createListReader(
  resource: ResourceModel,
  of: Selection,
  { roots, textVocabulary, ...context }: ListDependencies,
): ListReader {
  const rootOf = (list: ListRoot['list'], key: string): ListRoot =>
    // Nobody is told of a total, so none is counted.
    roots.get(`${resource.name}|${key}`, () => ({
      kind: 'list',
      list,
      within: null,
      parts: { as: 'array', of },
      total: false,
    }))
  const bindings = new CursorBindings()
  // Trees are written as GraphQL writes them, so that one fits wherever it goes.
  const whereNames = { vocabulary: graphqlVocabulary(), textVocabulary }
  const names = { list: ['program', resource.path], args: [] }
  return {
    read({ filter = {}, where: condition, search: text, sort: sortNames = [], ...pageNames }, actor) {
      const problems: Detail[] = []
      const filters = readFilters(filter, resource, problems)
      const is = typeof condition === 'string' ? 'text' : 'tree'
      const where = readWhere(
        { is, sent: condition, parameter: 'where' },
        resource,
        { ...context, ...whereNames },
        problems,
      )
      const tell = (message: string) => void problems.push({ field: 'search', message })
      const search = readSearchText(text, resource, context.limits, tell)
      const sort = sortNames.length === 0 ? null : readSort(sortNames, resource, asDefined, problems)
      const isSound = problems.length === 0
      const page =
        pageNames.cursor === undefined
          ? readPage(pageNames, context.limits, problems)
          : pageFrom(pageNames.cursor, context.limits)
      const question = { resource, filters, where, search, sort, page, args: null, isSound }
      const request = new ListRequest(question, { ...context, vocabulary: asDefined, bindings })
      const { list, shape, key } = request.bind(actor, names, problems)
      if (problems.length > 0) return { problems, filters: filters.map(({ filter }) => filter) }
      return { root: rootOf(shape, key), list }
    },
  }
}

/** As large as they come: whoever reads all of a list reads it in few statements. */
const pageFrom = (cursor: string | null, { pageSize }: PageLimits): PageRequest => ({
  by: 'cursor',
  size: pageSize,
  cursor,
  parameter: 'cursor',
  isEnd: false,
  backward: false,
})

/** In the order of the definition. An absent value filters nothing. */
function readFilters(
  filter: NonNullable<ListNames['filter']>,
  resource: ResourceModel,
  problems: Detail[],
): readonly Narrowing[] {
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && !resource.filters.has(name))
      problems.push({ field: name, message: 'There is no such parameter here.' })
  }
  return [...resource.filters].flatMap(([name, model]) => {
    const value = Object.hasOwn(filter, name) ? filter[name] : undefined
    return value === undefined
      ? []
      : [{ filter: model, parameter: name, value: readValue(value, name, model, problems) }]
  })
}

/** Checked as what a client would send for it: so nothing is let through that a client is refused. */
function readValue(value: unknown, name: string, { value: spec }: FilterModel, problems: Detail[]): unknown {
  const text = String(writeValue(spec, value))
  const problem = (_: string, message: string) => void problems.push({ field: name, message })
  if (text !== '' && !text.includes('\0'))
    return kindOf(spec).check(spec, valueOfText(text, spec), problem, asDefined.part)
  problem('', text === '' ? 'Must not be empty.' : 'Must not contain NUL.')
  return undefined
}

function readPage(
  { page = 1, perPage }: Pick<ListNames, 'page' | 'perPage'>,
  limits: PageLimits,
  problems: Detail[],
): PageRequest {
  const check = (field: string, number: number, problemOf: () => string | null): boolean => {
    const message = Number.isInteger(number) ? problemOf() : 'Must be a whole number.'
    if (message !== null) problems.push({ field, message })
    return message === null
  }
  const isSize = perPage !== undefined && check('per_page', perPage, () => sizeProblem(perPage, limits))
  const size = isSize ? perPage : usualSize(limits)
  const isPage = check('page', page, () => pageProblem(page, size, limits))
  return { by: 'offset', size, offset: isPage ? (page - 1) * size : 0, hasOffset: true }
}
