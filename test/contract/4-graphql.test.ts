// GraphQL's own forms: mutations, single records, errors with their paths, and what is missing.

import { clauses } from '../support/rows/clauses.ts'
import { as, ask, data, roots, three } from '../support/rows/graphql-row.ts'

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
    'variables of the wrong type are reported before anything runs',
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
    'userResult of a missing user is no error',
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
    'node of an order of another user',
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
