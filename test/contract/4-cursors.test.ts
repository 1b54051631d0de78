// Pages by cursor: forward and back in every order, and what a cursor is bound to.

import { clauses, type Preparation, type Row } from '../support/rows/clauses.ts'
import type { Recipes } from '../support/rows/fixtures.ts'
import { exactly, five, of, page, past, refused } from '../support/rows/page.ts'

/** Follows a list from page to page and back, through both kinds of cursor. */
const walk = (sort: string, order: readonly string[], recipes: Recipes = five, as: Row['as'] = 'anonymous'): Row => {
  const query = `author_id={writer}&sort=${sort}`
  const [a, b, c, d, e] = order as [string, string, string, string, string]
  return {
    clause: '4.4.8',
    it: `sort=${sort}: forward to the end, and back to the beginning`,
    as,
    given: recipes,
    send: `GET /api/v2/posts?${query}&limit=2`,
    answer: { status: 200, data: of(a, b), meta: { prev_cursor: null, has_next: true, next_cursor: /^[\w-]+$/ } },
    keep: { second: 'body.meta.next_cursor' },
    then: [
      {
        as,
        send: `GET /api/v2/posts?${query}&limit=2&cursor={second}`,
        answer: { status: 200, data: of(c, d), meta: { has_next: true } },
        keep: { third: 'body.meta.next_cursor', first: 'body.meta.prev_cursor' },
      },
      {
        as,
        send: `GET /api/v2/posts?${query}&limit=2&cursor={third}`,
        answer: { status: 200, data: of(e), meta: { has_next: false, next_cursor: null } },
        keep: { back: 'body.meta.prev_cursor' },
      },
      {
        as,
        send: `GET /api/v2/posts?${query}&limit=2&cursor={back}`,
        answer: { status: 200, data: of(c, d), meta: { has_next: true } },
        keep: { 'back again': 'body.meta.prev_cursor', again: 'body.meta.next_cursor' },
      },
      {
        as,
        send: `GET /api/v2/posts?${query}&limit=2&cursor={again}`,
        answer: { status: 200, data: of(e) },
      },
      {
        as,
        send: `GET /api/v2/posts?${query}&limit=2&cursor={back again}`,
        answer: { status: 200, data: of(a, b), meta: { prev_cursor: null, has_next: true } },
      },
      // The size may change.
      {
        as,
        send: `GET /api/v2/posts?${query}&per_page=100&cursor={second}`,
        answer: { status: 200, data: of(c, d, e), meta: { has_next: false, next_cursor: null } },
      },
      {
        as,
        send: `GET /api/v2/posts?${query}&cursor={second}`,
        answer: { status: 200, data: of(c, d, e) },
      },
    ],
  }
}

const graphqlWalk = (
  sort: string,
  order: readonly string[],
  recipes: Recipes = five,
  as: Row['as'] = 'anonymous',
): Row => {
  const [a, b, c, d, e] = order as [string, string, string, string, string]
  const queryWith = (args: string) =>
    `{ posts(filter: { authorId: "{writer}" }, sort: [${sort}], ${args}) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
  const info = (hasNextPage: boolean, hasPreviousPage: boolean) => ({
    data: { posts: { pageInfo: { hasNextPage, hasPreviousPage } } },
  })
  const cursors = { end: 'body.data.posts.pageInfo.endCursor', start: 'body.data.posts.pageInfo.startCursor' }
  return {
    clause: '4.8.4',
    it: `sort: [${sort}]: first and after to the end, last and before to the beginning`,
    as,
    given: recipes,
    also: queryWith('first: 2'),
    answer: { status: 200, data: of(a, b), body: info(true, false) },
    keep: cursors,
    then: [
      {
        as,
        also: queryWith('first: 2, after: "{end}"'),
        answer: { status: 200, data: of(c, d), body: info(true, true) },
        keep: { ...cursors, middle: cursors.start },
      },
      {
        as,
        also: queryWith('first: 2, after: "{end}"'),
        answer: { status: 200, data: of(e), body: info(false, true) },
        keep: cursors,
      },
      {
        as,
        also: queryWith('last: 2'),
        answer: { status: 200, data: of(d, e), body: info(false, true) },
        keep: cursors,
      },
      {
        as,
        also: queryWith('last: 2, before: "{start}"'),
        answer: { status: 200, data: of(b, c), body: info(true, true) },
        keep: cursors,
      },
      {
        as,
        also: queryWith('last: 2, before: "{start}"'),
        answer: { status: 200, data: of(a), body: info(true, false) },
      },
      {
        as,
        also: queryWith('first: 1, after: "{middle}"'),
        answer: { status: 200, data: of(d), body: info(true, true) },
      },
    ],
  }
}

/** Equal values, null values: whatever a sort may meet. */
const uneven: Recipes = {
  a: { Post: { title: 'x', content: 'C', author: '{writer}', publishedAt: past } },
  b: { Post: { title: 'x', content: 'C', author: '{writer}', publishedAt: past } },
  c: { Post: { title: 'x', content: 'C', author: '{writer}', publishedAt: new Date('2026-02-01T00:00:00.000Z') } },
  d: { Post: { title: 'y', content: 'C', author: '{writer}' } },
  e: { Post: { title: 'x', content: 'C', author: '{writer}' } },
}

const walks: readonly (readonly [string, string, readonly string[], Recipes?])[] = [
  ['title', 'TITLE_ASC', ['a', 'b', 'c', 'd', 'e']],
  ['-title', 'TITLE_DESC', ['e', 'd', 'c', 'b', 'a']],
  ['created_at', 'CREATED_AT_ASC', ['a', 'b', 'c', 'd', 'e']],
  ['-created_at', 'CREATED_AT_DESC', ['e', 'd', 'c', 'b', 'a']],
  ['published_at', 'PUBLISHED_AT_ASC', ['a', 'b', 'c', 'd', 'e']],
  ['-published_at', 'PUBLISHED_AT_DESC', ['e', 'd', 'c', 'b', 'a']],
  ['published_at', 'PUBLISHED_AT_ASC', ['a', 'b', 'c', 'd', 'e'], uneven],
  ['-published_at', 'PUBLISHED_AT_DESC', ['e', 'd', 'c', 'b', 'a'], uneven],
  ['title,published_at', 'TITLE_ASC, PUBLISHED_AT_ASC', ['a', 'b', 'c', 'e', 'd'], uneven],
  ['title,-published_at', 'TITLE_ASC, PUBLISHED_AT_DESC', ['e', 'c', 'b', 'a', 'd'], uneven],
  ['-title,published_at', 'TITLE_DESC, PUBLISHED_AT_ASC', ['d', 'a', 'b', 'c', 'e'], uneven],
  ['-published_at,title', 'PUBLISHED_AT_DESC, TITLE_ASC', ['e', 'd', 'c', 'a', 'b'], uneven],
  ['published_at,-title', 'PUBLISHED_AT_ASC, TITLE_DESC', ['b', 'a', 'c', 'd', 'e'], uneven],
  ['title,created_at', 'TITLE_ASC, CREATED_AT_ASC', ['a', 'b', 'c', 'e', 'd'], uneven],
]

/** A cursor of one list, shown to another. */
const misused = (it: string, query: string, more: Partial<Row> = {}): Row => ({
  clause: '4.4.10',
  it,
  given: five,
  first: [
    { send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=2', keep: { cursor: 'body.meta.next_cursor' } },
  ],
  send: `GET /api/v2/posts?${query}&cursor={cursor}`,
  answer: { status: 400, code: 'VALIDATION_ERROR', field: 'cursor' },
  ...more,
})

clauses('4.4 Paging by cursor', [
  page('4.4.2', 'limit alone', 'limit=2', {
    status: 200,
    data: of('a', 'b'),
    meta: (meta: object) => Object.keys(meta).join() === 'next_cursor,prev_cursor,has_next',
  }),
  page('4.4.2', 'limit alone, with all there is', 'limit=5', {
    status: 200,
    data: of('a', 'b', 'c', 'd', 'e'),
    meta: exactly({ next_cursor: null, prev_cursor: null, has_next: false }),
  }),
  page('4.4.2', 'a list of nothing', 'limit=5&tag=none', {
    status: 200,
    data: [],
    meta: exactly({ next_cursor: null, prev_cursor: null, has_next: false }),
  }),
  ...walks.map(([sort, , order, recipes]) =>
    walk(sort, order, recipes, recipes === undefined ? 'anonymous' : 'editor'),
  ),
  ...walks.map(([, sort, order, recipes]) =>
    graphqlWalk(sort, order, recipes, recipes === undefined ? 'anonymous' : 'editor'),
  ),

  misused('another filter', 'author_id={editor}&sort=title'),
  misused('no filter', 'sort=title'),
  misused('one filter more', 'author_id={writer}&sort=title&tag=x'),
  misused('another sort', 'author_id={writer}&sort=-title'),
  misused('the default sort', 'author_id={writer}'),
  misused('one sort more', 'author_id={writer}&sort=title,created_at'),
  misused('another version', '', { send: 'GET /api/v1/posts?author_id={writer}&sort=title&cursor={cursor}' }),
  misused('the nested list of the same records', '', {
    send: 'GET /api/v2/users/{writer}/posts?sort=title&cursor={cursor}',
  }),
  misused('another resource', '', { send: 'GET /api/v2/articles?author_id={writer}&sort=title&cursor={cursor}' }),
  misused('GraphQL', '', {
    also: {
      query: '{ posts(filter: { authorId: "{writer}" }, sort: [TITLE_ASC], after: "{cursor}") { nodes { id } } }',
      answer: { field: 'after' },
    },
    send: 'GET /api/v2/posts?author_id={writer}&cursor={cursor}',
  }),
  misused('the nested list of another record', '', {
    first: [{ send: 'GET /api/v2/users/{writer}/posts?limit=2', keep: { cursor: 'body.meta.next_cursor' } }],
    send: 'GET /api/v2/users/{editor}/posts?cursor={cursor}',
  }),
  misused('a GraphQL cursor in REST', '', {
    first: [{ send: 'GET /api/v2/posts/{a}' }],
    send: 'GET /api/v2/posts?cursor=WyJ4IiwiZWl0aGVyIiwiYSIsImIiXQ',
  }),
  ...['x', '!', '-', 'AAAA', 'bnVsbA', 'W10', 'e30', 'a'.repeat(3_000), `${'W'.repeat(200)}`].map((cursor) =>
    refused('4.4.10', `a cursor that is none: ${cursor.slice(0, 20)}`, `cursor=${cursor}`, 'cursor'),
  ),
  refused('4.4.10', 'an empty cursor', 'cursor=', 'cursor'),
  {
    clause: '4.4.10',
    it: 'a cursor with something behind it is none',
    given: five,
    first: [
      { send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=2', keep: { cursor: 'body.meta.next_cursor' } },
    ],
    send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=2&cursor={cursor}A',
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'cursor' },
  },
  {
    clause: '4.4.9',
    it: 'the reader of a cursor is the reader of the list: what is hidden stays so',
    given: five,
    first: [
      {
        as: 'editor',
        send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=5',
        keep: { cursor: 'body.meta.next_cursor' },
      },
    ],
    send: 'GET /api/v2/posts?author_id={writer}&sort=title&cursor={cursor}',
    answer: { status: 200, data: [] },
    then: [
      {
        as: 'editor',
        send: 'GET /api/v2/posts?author_id={writer}&sort=title&cursor={cursor}',
        answer: { status: 200, data: of('f') },
      },
    ],
  },
  ...['title', '-title', 'published_at', '-published_at', '-published_at,title', 'title,published_at'].flatMap(
    (sort): Row[] => {
      const query = `GET /api/v2/posts?author_id={writer}&sort=${sort}&limit=1`
      const pair = {
        a: { Post: { title: 'a', content: 'C', author: '{writer}' } },
        b: { Post: { title: 'b', content: 'C', author: '{writer}' } },
      }
      // Either order has one of them first.
      const [first, last] = sort.startsWith('-') ? ['b', 'a'] : ['a', 'b']
      const [begins, ends] = sort === '-published_at,title' ? ['a', 'b'] : [first!, last!]
      const begin: Preparation = {
        as: 'editor',
        send: query,
        answer: { status: 200, data: of(begins) },
        keep: { cursor: 'body.meta.next_cursor' },
      }
      return [
        {
          clause: '4.4.9',
          it: `sort=${sort}: a page that is empty since leads back to the one before`,
          as: 'editor',
          given: pair,
          first: [begin, { as: 'admin', send: `DELETE /api/v2/posts/{${ends}}` }],
          send: `${query}&cursor={cursor}`,
          answer: { status: 200, data: [], meta: { next_cursor: null, has_next: false } },
          keep: { back: 'body.meta.prev_cursor' },
          then: [{ as: 'editor', send: `${query}&cursor={back}`, answer: { status: 200, data: of(begins) } }],
        },
        {
          clause: '4.4.9',
          it: `sort=${sort}: a page that is empty since leads on to the one behind`,
          as: 'editor',
          given: pair,
          first: [
            begin,
            {
              as: 'editor',
              send: `${query}&cursor={cursor}`,
              answer: { status: 200, data: of(ends) },
              keep: { cursor: 'body.meta.prev_cursor' },
            },
            { as: 'admin', send: `DELETE /api/v2/posts/{${begins}}` },
          ],
          send: `${query}&cursor={cursor}`,
          answer: { status: 200, data: [], meta: { prev_cursor: null, has_next: true } },
          keep: { on: 'body.meta.next_cursor' },
          then: [{ as: 'editor', send: `${query}&cursor={on}`, answer: { status: 200, data: of(ends) } }],
        },
      ]
    },
  ),
  {
    clause: '4.4.9',
    it: 'what is written behind a cursor is on the next page, what is written before it is not',
    given: five,
    as: '{writer}',
    first: [
      { send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=2', keep: { cursor: 'body.meta.next_cursor' } },
      { as: '{writer}', send: 'POST /api/v2/posts', body: { title: 'aa', content: 'C', publish: true } },
      { as: '{writer}', send: 'POST /api/v2/posts', body: { title: 'bb', content: 'C', publish: true } },
    ],
    send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=2&cursor={cursor}',
    answer: { status: 200, data: [{ title: 'bb' }, { id: '{c}' }] },
  },
])
