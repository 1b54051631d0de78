// Many at once: all or nothing, and what is told of which.

import { type Also, clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { camelled } from '../support/rows/graphql-question.ts'
import type { Clause } from './contract.ts'

const post = { title: 'T', content: 'C' }
const missing = 'post_00000000000000000000000000'
const invalid = (...fields: readonly string[]): Expected => ({ status: 400, code: 'VALIDATION_ERROR', fields })
const mine = {
  one: { Post: { title: 'One', content: 'C', author: '{editor}' } },
  two: { Post: { title: 'Two', content: 'C', author: '{editor}' } },
}

const createMany = (clause: Clause, it: string, posts: unknown, answer: Expected, more: Partial<Row> = {}): Row => ({
  clause,
  it,
  as: 'editor',
  send: 'POST /api/v2/posts/batch',
  body: { posts },
  also: {
    query: 'mutation ($input: CreatePostsInput!) { createPosts(input: $input) { id title content tags } }',
    variables: { input: { posts: camelled(posts) } },
  },
  answer,
  ...more,
})

const updateMany = (
  clause: Clause,
  it: string,
  ids: unknown,
  set: Readonly<Record<string, unknown>>,
  answer: Expected,
  more: Partial<Row> = {},
): Row => ({
  clause,
  it,
  as: 'editor',
  given: mine,
  send: 'PATCH /api/v2/posts',
  body: { ids, ...set },
  also: {
    query: 'mutation ($input: UpdatePostsInput!) { updatePosts(input: $input) { id title content } }',
    variables: { input: { ids, set: camelled(set) } },
  },
  answer,
  ...more,
})
/** GraphQL says it in other words. */
const withTwinAnswer = (row: Row, answer: Partial<Expected>): Row => ({
  ...row,
  also: { ...(row.also as Also), answer },
})
const withoutTwin = ({ also: _, ...row }: Row): Row => row
/** Nothing of a refused request is written. */
const untouched = ['one', 'two'].map((name) => ({
  as: 'editor' as const,
  send: `GET /api/v2/posts/{${name}}`,
  answer: { status: 200, headers: { ETag: /^"1\./ } },
}))
const titles = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `${index}`, content: 'C' }))

clauses('4.6 Writes: batch create', [
  createMany('4.6.1', 'answers what it made, in order', titles(3), {
    status: 201,
    data: titles(3),
    meta: undefined,
  }),
  withoutTwin(
    createMany('4.6.1', 'meta says how many', titles(2), {
      status: 201,
      body: { meta: (meta: object) => JSON.stringify(meta) === '{"created":2}' },
      headers: { Location: undefined, ETag: undefined },
    }),
  ),
  createMany('4.6.1', 'of 1', [post], { status: 201, data: [post] }),
  createMany('4.6.1', 'of 99', titles(99), { status: 201, data: titles(99) }),
  createMany('4.6.1', 'of 100', titles(100), { status: 201, data: titles(100) }),
  createMany('4.6.1', 'of 101', titles(101), invalid('posts')),
  createMany('4.6.1', 'of none', [], invalid('posts')),
  createMany('4.6.1', 'of nothing', null, invalid('posts')),
  withoutTwin(createMany('4.6.1', 'of one that is no list', post, invalid('posts'))),
  {
    clause: '4.6.1',
    it: 'the member has the name of the resource',
    as: 'editor',
    send: 'POST /api/v2/posts/batch',
    body: { items: [post] },
    answer: invalid('items', 'posts'),
  },
  {
    clause: '4.6.1',
    it: 'beside the member stands nothing',
    as: 'editor',
    send: 'POST /api/v2/posts/batch',
    body: { posts: [post], atomic: false },
    answer: invalid('atomic'),
  },
  withTwinAnswer(
    createMany(
      '4.6.3',
      'each problem names its place',
      [post, { title: '', content: 'C' }, { content: 'C' }, { ...post, tags: ['a', ''] }],
      invalid('posts[1].title', 'posts[2].title', 'posts[3].tags[1]'),
    ),
    // What does not fit the types is found before anything else.
    { fields: ['posts[2].title'] },
  ),
  createMany('4.6.3', 'an element that is no object is named', [post, 5], invalid('posts[1]')),
  createMany('4.6.3', 'an element that is null is named', [null, post], invalid('posts[0]')),
  createMany('4.6.3', 'a field that there is not is named', [{ ...post, colour: 'red' }], invalid('posts[0].colour')),
  {
    clause: '4.6.3',
    it: 'one that is refused undoes all',
    as: 'viewer',
    given: { fresh: { Post: { title: 'F', content: 'C', author: '{editor}', publishedAt: new Date(0) } } },
    send: 'POST /api/v2/comments/batch',
    body: {
      comments: [
        { post_id: '{fresh}', content: 'A' },
        { post_id: missing, content: 'B' },
      ],
    },
    also: {
      query: 'mutation ($input: CreateCommentsInput!) { createComments(input: $input) { id } }',
      variables: {
        input: {
          comments: [
            { postId: '{fresh}', content: 'A' },
            { postId: missing, content: 'B' },
          ],
        },
      },
    },
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'comments[1].post_id' },
    then: [{ send: 'GET /api/v2/posts/{fresh}/comments', answer: { status: 200, data: [], meta: { total: 0 } } }],
  },
  {
    clause: '4.6.3',
    it: 'orders in one batch take their stock together, or not at all',
    as: 'viewer',
    send: 'POST /api/v2/orders/batch',
    body: { orders: [6, 5].map((quantity) => ({ items: [{ product_id: '{product}', quantity }] })) },
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'orders[1]' },
    then: [{ send: 'GET /api/v2/products/{product}', answer: { status: 200, data: { stock: 10 } } }],
  },
  {
    clause: '4.6.1',
    it: 'orders in one batch take their stock one after the other',
    as: 'viewer',
    send: 'POST /api/v2/orders/batch',
    body: { orders: [6, 4].map((quantity) => ({ items: [{ product_id: '{product}', quantity }] })) },
    answer: { status: 201, data: [{ total: 3000 }, { total: 2000 }] },
    then: [{ send: 'GET /api/v2/products/{product}', answer: { status: 200, data: { stock: 0 } } }],
  },
  createMany('4.6.1', 'may be published at once, one by one', [{ ...post, publish: true }, post], {
    status: 201,
    data: [post, post],
  }),
  createMany('4.6.3', 'needs the permission of create', [post], { status: 403, code: 'FORBIDDEN' }, { as: 'viewer' }),
])

clauses('4.6 Writes: update many', [
  updateMany(
    '4.6.2',
    'answers what it changed, in the order of the ids',
    ['{two}', '{one}'],
    { title: 'New' },
    {
      status: 200,
      data: [
        { id: '{two}', title: 'New', content: 'C' },
        { id: '{one}', title: 'New', content: 'C' },
      ],
    },
  ),
  withoutTwin(
    updateMany(
      '4.6.2',
      'meta says how many',
      ['{one}'],
      { title: 'New' },
      {
        status: 200,
        body: { meta: (meta: object) => JSON.stringify(meta) === '{"updated":1}' },
      },
    ),
  ),
  updateMany('4.6.2', 'of none', [], { title: 'New' }, invalid('ids')),
  updateMany(
    '4.6.2',
    'of 101',
    Array.from({ length: 101 }, (_, index) => `post_${index}`),
    { title: 'New' },
    invalid('ids'),
  ),
  updateMany('4.6.2', 'of one twice', ['{one}', '{two}', '{one}'], { title: 'New' }, invalid('ids[2]'), {
    then: untouched,
  }),
  withoutTwin(updateMany('4.6.2', 'of an id that is a number', ['{one}', 5], { title: 'New' }, invalid('ids[1]'))),
  withoutTwin(updateMany('4.6.2', 'of ids that are no list', '{one}', { title: 'New' }, invalid('ids'))),
  updateMany(
    '4.6.2',
    'without a field',
    ['{one}', '{two}'],
    {},
    { status: 400, code: 'VALIDATION_ERROR' },
    { then: untouched },
  ),
  withTwinAnswer(
    updateMany(
      '4.6.2',
      'with a field that is too long, reported once',
      ['{one}', '{two}'],
      { title: 'x'.repeat(201) },
      invalid('title'),
      { then: untouched },
    ),
    { fields: ['set.title'] },
  ),
  withTwinAnswer(
    updateMany('4.6.2', 'with a field that there is not', ['{one}', '{two}'], { colour: 'red' }, invalid('colour')),
    { fields: ['set.colour'] },
  ),
  updateMany(
    '4.6.4',
    'an id that is missing is 404',
    ['{one}', missing],
    { title: 'New' },
    { status: 404, code: 'NOT_FOUND', field: 'ids[1]' },
    { then: untouched },
  ),
  updateMany(
    '4.6.4',
    'an id that is none is 404',
    ['x', '{one}'],
    { title: 'New' },
    { status: 404, code: 'NOT_FOUND', field: 'ids[0]' },
    { then: untouched },
  ),
  updateMany(
    '4.6.4',
    'all that are missing are named',
    ['x', '{one}', missing],
    { title: 'New' },
    { status: 404, code: 'NOT_FOUND', fields: ['ids[0]', 'ids[2]'] },
  ),
  updateMany(
    '4.6.4',
    'one that may be seen but not changed is 403',
    ['{one}', '{other post}', '{two}'],
    { title: 'New' },
    { status: 403, code: 'FORBIDDEN', field: 'ids[1]' },
    { then: untouched },
  ),
  updateMany(
    '4.6.4',
    '404 comes before 403, whatever the order',
    ['{other post}', missing],
    { title: 'New' },
    { status: 404, code: 'NOT_FOUND', field: 'ids[1]' },
  ),
  {
    clause: '4.6.4',
    it: 'one that is hidden is 404',
    as: 'viewer',
    send: 'PATCH /api/v2/comments',
    body: { ids: ['{comment}', '{hidden comment}'], content: 'New' },
    answer: { status: 404, code: 'NOT_FOUND', field: 'ids[1]' },
    then: [{ send: 'GET /api/v2/comments/{comment}', answer: { status: 200, data: { content: 'Well said.' } } }],
  },
  updateMany(
    '4.6.2',
    'needs the permission of update',
    ['{one}'],
    { title: 'New' },
    { status: 403, code: 'FORBIDDEN' },
    { as: 'viewer' },
  ),
  updateMany(
    '4.6.2',
    'is 401 where the caller is anonymous',
    ['{one}'],
    { title: 'New' },
    { status: 401, code: 'UNAUTHENTICATED' },
    { as: 'anonymous' },
  ),
])
