// GraphQL's own forms: connections and lists, nested ones, mutations, errors with their paths, and what is missing.

import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import type { Caller } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

const past = new Date('2026-01-01T00:00:00.000Z')
const three = Object.fromEntries(
  ['a', 'b', 'c'].map((title) => [title, { Post: { title, content: 'C', author: '{writer}', publishedAt: past } }]),
)
const of = (...names: readonly string[]) => names.map((name) => ({ id: `{${name}}` }))
const ofWriter = 'filter: { authorId: "{writer}" }, sort: [TITLE_ASC]'

const ask = (clause: Clause, it: string, query: string, answer: Partial<Expected>, more: Partial<Row> = {}): Row => ({
  clause,
  it,
  also: query,
  answer: { status: 200, ...answer },
  ...more,
})
const data = (value: unknown): Partial<Expected> => ({ body: { data: value } })
const as = (caller: Caller, more: Partial<Row> = {}): Partial<Row> => ({ as: caller, ...more })
const invalid = (field: string): Partial<Expected> => ({ code: 'VALIDATION_ERROR', field })
const roots = ['user', 'post', 'comment', 'article', 'product'] as const

clauses('4.8 GraphQL: lists', [
  ask(
    '4.8.1',
    'a connection has edges, nodes, pageInfo and totalCount',
    `{ posts(${ofWriter}, first: 2) { edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }`,
    data({
      posts: {
        edges: [
          { cursor: /^[\w-]+$/, node: { id: '{a}' } },
          { cursor: /^[\w-]+$/, node: { id: '{b}' } },
        ],
        nodes: of('a', 'b'),
        pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: /^[\w-]+$/, endCursor: /^[\w-]+$/ },
        totalCount: 3,
      },
    }),
    { given: three },
  ),
  ask(
    '4.8.1',
    'the offset form of the same list',
    `{ postList(limit: 1, offset: 1, ${ofWriter}) { id } }`,
    data({ postList: of('b') }),
    { given: three },
  ),
  ask(
    '4.8.1',
    'an empty connection',
    '{ posts(filter: { authorId: "x" }) { edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }',
    data({
      posts: {
        edges: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
        totalCount: 0,
      },
    }),
  ),
  ask(
    '4.8.1',
    'a cursor of an edge leads on from there',
    `{ posts(${ofWriter}, first: 1) { edges { cursor } } }`,
    data({ posts: { edges: [{}] } }),
    {
      given: three,
      keep: { cursor: 'body.data.posts.edges.0.cursor' },
      then: [
        ask(
          '4.8.1',
          '',
          `{ posts(${ofWriter}, after: "{cursor}") { nodes { id } pageInfo { hasPreviousPage } } }`,
          data({ posts: { nodes: of('b', 'c'), pageInfo: { hasPreviousPage: true } } }),
        ),
      ],
    },
  ),
  ...roots.map((name) =>
    ask(
      '4.8.2',
      `${name}s and ${name}List are there`,
      `{ ${name}s(first: 1) { nodes { id } totalCount } ${name}List(limit: 1) { id } }`,
      data({ [`${name}s`]: {}, [`${name}List`]: (list: unknown) => Array.isArray(list) }),
    ),
  ),
  ask(
    '4.8.2',
    'orders and orderList are there for who is signed in',
    '{ orders { totalCount } orderList { id } }',
    data({ orders: {}, orderList: [] }),
    as('{member}'),
  ),
  ask(
    '4.8.3',
    'User.posts takes limit and offset',
    `{ user(id: "{writer}") { posts(limit: 1, offset: 1, sort: [TITLE_ASC]) { id } } }`,
    data({ user: { posts: of('b') } }),
    { given: three },
  ),
  ask(
    '4.8.3',
    'each parent has a page of its own',
    '{ a: user(id: "{writer}") { posts(limit: 2) { id } } b: user(id: "{editor}") { posts(limit: 2) { id } } }',
    data({ a: { posts: of('c', 'b') }, b: {} }),
    { given: three },
  ),
  ask(
    '4.8.3',
    'lists nest',
    '{ user(id: "{writer}") { posts(sort: [TITLE_ASC], limit: 1) { id comments { content author { name } } } } }',
    data({ user: { posts: [{ id: '{a}', comments: [{ content: 'C', author: { name: 'Viewer' } }] }] } }),
    {
      given: { ...three, said: { Comment: { post: '{a}', author: '{viewer}', content: 'C' } } },
    },
  ),
  ...(
    [
      ['postList(limit: 0) { id }', 'limit'],
      ['postList(limit: 101) { id }', 'limit'],
      ['postList(limit: -1) { id }', 'limit'],
      ['postList(offset: -1) { id }', 'offset'],
      ['posts(first: 0) { nodes { id } }', 'first'],
      ['posts(first: -1) { nodes { id } }', 'first'],
      ['posts(first: 101) { nodes { id } }', 'first'],
      ['posts(last: 0) { nodes { id } }', 'last'],
      ['posts(last: 101) { nodes { id } }', 'last'],
      ['user(id: "{editor}") { posts(limit: 101) { id } }', 'limit'],
    ] as const
  ).map(([field, argument]) => ask('4.8.3', `${field} is out of bounds`, `{ ${field} }`, invalid(argument))),
  ask(
    '4.8.14',
    'a wrong list fails with its own root, and the others answer',
    '{ a: user(id: "{editor}") { id } b: user(id: "{editor}") { posts(limit: 0) { id } } c: user(id: "{viewer}") { posts(limit: 1) { id } } }',
    { ...invalid('limit'), path: ['b'], ...data({ a: { id: '{editor}' }, b: null, c: {} }) },
  ),
  ask(
    '4.8.14',
    'all that is wrong below a root is told at once',
    '{ user(id: "{editor}") { posts(limit: 0, offset: -1) { comments(limit: 101) { id } } } }',
    { code: 'VALIDATION_ERROR', fields: ['limit', 'offset', 'limit'], path: ['user'], ...data({ user: null }) },
  ),
  ask(
    '4.8.14',
    'a wrong list below a mutation is told with its input, and nothing is written',
    'mutation { updatePost(id: "{draft}", input: { title: "" }) { comments(limit: 0) { id } } }',
    { code: 'VALIDATION_ERROR', fields: ['title', 'limit'], path: ['updatePost'] },
    as('editor'),
  ),
  ask(
    '4.8.14',
    'a wrong list below a mutation that is well formed writes nothing',
    'mutation { updatePost(id: "{draft}", input: { title: "Written" }) { comments(limit: 0) { id } } }',
    { ...invalid('limit'), path: ['updatePost'] },
    as('editor', {
      then: [
        { as: 'editor', send: 'GET /api/v2/posts/{draft}', answer: { status: 200, data: { title: /^(?!Written)/ } } },
      ],
    }),
  ),
  ask('4.8.3', 'limit of 100', '{ postList(limit: 100) { id } }', {}),
  ask('4.8.4', 'first with last', '{ posts(first: 1, last: 1) { nodes { id } } }', { code: 'VALIDATION_ERROR' }),
  ask('4.8.4', 'first of 1', '{ posts(first: 1) { nodes { id } } }', {}),
  ask('4.8.4', 'first of 100', '{ posts(first: 100) { nodes { id } } }', {}),
  ask('4.8.4', 'a cursor that is none', '{ posts(after: "x") { nodes { id } } }', invalid('after')),
  ask(
    '4.8.4',
    'a cursor of another sort',
    '{ posts(sort: [TITLE_DESC], before: "{cursor}") { nodes { id } } }',
    invalid('before'),
    {
      given: three,
      first: [
        {
          send: 'POST /graphql',
          body: { query: '{ posts(sort: [TITLE_ASC], first: 1) { pageInfo { endCursor } } }' },
          keep: { cursor: 'body.data.posts.pageInfo.endCursor' },
        },
      ],
    },
  ),
  ask(
    '4.8.4',
    'a cursor of another filter',
    '{ posts(filter: { tag: "x" }, after: "{cursor}") { nodes { id } } }',
    invalid('after'),
    {
      given: three,
      first: [
        {
          send: 'POST /graphql',
          body: { query: '{ posts(first: 1) { pageInfo { endCursor } } }' },
          keep: { cursor: 'body.data.posts.pageInfo.endCursor' },
        },
      ],
    },
  ),
  ask(
    '4.8.5',
    'sort by a value of the enum',
    `{ postList(filter: { authorId: "{writer}" }, sort: [TITLE_DESC]) { id } }`,
    data({ postList: of('c', 'b', 'a') }),
    { given: three },
  ),
  ask('4.8.5', 'sort by what is no value', '{ postList(sort: [COLOUR_ASC]) { id } }', {
    code: 'GRAPHQL_VALIDATION_FAILED',
  }),
  ask('4.8.5', 'sort by one field twice', '{ postList(sort: [TITLE_ASC, TITLE_DESC]) { id } }', invalid('sort')),
  ask('4.8.5', 'filter by null is no filter', '{ postList(filter: null, limit: 1) { id } }', {}),
  ask(
    '4.8.5',
    'other enum values are those of REST',
    '{ article(id: "{in_review article}") { status } user(id: "{editor}") { status role } }',
    data({ article: { status: 'in_review' }, user: { status: 'ACTIVE', role: 'EDITOR' } }),
    as('editor'),
  ),
])

const create = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id title tags author { name } } }'

clauses('4.8 GraphQL: mutations', [
  ask(
    '4.8.6',
    'createPost takes one input',
    create,
    data({ createPost: { title: 'T', tags: ['a'], author: { name: 'Editor' } } }),
    {
      as: 'editor',
      also: { query: create, variables: { input: { title: 'T', content: 'C', tags: ['a'] } } },
    },
  ),
  ask('4.8.6', 'one value stands for a list of one', create, data({ createPost: { tags: ['solo'] } }), {
    as: 'editor',
    also: { query: create, variables: { input: { title: 'T', content: 'C', tags: 'solo' } } },
  }),
  ask(
    '4.8.6',
    'deletePost answers true',
    'mutation { deletePost(id: "{draft}") }',
    data({ deletePost: true }),
    as('editor'),
  ),
  ask(
    '4.8.6',
    'mutations run in order, each after the other',
    'mutation { a: publishPost(id: "{draft}") { id } b: unpublishPost(id: "{draft}") { publishedAt } c: deletePost(id: "{draft}") }',
    data({ a: { id: '{draft}' }, b: { publishedAt: null }, c: true }),
    as('editor'),
  ),
  ask(
    '4.8.6',
    'one that fails does not undo those before, nor stop those behind it',
    'mutation { a: publishPost(id: "{draft}") { id } b: deletePost(id: "x") }',
    { code: 'NOT_FOUND', path: ['b'], ...data(null) },
    as('editor', {
      then: [{ send: 'GET /api/v2/posts/{draft}', answer: { status: 200 } }],
    }),
  ),
  ask(
    '4.8.7',
    'problems are named relative to the input',
    create,
    { code: 'VALIDATION_ERROR', fields: ['title', 'tags[1]'], path: ['createPost'] },
    {
      as: 'editor',
      also: { query: create, variables: { input: { title: '', content: 'C', tags: ['a', ''] } } },
    },
  ),
  ask(
    '4.8.7',
    'problems of a literal input, too',
    'mutation { createPost(input: { title: "", content: "C" }) { id } }',
    { code: 'VALIDATION_ERROR', field: 'title', path: ['createPost'] },
    as('editor'),
  ),
  ask(
    '4.8.7',
    'variables of the wrong type are told before anything runs',
    create,
    { code: 'VALIDATION_ERROR', fields: ['title', 'content'] },
    {
      as: 'editor',
      also: { query: create, variables: { input: { title: 5 } } },
    },
  ),
  ask('4.8.7', 'no variables at all', create, { code: 'VALIDATION_ERROR', field: 'input' }, as('editor')),
  ask(
    '4.8.7',
    'a literal of the wrong type',
    'mutation { createPost(input: { title: 5, content: "C" }) { id } }',
    { code: 'GRAPHQL_VALIDATION_FAILED' },
    as('editor'),
  ),
  ask(
    '4.8.7',
    'a field that there is not',
    'mutation { createPost(input: { title: "T", content: "C", role: "x" }) { id } }',
    { code: 'GRAPHQL_VALIDATION_FAILED' },
    as('editor'),
  ),
])

clauses('4.8 GraphQL: single records and errors', [
  ask(
    '4.8.8',
    'me is who is signed in',
    '{ me { id name } }',
    data({ me: { id: '{viewer}', name: 'Viewer' } }),
    as('viewer'),
  ),
  ask('4.8.8', 'me is null and UNAUTHENTICATED where nobody is', '{ me { id } }', {
    code: 'UNAUTHENTICATED',
    path: ['me'],
    ...data({ me: null }),
  }),
  ...roots.map((name) =>
    ask('4.8.9', `a ${name} that is not there is null, with an error`, `{ x: ${name}(id: "nobody") { id } }`, {
      code: name === 'user' ? 'USER_NOT_FOUND' : 'NOT_FOUND',
      path: ['x'],
      ...data({ x: null }),
    }),
  ),
  ask('4.8.9', 'what stands beside it is there', '{ a: post(id: "{post}") { id } b: post(id: "{draft}") { id } }', {
    code: 'NOT_FOUND',
    path: ['b'],
    ...data({ a: { id: '{post}' }, b: null }),
  }),
  ask(
    '4.8.10',
    'userResult of a user',
    '{ userResult(id: "{member}") { __typename ... on User { id name } } }',
    data({ userResult: { __typename: 'User', id: '{member}', name: 'Member' } }),
  ),
  ask(
    '4.8.10',
    'the types are for the user as a whole: a field of it that one may not see is refused as everywhere',
    '{ userResult(id: "{member}") { ... on User { email } } }',
    { code: 'FORBIDDEN', path: ['userResult', 'email'], ...data(null) },
    as('viewer'),
  ),
  ask(
    '4.8.10',
    'userResult of nobody is no error',
    '{ userResult(id: "x") { __typename ... on UserNotFoundError { code message } } }',
    data({ userResult: { __typename: 'UserNotFoundError', code: 'USER_NOT_FOUND', message: /\.$/ } }),
  ),
  ask(
    '4.8.11',
    'node of anything',
    '{ node(id: "{post}") { id __typename ... on Post { title } } }',
    data({ node: { id: '{post}', __typename: 'Post', title: 'Published' } }),
  ),
  ask(
    '4.8.11',
    'node of a user',
    '{ node(id: "{member}") { __typename ... on User { name } } }',
    data({ node: { __typename: 'User', name: 'Member' } }),
  ),
  ask('4.8.11', 'node of what is hidden', '{ node(id: "{draft}") { id } }', {
    code: 'NOT_FOUND',
    path: ['node'],
    ...data({ node: null }),
  }),
  ask(
    '4.8.11',
    'node of an order of somebody else',
    '{ node(id: "{other order}") { id } }',
    { code: 'NOT_FOUND', path: ['node'], ...data({ node: null }) },
    as('viewer'),
  ),
  ask('4.8.11', 'node of no id at all', '{ node(id: "x") { id } }', {
    code: 'NOT_FOUND',
    path: ['node'],
    ...data({ node: null }),
  }),

  ask(
    '4.8.13',
    'variables have the types that the operation declares',
    'query ($id: ID!) { post(id: $id) { id } }',
    data({ post: { id: '{post}' } }),
    {
      also: { query: 'query ($id: ID!) { post(id: $id) { id } }', variables: { id: '{post}' } },
    },
  ),
  ask(
    '4.8.12',
    'aliases, fragments and directives',
    'query { a: post(id: "{post}") { ...P ... on Post { content } title @skip(if: true) } } fragment P on Post { t: title __typename }',
    data({ a: { t: 'Published', __typename: 'Post', content: 'For everyone.', title: undefined } }),
  ),
  ask('4.8.12', 'members stand in the order of the question', '{ post(id: "{post}") { title id content } }', {
    body: { data: (value: object) => /^\{"post":\{"title":.*"id":.*"content":/.test(JSON.stringify(value)) },
  }),
  ask('7.3.1', 'an operation that fails is 200', '{ orders { nodes { id } } }', {
    status: 200,
    code: 'UNAUTHENTICATED',
  }),
  ask('7.3.2', 'a document that cannot be parsed', '{ posts {', { code: 'GRAPHQL_PARSE_FAILED' }),
  ask('7.3.2', 'a field that there is not', '{ post(id: "{post}") { colour } }', {
    code: 'GRAPHQL_VALIDATION_FAILED',
  }),
  ask(
    '7.3.2',
    'an error has a path through aliases and list places',
    '{ all: postList(limit: 1, filter: { authorId: "{writer}" }) { by: author { mail: email } } }',
    { code: 'FORBIDDEN', path: ['all', 0, 'by', 'mail'], ...data(null) },
    { as: 'viewer', given: three },
  ),
  ask('7.3.3', 'partial success', '{ me { id } product(id: "{product}") { name } }', {
    code: 'UNAUTHENTICATED',
    path: ['me'],
    ...data({ me: null, product: { name: 'Pan' } }),
  }),
  {
    clause: '7.3.2',
    it: 'a refused credential: no data, and nothing is run',
    send: 'POST /graphql',
    headers: { Authorization: 'Bearer x' },
    body: { query: '{ me { id } }' },
    answer: { status: 200, body: { errors: [{ extensions: { code: 'INVALID_TOKEN' } }], data: undefined } },
  },
])
