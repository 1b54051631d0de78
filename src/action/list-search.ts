// Reads what a list is searched by: one meaning for every face. (contract 12.2.10)

import type { ResourceModel } from '../resource/model/model.ts'
import { readSearch, type SearchQuestion } from '../resource/model/search-question.ts'
import type { PageLimits } from './list-page.ts'

/** Null where nothing is searched, or where the text is no question, which is told. */
export function readSearchText(
  text: string | null | undefined,
  { search }: ResourceModel,
  limits: PageLimits,
  problem: (message: string) => void,
): SearchQuestion | null {
  if (text === null || text === undefined) return null
  if (search === null) {
    problem('Nothing is searched here.')
    return null
  }
  const question = readSearch(text, search, limits)
  if (typeof question !== 'string') return question
  problem(question)
  return null
}
