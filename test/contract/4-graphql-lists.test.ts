// GraphQL's lists: connections, offsets, nested lists, and what is wrong with their arguments.

import { clauses } from '../support/rows/clauses.ts'
import { as, ask, data, invalid, roots, three } from '../support/rows/graphql-row.ts'
import { of } from '../support/rows/page.ts'

const ofWriter = 'filter: { authorId: "{writer}" }, sort: [TITLE_ASC]'

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
    'all problems below a root are reported at once',
    '{ user(id: "{editor}") { posts(limit: 0, offset: -1) { comments(limit: 101) { id } } } }',
    { code: 'VALIDATION_ERROR', fields: ['limit', 'offset', 'limit'], path: ['user'], ...data({ user: null }) },
  ),
  ask(
    '4.8.14',
    'a wrong list below a mutation is reported with its input, and nothing is written',
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
