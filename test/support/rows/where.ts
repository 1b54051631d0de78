// Rows of conditions on Ann's tickets, as texts and as trees.

import type { Caller } from '../server/service.ts'
import type { Row } from './clauses.ts'
import { ids } from './list.ts'

const day = (number: number) => new Date(Date.UTC(2026, 10, number, 12))
/** A desk with Ann's tickets. */
export const given = {
  ann: { User: { name: 'Ann', nick: 'a' } },
  bob: { User: { name: 'Bob', nick: 'b', email: 'bob.{word}@example.com' } },
  hidden: { User: { name: 'Hidden', shown: false } },
  one: {
    Ticket: {
      title: 'One',
      status: 'open',
      priority: 'HIGH',
      owner: '{ann}',
      assignee: '{bob}',
      dueAt: day(19),
      cost: '12.50',
      budget: '12.4999',
      points: 5,
      labels: ['x', 'y'],
      size: 9007199254740993n,
    },
  },
  two: {
    Ticket: {
      title: 'Two "quoted"',
      status: 'pending',
      priority: 'LOW',
      owner: '{ann}',
      assignee: '{hidden}',
      dueAt: day(30),
      dueOn: '2026-11-22',
      parent: '{one}',
      points: -3,
      labels: [],
    },
  },
  three: { Ticket: { title: 'Three', status: 'closed', owner: '{ann}', urgent: true, weight: 0.5, kind: 'bug' } },
  secret: { Ticket: { title: 'Secret', owner: '{ann}', assignee: '{bob}', closed: true } },
  said: { Message: { ticket: '{one}', author: '{bob}', body: 'said' } },
  whispered: { Message: { ticket: '{two}', author: '{ann}', body: 'whispered', internal: true } },
  billing: { Tag: { ticket: '{two}', name: 'billing' } },
  covert: { Tag: { ticket: '{three}', name: 'covert', hidden: true } },
} as const
export const names = Object.keys(given) as (keyof typeof given)[]

export const encoded = (text: string) => encodeURIComponent(text).replaceAll('%7B', '{').replaceAll('%7D', '}')
const mine = (text: string) => `owner = "{ann}" AND (${text})`
type Names = readonly (keyof typeof given)[]

/** A condition on Ann's tickets, as text and as tree; they are answered in the order of their titles. */
export const asks = (
  clause: Row['clause'],
  it: string,
  text: string,
  tree: string | null,
  found: Names,
  as: Caller = 'viewer',
): Row => ({
  clause,
  it: `${it}: ${text}`,
  as,
  given,
  send: `GET /api/v2/tickets?sort=title&where=${encoded(mine(text))}`,
  also:
    tree === null
      ? {
          query: 'query ($where: String) { tickets(sort: [TITLE_ASC], whereText: $where) { nodes { id } } }',
          variables: { where: mine(text) },
        }
      : `{ tickets(sort: [TITLE_ASC], where: { ownerId: { eq: "{ann}" }, and: [${tree}] }) { nodes { id } } }`,
  answer: { status: 200, data: ids(...found) },
})

/** What is wrong with a text. */
export const refuses = (clause: Row['clause'], text: string, message: string | RegExp): Row => ({
  clause,
  it: `${text === '' ? 'nothing' : text} is refused`,
  as: 'viewer',
  given,
  send: `GET /api/v2/tickets?where=${encoded(text)}`,
  also: {
    query: 'query ($where: String) { tickets(whereText: $where) { nodes { id } } }',
    variables: { where: text },
    answer: { field: 'where_text', message: /^whereText/ },
  },
  answer: { status: 400, code: 'VALIDATION_ERROR', field: 'where', message },
})
/** What is wrong with a tree. */
export const refusesTree = (clause: Row['clause'], tree: string, field: string, message: string | RegExp): Row => ({
  clause,
  it: `${tree} is refused`,
  as: 'viewer',
  also: { query: `{ tickets(where: ${tree}) { nodes { id } } }` },
  answer: { status: 200, code: 'VALIDATION_ERROR', field, message },
})
