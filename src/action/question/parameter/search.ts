// The words that a list is searched for. (contract 12.2.10)

import { aboutSearch } from '../../../resource/about.ts'
import { readSearch } from '../../../resource/model/search/search-question.ts'
import { searchValues } from '../../../store/sql/condition/search.ts'
import type { Narrowing, Parameter } from './parameter.ts'

const names = { text: 'q', typed: 'search', code: 'search' } as const

/** Null without a valid search. */
export const search: Parameter<Narrowing | null> = {
  read(sent, { resource }, { form, limits, dialect }, problems) {
    const name = names[form]
    const text = sent(name) as string | null | undefined
    if (text === null || text === undefined) return null
    const model = resource.search
    const question = model === null ? 'Nothing is searched here.' : readSearch(text, limits)
    if (typeof question === 'string') {
      problems.push({ field: name, message: question })
      return null
    }
    const terms = question.terms.map(({ isExcluded, tokens, mayGoOn }) => ({
      isExcluded,
      isSequence: tokens.length > 1,
      mayGoOn,
    }))
    return {
      shape: { search: { model: model!, terms, rankedMax: limits.searchRanked } },
      values: { search: searchValues(question.terms, dialect) },
      key: `~${terms.map((each) => Object.values(each).map(Number).join('')).join()}`,
      binding: { search: question.text },
      // As much as a condition through a list. (contract 12.2.33)
      points: 10,
      isPrivate: true,
    }
  },

  describe({ resource }, form, vocabulary) {
    if (resource.search === null) return []
    const about = () => aboutSearch(resource, vocabulary.name)
    return [{ name: names[form], about, type: () => ({ is: 'text', charsMax: 'searchLength' }) }]
  },
}
