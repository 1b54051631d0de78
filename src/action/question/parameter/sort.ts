// The order of a list. (contract 4.3.1)

import { memoizePair } from '../../../cache/memoize.ts'
import { keyName, type SortKey, sortKey, totalOrder } from '../../../read-plan/selection.ts'
import { pathWords } from '../../../resource/about.ts'
import type { OneRelation, QueryModel, ResourceModel, SortModel } from '../../../resource/model/model.ts'
import { deprecationOfPath } from '../../../resource/model/path-deprecation.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import { constant, words } from '../../../resource/naming/casing.ts'
import { type Asked, elementsOf, type Form, type Parameter, type Word } from './parameter.ts'

/** `sort` is undefined if there is no such order. */
interface Order {
  readonly name: string
  readonly sort: SortModel | undefined
  readonly descending: boolean
}

/** Null for the default order. */
export const sort: Parameter<readonly SortKey[] | null> = {
  read(sent, { resource }, { form, vocabulary }, problems, mistakes = problems) {
    const named = elementsOf<Order>(sent('sort'), form)
    if (named.length === 0) return null
    const byName = sortNames(resource, vocabulary)
    const orders = named.map((each) => (typeof each === 'string' ? orderOf(each, byName) : each))
    const keys: SortKey[] = []
    const problem = (message: string) => void mistakes.push({ field: 'sort', message })
    for (const { name, sort, descending } of orders) {
      if (sort === undefined) problem(unsortable(name, byName))
      else if (isNamed(sort, keys))
        problem(form === 'typed' ? `${name} sorts by the same field again.` : `Names ${name} twice.`)
      else keys.push(sortKey(sort, descending))
    }
    return totalOrder(resource, keys)
  },

  describe({ resource, of }, form, vocabulary) {
    const wordsIn = (names: Vocabulary) =>
      [...resource.sorts.values()].flatMap((sort) => {
        const path = names.path(resource, sort)
        const key = form === 'text' ? path : path.split('.').map(constant).join('_')
        return bothWays(key, form, {
          about: `${pathWords(sort)}${form === 'typed' ? insideWords(sort) : ''}`,
          value: { sort },
          deprecated: deprecationOfPath(resource, sort),
        })
      })
    const about = `What ${words(resource.plural)} can be sorted by.`
    const type = () => ({ is: 'words', title: `${resource.graphql.name}Sort`, about, words: wordsIn }) as const
    return [{ name: 'sort', about: () => [aboutOrder[form], ...insides(resource, of, vocabulary)].join(' '), type }]
  },
}

const aboutOrder = {
  text: 'The order of the list; `-` before a name reverses it. Newest first by default.',
  typed: 'The order: by the first, then by the next.',
}

const insideWords = ({ inside }: SortModel): string =>
  inside === null ? '' : ` inside one ${words(inside.field)} only`

/** The reference that must be named for this order; null if the list is of one record of it, or may always be sorted so. */
export const referenceToName = ({ inside }: SortModel, of: Asked['of']): OneRelation | null =>
  of?.kind === 'many' && of.by === inside ? null : inside

/** One sentence for each; the comparison of documents reads them. (contract 12.2.42) */
function insides(resource: ResourceModel, of: Asked['of'], vocabulary: Vocabulary): readonly string[] {
  return [...resource.sorts.values()].flatMap((sort) => {
    const inside = referenceToName(sort, of)
    return inside === null
      ? []
      : [`By \`${vocabulary.path(resource, sort)}\` only with \`${vocabulary.filter(resource, inside.field)}\`.`]
  })
}

/** `total` and `-total`, `TOTAL_ASC` and `TOTAL_DESC`. */
export const bothWays = (key: string, form: Form, { about, value, deprecated }: Omit<Word, 'name'>): readonly Word[] =>
  [false, true].map((descending) => {
    const name = form === 'text' ? `${descending ? '-' : ''}${key}` : `${key}_${descending ? 'DESC' : 'ASC'}`
    const way = descending ? 'descending' : 'ascending'
    return { name, about: `By ${about}, ${way}.`, value: { name, ...(value as object), descending }, deprecated }
  })

/** That of the query, or newest first. */
export const usualSort = (resource: ResourceModel, query?: QueryModel): readonly SortKey[] =>
  totalOrder(resource, query?.sort ?? [{ column: resource.column.get('createdAt')!, descending: true }])

/** Reads `-created_at` and `assignee.name`. */
function orderOf(text: string, byName: ReadonlyMap<string, SortModel>): Order {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  return { name, sort: byName.get(name), descending }
}

/** In either direction. */
const isNamed = (sort: SortModel, keys: readonly SortKey[]): boolean =>
  keys.some((key) => keyName({ ...key, descending: false }) === sort.name)

const sortNames = memoizePair(
  (resource: ResourceModel, vocabulary: Vocabulary): ReadonlyMap<string, SortModel> =>
    new Map([...resource.sorts.values()].map((each) => [vocabulary.path(resource, each), each])),
)

function unsortable(name: string, byName: ReadonlyMap<string, SortModel>): string {
  const names = [...byName.keys()].join(', ')
  return name === '' ? 'Must be names of fields with commas between them.' : `Cannot sort by ${name}; only by ${names}.`
}
