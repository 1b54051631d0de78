// Rows about GraphQL's own forms: a document, and what it answers.

import type { Clause } from '../../contract/contract.ts'
import type { Caller } from '../server/service.ts'
import type { Expected, Row } from './clauses.ts'
import { past } from './page.ts'

/** Three posts that anybody may read, of one writer. */
export const three = Object.fromEntries(
  ['a', 'b', 'c'].map((title) => [title, { Post: { title, content: 'C', author: '{writer}', publishedAt: past } }]),
)

/** A row that is asked of GraphQL alone. */
export const ask = (
  clause: Clause,
  it: string,
  query: string,
  answer: Partial<Expected>,
  more: Partial<Row> = {},
): Row => ({
  clause,
  it,
  also: query,
  answer: { status: 200, ...answer },
  ...more,
})
export const data = (value: unknown): Partial<Expected> => ({ body: { data: value } })
export const as = (caller: Caller, more: Partial<Row> = {}): Partial<Row> => ({ as: caller, ...more })
export const invalid = (field: string): Partial<Expected> => ({ code: 'VALIDATION_ERROR', field })
/** The resources that have a field for one record, and that anybody may list. */
export const roots = ['user', 'post', 'comment', 'article', 'product'] as const
