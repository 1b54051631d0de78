// What holds of every record: its id, its names and its times.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { actionTwin } from '../support/rows/graphql-question.ts'

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const base32 = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** A record of each resource that anybody may read. */
const readable = [
  ['users', 'usr', 'User', '{member}'],
  ['posts', 'post', 'Post', '{post}'],
  ['comments', 'cmt', 'Comment', '{comment}'],
  ['articles', 'art', 'Article', '{published article}'],
  ['products', 'prod', 'Product', '{product}'],
] as const

const ids = readable.map(
  ([path, prefix, type, id]): Row => ({
    clause: '2.1.1',
    it: `${path} have ids that begin with ${prefix}_, and the times of every record`,
    send: `GET /api/v2/${path}/${id}`,
    also: `{ ${type.toLowerCase()}(id: "${id}") { id createdAt updatedAt } }`,
    answer: {
      status: 200,
      data: { id: new RegExp(`^${prefix}_${base32}$`), created_at: moment, updated_at: moment },
    },
  }),
)

clauses('2.1 Ids, names and times', [
  ...ids,
  {
    clause: '2.1.1',
    it: 'orders have ids that begin with ord_',
    as: 'viewer',
    send: 'GET /api/v2/orders/{pending order}',
    also: '{ order(id: "{pending order}") { id createdAt updatedAt } }',
    answer: { status: 200, data: { id: new RegExp(`^ord_${base32}$`), created_at: moment, updated_at: moment } },
  },
  {
    clause: '2.1.2',
    it: 'a post has exactly these fields',
    send: 'GET /api/v2/posts/{post}',
    answer: {
      status: 200,
      data: (data: object) =>
        Object.keys(data).sort().join() === 'author_id,content,created_at,id,published_at,tags,title,updated_at',
    },
  },
  {
    clause: '2.1.2',
    it: 'a user that everybody sees has exactly these fields',
    send: 'GET /api/v2/users/{member}',
    answer: {
      status: 200,
      data: (data: object) =>
        Object.keys(data).sort().join() === 'avatar_url,bio,created_at,id,name,role,status,updated_at',
    },
  },
  {
    clause: '2.1.2',
    it: 'a comment has exactly these fields',
    send: 'GET /api/v2/comments/{comment}',
    answer: {
      status: 200,
      data: (data: object) => Object.keys(data).sort().join() === 'author_id,content,created_at,id,post_id,updated_at',
    },
  },
  {
    clause: '2.1.2',
    it: 'an order has exactly these fields',
    as: 'viewer',
    send: 'GET /api/v2/orders/{pending order}',
    answer: {
      status: 200,
      data: (data: object) =>
        Object.keys(data).sort().join() === 'created_at,currency,id,items,status,total,updated_at,user_id',
    },
  },
  {
    clause: '2.1.3',
    it: 'REST says avatar_url where GraphQL says avatarUrl',
    given: { person: { User: { name: 'P', avatarUrl: 'https://example.com/p' } } },
    send: 'GET /api/v2/users/{person}',
    also: '{ user(id: "{person}") { avatarUrl } }',
    answer: { status: 200, data: { avatar_url: 'https://example.com/p' } },
  },
  {
    clause: '2.1.3',
    it: 'REST does not know camelCase',
    as: 'viewer',
    send: 'PATCH /api/v2/users/{viewer}',
    body: { avatarUrl: 'https://example.com/p' },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'avatarUrl' },
  },
  {
    clause: '2.1.3',
    it: 'GraphQL does not know snake_case',
    also: '{ user(id: "{member}") { avatar_url } }',
    answer: { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
  },
  {
    clause: '2.1.4',
    it: 'what is published now has the time of the service, in UTC with milliseconds',
    as: 'editor',
    send: 'POST /api/v2/posts/{draft}/publish',
    also: actionTwin('publish', 'Post', '{draft}', 'publishedAt updatedAt'),
    answer: { status: 200, data: { published_at: /^2026-11-20T09:3\d:\d\d\.\d{3}Z$/, updated_at: moment } },
  },
  {
    clause: '2.1.5',
    it: 'a change moves updated_at and leaves created_at',
    as: 'editor',
    first: [
      {
        as: 'editor',
        send: 'GET /api/v2/posts/{draft}',
        keep: { made: 'body.data.created_at', changed: 'body.data.updated_at' },
      },
    ],
    send: 'PATCH /api/v2/posts/{draft}',
    body: { title: 'Other' },
    answer: { status: 200, data: { created_at: '{made}' } },
    then: [
      {
        as: 'editor',
        send: 'GET /api/v2/posts/{draft}?fields=updated_at',
        answer: { status: 200, data: { updated_at: moment } },
      },
      {
        as: 'editor',
        send: 'GET /api/v2/posts/{draft}',
        answer: {
          status: 200,
          data: (post: { updated_at: string; created_at: string }) => post.updated_at > post.created_at,
        },
      },
    ],
  },
  ...['id', 'created_at', 'updated_at'].map(
    (field): Row => ({
      clause: '2.1.5',
      it: `no client writes ${field}`,
      as: 'admin',
      send: 'PATCH /api/v2/products/{product}',
      body: { [field]: '2026-01-01T00:00:00.000Z' },
      answer: { status: 400, code: 'VALIDATION_ERROR', field },
    }),
  ),
])
