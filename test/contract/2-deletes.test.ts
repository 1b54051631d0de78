// What becomes of a record and of others when it is deleted.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { actionTwin, answering, createTwin } from '../support/rows/graphql-question.ts'

const remove = (path: string, id: string) => ({ as: 'admin', send: `DELETE /api/v2/${path}/${id}` }) as const
const gone = (path: string, id: string, code: 'NOT_FOUND' | 'USER_NOT_FOUND' = 'NOT_FOUND') =>
  ({ as: 'admin', send: `GET /api/v2/${path}/${id}`, answer: { status: 404, code } }) as const

/** Every way to a deleted post. */
const afterDeletion: readonly Row[] = (
  [
    ['GET', '', undefined, '{ post(id: "{post}") { id } }'],
    ['PATCH', '', { title: 'T' }, 'mutation { updatePost(id: "{post}", input: { title: "T" }) { id } }'],
    ['PUT', '', { title: 'T', content: 'C' }, undefined],
    ['DELETE', '', undefined, 'mutation { deletePost(id: "{post}") }'],
    ['POST', '/unpublish', undefined, 'mutation { unpublishPost(id: "{post}") { id } }'],
    ['GET', '/comments', undefined, undefined],
  ] as const
).map(([method, below, body, also]) => ({
  clause: '2.5.1',
  it: `${method} ${below} of a deleted post is 404`,
  as: 'admin',
  first: [remove('posts', '{post}')],
  send: `${method} /api/v2/posts/{post}${below}`,
  ...(body === undefined ? {} : { body }),
  ...(also === undefined ? {} : { also }),
  answer: { status: 404, code: 'NOT_FOUND' },
}))

clauses('2.5 Deletes', [
  ...afterDeletion,
  {
    clause: '2.5.1',
    it: 'update many with a deleted id is 404',
    as: 'admin',
    first: [remove('posts', '{post}')],
    send: 'PATCH /api/v2/posts',
    body: { ids: ['{other post}', '{post}'], title: 'T' },
    also: {
      query: 'mutation ($input: UpdatePostsInput!) { updatePosts(input: $input) { id } }',
      variables: { input: { ids: ['{other post}', '{post}'], set: { title: 'T' } } },
    },
    answer: { status: 404, code: 'NOT_FOUND', field: 'ids[1]' },
    then: [{ send: 'GET /api/v2/posts/{other post}', answer: { status: 200, data: { title: 'Published' } } }],
  },
  {
    clause: '2.5.1',
    it: 'the ETag of a deleted record is 404, never 304',
    first: [{ send: 'GET /api/v2/posts/{post}', keep: { tag: 'headers.etag' } }, remove('posts', '{post}')],
    send: 'GET /api/v2/posts/{post}',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '2.5.1',
    it: 'a deleted user cannot be followed',
    as: 'viewer',
    first: [remove('users', '{member}')],
    send: 'POST /api/v2/users/{member}/follow',
    also: actionTwin('follow', 'User', '{member}', 'id'),
    answer: { status: 404, code: 'USER_NOT_FOUND' },
  },
  {
    clause: '2.5.1',
    it: 'a deleted post cannot be commented',
    as: 'viewer',
    first: [remove('posts', '{post}')],
    send: 'POST /api/v2/comments',
    body: { post_id: '{post}', content: 'Late.' },
    also: createTwin('Comment', { post_id: '{post}', content: 'Late.' }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'post_id' },
  },
  {
    clause: '2.5.2',
    it: 'a deleted post leaves the list of its author, and the count',
    first: [
      { send: 'GET /api/v2/users/{writer}/posts', answer: { status: 200, data: [{}, {}], meta: { total: 2 } } },
      remove('posts', '{theirs}'),
    ],
    given: {
      theirs: { Post: { title: 'A', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
      stays: { Post: { title: 'B', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
    },
    send: 'GET /api/v2/posts?author_id={writer}',
    answer: { status: 200, data: [{ id: '{stays}' }], meta: { total: 1 } },
    then: [
      {
        also: '{ posts(filter: { authorId: "{writer}" }) { nodes { id } totalCount } }',
        answer: { status: 200, data: [{ id: '{stays}' }], body: { data: { posts: { totalCount: 1 } } } },
      },
      {
        also: '{ user(id: "{writer}") { posts { id } } }',
        answer: { status: 200, data: { posts: [{ id: '{stays}' }] } },
      },
    ],
  },
  {
    clause: '2.5.2',
    it: 'a cursor of a deleted record leads on, and not back to it',
    given: {
      b: { Post: { title: 'B', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
      a: { Post: { title: 'A', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
    },
    first: [
      {
        send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=1',
        answer: { status: 200, data: [{ id: '{a}' }] },
        keep: { cursor: 'body.meta.next_cursor' },
      },
      remove('posts', '{a}'),
    ],
    send: 'GET /api/v2/posts?author_id={writer}&sort=title&limit=1&cursor={cursor}',
    answer: { status: 200, data: [{ id: '{b}' }], meta: { has_next: false, next_cursor: null } },
  },
  {
    clause: '2.5.2',
    it: 'a deleted follower is no follower',
    first: [
      { as: '{member}', send: 'POST /api/v2/users/{writer}/follow' },
      { send: 'GET /api/v2/users/{writer}/followers', answer: { status: 200, data: [{ id: '{member}' }] } },
      remove('users', '{member}'),
    ],
    send: 'GET /api/v2/users/{writer}/followers',
    also: answering({ query: '{ user(id: "{writer}") { followers { id } } }' }, { data: { followers: [] } }),
    answer: { status: 200, data: [] },
  },
  {
    clause: '2.5.3',
    it: 'a post takes its comments with it',
    as: 'admin',
    first: [{ send: 'GET /api/v2/comments/{comment}' }],
    send: 'DELETE /api/v2/posts/{post}',
    also: actionTwin('delete', 'Post', '{post}'),
    answer: { status: 204 },
    then: [
      gone('comments', '{comment}'),
      {
        as: 'admin',
        send: 'GET /api/v2/comments?post_id={post}',
        answer: { status: 200, data: [], meta: { total: 0 } },
      },
    ],
  },
  {
    clause: '2.5.3',
    it: 'a user takes posts, their comments, own comments, articles and follows with them',
    as: 'admin',
    given: {
      theirs: { Post: { title: 'A', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
      'under theirs': { Comment: { post: '{theirs}', author: '{viewer}', content: 'C' } },
      elsewhere: { Comment: { post: '{post}', author: '{writer}', content: 'C' } },
      essay: { Article: { title: 'A', body: 'B', author: '{writer}', status: 'published' } },
    },
    first: [{ as: '{member}', send: 'POST /api/v2/users/{writer}/follow' }],
    send: 'DELETE /api/v2/users/{writer}',
    also: actionTwin('delete', 'User', '{writer}'),
    answer: { status: 204 },
    then: [
      gone('users', '{writer}', 'USER_NOT_FOUND'),
      gone('posts', '{theirs}'),
      gone('comments', '{under theirs}'),
      gone('comments', '{elsewhere}'),
      gone('articles', '{essay}'),
      { send: 'GET /api/v2/users/{member}/following', answer: { status: 200, data: [], meta: { total: 0 } } },
      { send: 'GET /api/v2/posts/{post}', answer: { status: 200 } },
      gone('users', '{writer}/posts', 'USER_NOT_FOUND'),
    ],
  },
  {
    clause: '2.5.4',
    it: "a deleted user's orders stay for ADMIN, without their user",
    as: 'admin',
    given: {
      theirs: {
        Order: {
          user: '{member}',
          items: [{ product: '{product}', quantity: 1, unitPrice: 500 }],
          total: 500,
          currency: 'EUR',
        },
      },
    },
    first: [remove('users', '{member}')],
    send: 'GET /api/v2/orders/{theirs}',
    also: answering({ query: '{ order(id: "{theirs}") { total user { id } } }' }, { data: { total: 500, user: null } }),
    answer: { status: 200, data: { user_id: null, total: 500 } },
  },
  {
    clause: '2.5.4',
    it: 'a deleted product stays in the orders that it was in',
    as: 'viewer',
    first: [{ as: 'viewer', send: 'GET /api/v2/orders/{pending order}' }, remove('products', '{product}')],
    send: 'GET /api/v2/orders/{pending order}',
    also: '{ order(id: "{pending order}") { items { productId } } }',
    answer: { status: 200, data: { items: [{ product_id: '{product}' }] } },
  },
  {
    clause: '2.5.5',
    it: 'the profile of a suspended user stays readable',
    send: 'GET /api/v2/users/{suspended}',
    also: '{ user(id: "{suspended}") { name status } }',
    answer: { status: 200, data: { name: 'Suspended', status: 'SUSPENDED' } },
  },
  {
    clause: '2.5.5',
    it: 'so do the posts of a suspended user',
    given: { theirs: { Post: { title: 'A', content: 'C', author: '{suspended}', publishedAt: new Date(0) } } },
    send: 'GET /api/v2/users/{suspended}/posts',
    also: answering(
      { query: '{ user(id: "{suspended}") { posts { id } } }' },
      { data: { posts: [{ id: '{theirs}' }] } },
    ),
    answer: { status: 200, data: [{ id: '{theirs}' }] },
  },
  {
    clause: '2.2.8',
    it: 'an email that a living user has is taken',
    given: { ada: { User: { name: 'Ada', email: 'ada.{unique}@example.com' } } },
    first: [{ as: 'admin', send: 'GET /api/v2/users/{ada}', keep: { email: 'body.data.email' } }],
    send: 'POST /api/v2/users',
    body: { name: 'New', email: '{email}', password: 'long enough' },
    also: createTwin('User', { name: 'New', email: '{email}', password: 'long enough' }),
    answer: { status: 409, code: 'CONFLICT', field: 'email' },
  },
  {
    clause: '2.2.8',
    it: 'capitals make no other email',
    send: 'POST /api/v2/users',
    body: { name: 'New', email: 'EDITOR@Example.com', password: 'long enough' },
    also: createTwin('User', { name: 'New', email: 'EDITOR@Example.com', password: 'long enough' }),
    answer: { status: 409, code: 'CONFLICT', field: 'email' },
  },
  {
    clause: '2.2.8',
    it: 'an email that a deleted user had is free again',
    given: { ada: { User: { name: 'Ada' } } },
    first: [
      { as: 'admin', send: 'GET /api/v2/users/{ada}', keep: { email: 'body.data.email' } },
      remove('users', '{ada}'),
    ],
    send: 'POST /api/v2/users',
    body: { name: 'New', email: '{email}', password: 'long enough' },
    also: createTwin('User', { name: 'New', email: '{email}', password: 'long enough' }, 'email'),
    answer: { status: 201, data: { email: '{email}' } },
  },
])
