// Posts of one writer, and rows that ask for pages of them.

import type { Clause } from '../../contract/contract.ts'
import type { Row } from './clauses.ts'
import type { Recipes } from './fixtures.ts'

export const past = new Date('2026-01-01T00:00:00.000Z')
/** Five posts that anybody may read and one draft, all of one writer, by title and by age. */
export const five: Recipes = {
  ...Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((title) => [
      title,
      { Post: { title, content: 'C', author: '{writer}', publishedAt: past } },
    ]),
  ),
  f: { Post: { title: 'f', content: 'C', author: '{writer}' } },
}
export const of = (...names: readonly string[]) => names.map((name) => ({ id: `{${name}}` }))
export const page = (
  clause: Clause,
  it: string,
  query: string,
  answer: Row['answer'],
  more: Partial<Row> = {},
): Row => ({
  clause,
  it,
  given: five,
  send: `GET /api/v2/posts?author_id={writer}&sort=title${query === '' ? '' : `&${query}`}`,
  answer,
  ...more,
})
export const refused = (clause: Clause, it: string, query: string, field: string, message?: RegExp): Row => ({
  clause,
  it,
  send: `GET /api/v2/posts?${query}`,
  answer: {
    status: 400,
    code: 'VALIDATION_ERROR',
    ...(message === undefined ? { field } : { body: { error: { details: [{ field, message }] } } }),
  },
})
export const exactly = (meta: object) => (value: object) => JSON.stringify(value) === JSON.stringify(meta)
