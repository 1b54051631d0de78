// Reads lists of code: with the limits of clients, in names of the definition.

import type { Detail } from '../../failure/failure.ts'
import type { Dialect, Selection } from '../../read-plan/selection.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { asDefined, graphqlVocabulary, type Vocabulary } from '../../resource/model/vocabulary.ts'
import type { ListRoot } from '../call.ts'
import type { CodeList, ListReader } from '../code-face.ts'
import { type PageLimits, type PageRequest, pageProblem, sizeProblem, usualSize } from '../question/list-page.ts'
import { ListRequest } from '../question/list-request.ts'
import { readNarrowing } from '../question/parameter/narrowing.ts'
import { sort } from '../question/parameter/sort.ts'
import type { WhereLimits } from '../question/where/meter.ts'
import type { RootCache } from '../root-cache.ts'

export interface ListDependencies {
  readonly dialect: Dialect
  readonly limits: PageLimits & WhereLimits
  /** For conditions as text. */
  readonly textVocabulary: Vocabulary
  readonly roots: RootCache
}

export function createListReader(
  resource: ResourceModel,
  of: Selection,
  { roots, textVocabulary, ...dependencies }: ListDependencies,
): ListReader {
  // Code gets no total, so none is counted.
  const form = { kind: 'list', within: null, parts: { as: 'array', of }, total: false } as const
  const context = { ...dependencies, ...namesOf(textVocabulary), form: 'code' } as const
  const subject = { resource }
  const cursorNames = { list: ['program', resource.path], args: [] }
  return {
    read(names, actor) {
      const problems: Detail[] = []
      const mistakes: Detail[] = []
      const sent = (name: string) => names[name as keyof CodeList]
      const narrowed = readNarrowing(sent, subject, context, problems, mistakes)
      const order = sort.read(sent, subject, context, problems, mistakes)
      const isSound = problems.length === 0
      const page =
        names.cursor === undefined
          ? readPage(names, context.limits, problems, mistakes)
          : pageFrom(names.cursor, context.limits)
      requireNone(mistakes, resource)
      const question = { resource, ...narrowed, sort: order, page, args: null, isSound }
      const request = new ListRequest(question, context)
      const { list, shape, key } = request.bind(actor, cursorNames, problems)
      if (problems.length > 0) return { problems, filters: narrowed.filters.map(({ filter }) => filter) }
      const root = roots.get<ListRoot>(`${resource.name}|${key}`, () => ({ ...form, list: shape }))
      return { root, list }
    },
  }
}

/** The largest page, since code that reads a whole list should need few statements. */
const pageFrom = (cursor: string | null, { pageSize }: PageLimits): PageRequest => ({
  by: 'cursor',
  size: pageSize,
  cursor,
  parameter: 'cursor',
  isEnd: false,
  backward: false,
})

/** Trees are written as in GraphQL. */
export const namesOf = (textVocabulary: Vocabulary) => ({
  vocabulary: asDefined,
  treeVocabulary: graphqlVocabulary(),
  textVocabulary,
})

export function requireNone(mistakes: readonly Detail[], { name }: ResourceModel): void {
  if (mistakes.length === 0) return
  const sentences = mistakes.map(({ field, message }) => `${field}: ${message}`).join(' ')
  throw new Error(`The service's own code lists ${name} by what its lists do not take. ${sentences}`)
}

export function readPage(
  { page = 1, limit }: Pick<CodeList, 'page' | 'limit'>,
  limits: PageLimits,
  problems: Detail[],
  mistakes: Detail[],
): PageRequest {
  const ofSize = limit === undefined ? null : Number.isInteger(limit) ? sizeProblem(limit, limits) : notWhole
  if (ofSize !== null) mistakes.push({ field: 'limit', message: ofSize })
  const size = ofSize === null && limit !== undefined ? limit : usualSize(limits)
  const ofPage = Number.isInteger(page) ? pageProblem(page, size, limits) : notWhole
  // A page number may come from a client.
  if (ofPage !== null)
    (page >= 1 && Number.isInteger(page) ? problems : mistakes).push({ field: 'page', message: ofPage })
  const isPage = ofPage === null
  return { by: 'offset', size, offset: isPage ? (page - 1) * size : 0, hasOffset: true }
}
const notWhole = 'Must be a whole number.'
