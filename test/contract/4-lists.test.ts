// What a list can be asked for: orders, fields, filters, and what is told to those who mistype.

import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import type { Clause } from './contract.ts'

const invalid = (field: string, message?: RegExp): Expected => ({
  status: 400,
  code: 'VALIDATION_ERROR',
  ...(message === undefined
    ? { field }
    : {
        body: {
          error: {
            details: (all: { field: string; message: string }[]) =>
              all.length === 1 && all[0]!.field === field && message.test(all[0]!.message),
          },
        },
      }),
})
const ask = (clause: Clause, it: string, send: string, answer: Expected, more: Partial<Row> = {}): Row => ({
  clause,
  it,
  send: `GET /api/v2/${send}`,
  answer,
  ...more,
})
const keys = (names: string) => (data: object) => Object.keys(data).join() === names

clauses('4.3 Lists', [
  ask('4.3.1', 'sort=-created_at,title', 'posts?sort=-created_at,title', { status: 200 }),
  ask('4.3.1', 'sort by nothing', 'posts?sort=', invalid('sort', /empty/)),
  ask('4.3.1', 'sort by a field and nothing', 'posts?sort=title,', invalid('sort')),
  ask('4.3.1', 'sort by what there is not', 'posts?sort=colour', invalid('sort', /colour/)),
  ask('4.3.1', 'sort by two that there are not', 'posts?sort=colour,-size', {
    status: 400,
    code: 'VALIDATION_ERROR',
    fields: ['sort', 'sort'],
  }),
  ask('4.3.1', 'sort by one field twice', 'posts?sort=title,-title', invalid('sort', /twice/)),
  ask('4.3.1', 'sort by camelCase', 'posts?sort=createdAt', invalid('sort')),
  ask('4.3.1', 'sort with a plus', 'posts?sort=%2Btitle', invalid('sort')),
  ask('4.3.1', 'sort of a single record', 'posts/{post}?sort=title', invalid('sort', /no such parameter/)),

  ask(
    '4.3.2',
    'fields=id,title of a list',
    'posts?author_id={editor}&limit=1&fields=id,title',
    { status: 200, data: [keys('id,title')] },
    { given: { mine: { Post: { title: 'A', content: 'C', author: '{editor}', publishedAt: new Date(0) } } } },
  ),
  ask('4.3.2', 'fields=id,title of one', 'posts/{post}?fields=id,title', { status: 200, data: keys('id,title') }),
  ask('4.3.2', 'fields in another order', 'posts/{post}?fields=title,id', {
    status: 200,
    data: (data: object) => Object.keys(data).sort().join() === 'id,title',
  }),
  ask('4.3.2', 'a relation by its id', 'posts/{post}?fields=author_id', {
    status: 200,
    data: { author_id: '{editor}' },
  }),
  ask('4.3.2', 'less what the caller may not see', 'users/{member}?fields=id,email', {
    status: 200,
    data: keys('id'),
  }),
  ask('4.3.2', 'nothing at all, where the caller may see none of it', 'users/{member}?fields=email', {
    status: 200,
    data: keys(''),
  }),
  ask(
    '4.3.2',
    'the own, where the caller may',
    'users/me?fields=email',
    { status: 200, data: { email: 'viewer@example.com' } },
    { as: 'viewer' },
  ),
  ask(
    '4.3.2',
    'fields of a nested list',
    'posts/{post}/comments?fields=content',
    { status: 200, data: [keys('content')] },
    { given: { one: { Comment: { post: '{post}', author: '{viewer}', content: 'C' } } } },
  ),
  ask(
    '4.11.9',
    'the ETag of a whole record is none of a part of it',
    'posts/{post}?fields=id',
    { status: 200, headers: { ETag: /^"1\.[\w-]{43}"$/ } },
    {
      first: [{ send: 'GET /api/v2/posts/{post}', keep: { tag: 'headers.etag' } }],
      headers: { 'If-None-Match': '{tag}' },
    },
  ),
  ask('4.3.2', 'a field that there is not', 'posts?fields=id,colour', invalid('fields', /colour/)),
  ask('4.3.2', 'a field twice', 'posts?fields=id,id', invalid('fields', /twice/)),
  ask('4.3.2', 'no field', 'posts?fields=', invalid('fields', /empty/)),
  ask('4.3.2', 'a list below', 'users?fields=posts', invalid('fields')),
  ask('4.3.2', 'a hidden column', 'users?fields=password', invalid('fields')),
  ask('4.3.2', 'a field of a relation', 'posts?fields=author.email', invalid('fields')),
  {
    clause: '4.3.2',
    it: 'fields are for GET only',
    as: 'editor',
    send: 'POST /api/v2/posts?fields=id',
    body: { title: 'T', content: 'C' },
    answer: invalid('fields', /no such parameter/),
  },

  ask('4.3.3', 'a parameter that there is not', 'posts?colour=red', invalid('colour')),
  ask('4.3.3', 'a filter of another resource', 'posts?category=kitchen', invalid('category')),
  ask('4.3.3', 'a filter in camelCase', 'posts?authorId={editor}', invalid('authorId')),
  ask('4.3.3', 'a filter with an operator', 'posts?title[like]=x', invalid('title[like]')),
  ask('4.3.3', 'an access token', 'posts?access_token=x', invalid('access_token')),
  ask('4.3.3', 'a method override', 'posts?_method=DELETE', invalid('_method')),
  ask('4.3.3', 'a filter twice', 'posts?tag=x&tag=x', invalid('tag', /twice/)),
  ask('4.3.3', 'a filter twice, once encoded', 'posts?tag=x&%74ag=y', invalid('tag', /twice/)),
  ask('4.3.3', 'a page twice', 'posts?page=1&page=1', invalid('page', /twice/)),
  ask('4.3.3', 'a search twice', 'posts?q=a&q=b', invalid('q')),
  ...[
    ['fields=id&fields=title', 'fields=id,title'],
    ['fields=id,title&fields=tags', 'fields=id,title,tags'],
    ['sort=title&sort=-created_at&fields=title', 'sort=title,-created_at&fields=title'],
  ].map(([repeated, joined]) =>
    ask(
      '4.3.9',
      `${repeated} is ${joined}`,
      `posts?${repeated}`,
      { status: 200, headers: { ETag: '{tag}' } },
      { first: [{ send: `GET /api/v2/posts?${joined}`, keep: { tag: 'headers.etag' } }] },
    ),
  ),
  ask('4.3.9', 'of one record', 'posts/{post}?fields=id&fields=title', { status: 200, data: { title: /./ } }),
  ask('4.3.9', 'groups of a summary', 'posts/summary?group_by=author_id&group_by=created_at', { status: 200 }),
  ask('4.3.9', 'a field twice', 'posts?fields=id&fields=title,id', invalid('fields', /Names id twice/)),
  ask('4.3.9', 'an empty one', 'posts?fields=id&fields=', invalid('fields')),
  ask('4.3.3', 'everything at once', 'posts?colour=red&sort=size&fields=weight&page=0&limit=x', {
    status: 400,
    code: 'VALIDATION_ERROR',
    fields: ['colour', 'sort', 'fields', 'page', 'limit'],
  }),
  ask('4.3.3', 'a parameter of a single record', 'posts/{post}?page=1', invalid('page')),

  ask('4.3.4', 'a filter without a value', 'posts?tag=', invalid('tag', /empty/)),
  ask('4.3.4', 'published that is neither true nor false', 'posts?published=1', invalid('published')),
  ask('4.3.4', 'published in capitals', 'posts?published=TRUE', invalid('published')),
  ask('4.3.4', 'a tag of 31 characters', `posts?tag=${'x'.repeat(31)}`, invalid('tag')),
  ask('4.3.4', 'a status that there is not', 'articles?status=open', invalid('status', /draft/)),
  ask('4.3.4', 'a price that is no number', 'products?min_price=cheap', invalid('min_price')),
  ask('4.3.4', 'a price with a fraction', 'products?max_price=1.5', invalid('max_price')),
  ask('4.3.4', 'a price too large', 'products?max_price=2147483648', invalid('max_price')),
  ask('4.3.4', 'a price with a zero before it', 'products?max_price=010', invalid('max_price')),
  ask('4.3.4', 'an escape that is not UTF-8', 'posts?tag=%ff', invalid('tag', /UTF-8/)),
  ask('4.3.4', 'half of an escape', 'posts?tag=%f', invalid('tag', /UTF-8/)),
  ask('4.3.4', 'NUL', 'posts?tag=a%00', invalid('tag', /NUL/)),
  {
    clause: '4.3.4',
    it: 'an escape that is not UTF-8, by GraphQL',
    send: 'GET /graphql?query=%7Bme%7Bid%7D%7D&variables=%ff',
    answer: {
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_ERROR', details: [{ field: 'variables' }] } }] },
    },
  },
  {
    clause: '4.3.4',
    it: 'an escape that is not UTF-8, of a single record',
    send: 'GET /api/v2/posts/{post}?fields=%ff',
    answer: invalid('fields', /UTF-8/),
  },
  ask('4.3.4', 'an id that is none finds nothing', 'posts?author_id=x', { status: 200, data: [] }),
  ask(
    '4.3.4',
    'a plus is a space',
    'products?category=garden+tools',
    { status: 200, data: [{}] },
    { given: { spade: { Product: { name: 'Spade', category: 'garden tools', price: 1, currency: 'EUR', stock: 1 } } } },
  ),
  {
    clause: '4.3.4',
    it: 'a price that is no number, through GraphQL',
    also: '{ products(filter: { minPrice: "cheap" }) { nodes { id } } }',
    answer: { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
  },
  {
    clause: '4.3.4',
    it: 'a price that is no number, as a variable',
    also: {
      query: 'query ($filter: ProductFilter) { products(filter: $filter) { nodes { id } } }',
      variables: { filter: { minPrice: 'cheap' } },
    },
    answer: {
      status: 200,
      code: 'VALIDATION_ERROR',
      body: { errors: [{ extensions: { details: [{ field: /minPrice$/ }] } }] },
    },
  },

  ask('4.3.5', 'no single record is filtered', 'users/{member}?status=ACTIVE', invalid('status')),
  {
    clause: '4.3.7',
    it: 'text is cut by code points, nowhere by bytes',
    as: 'editor',
    send: 'PATCH /api/v2/posts/{draft}',
    body: { title: '👩‍👩‍👧‍👦'.repeat(28) },
    answer: { status: 200, data: { title: '👩‍👩‍👧‍👦'.repeat(28) } },
  },
])

const crowd = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e'].map((title) => [
    title,
    { Post: { title, content: 'C', author: '{writer}', publishedAt: new Date(0) } },
  ]),
)
clauses(
  '4.3 Lists: where counting stops',
  [
    ask(
      '4.4.15',
      'a total of exactly the maximum offset is answered',
      'posts?author_id={writer}&per_page=2',
      { status: 200, meta: { total: 4, total_pages: 2, has_next: true } },
      {
        given: Object.fromEntries(Object.entries(crowd).slice(0, 4)),
        also: {
          query: '{ posts(filter: { authorId: "{writer}" }, first: 1) { totalCount } }',
          answer: { body: { data: { posts: { totalCount: 4 } } } },
        },
      },
    ),
    ask(
      '4.4.15',
      'beyond it total and total_pages are left out, and has_next stays exact',
      'posts?author_id={writer}&per_page=2&page=2',
      {
        status: 200,
        meta: (meta: object) => JSON.stringify(meta) === '{"page":2,"per_page":2,"has_next":true,"has_prev":true}',
      },
      {
        given: crowd,
        also: {
          query: '{ posts(filter: { authorId: "{writer}" }, first: 1) { totalCount } }',
          answer: { body: { data: { posts: { totalCount: null } } } },
        },
      },
    ),
    ask(
      '4.4.15',
      'on the last page, too',
      'posts?author_id={writer}&per_page=2&page=3',
      { status: 200, data: [{}], meta: { total: undefined, has_next: false } },
      { given: crowd },
    ),
    ask('4.4.6', 'the maximum offset is a number of the service', 'posts?page=4&per_page=2', invalid('page', /is 3;/)),
    {
      clause: '4.4.6',
      it: 'offset has the same maximum in GraphQL',
      also: '{ postList(offset: 4) { id } }',
      answer: { status: 200 },
      then: [
        {
          also: '{ postList(offset: 5) { id } }',
          answer: { status: 200, code: 'VALIDATION_ERROR', field: 'offset' },
        },
        {
          also: '{ user(id: "{editor}") { posts(offset: 5) { id } } }',
          answer: { status: 200, code: 'VALIDATION_ERROR', field: 'offset' },
        },
      ],
    },
  ],
  { environment: { LIMIT_OFFSET: '4' } },
)
