// What `can` tells of a record: the same through both faces, wherever a record stands.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf, nobody, one, optional, own, resource, service, signedIn, state, text, when } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { cost, withQuietService } from '../support/check/statement-counter.ts'
import { makeKey } from '../support/client/api-key.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import type { Caller, TestService } from '../support/server/service.ts'

type Can = Readonly<Record<string, boolean>>
/** Of these actions, the ones that are named. */
const only = (all: string, named = ''): Can =>
  Object.fromEntries(all.split(' ').map((action) => [action, named.split(' ').includes(action)]))
const ofUser = 'update delete suspend reactivate deactivate follow unfollow'
const ofPost = 'update delete publish unpublish'
const ofArticle = 'update delete submit reject publish archive'

/** What somebody may do with one record. */
const visibilities: readonly [as: Caller, type: string, plural: string, fixture: string, can: Can][] = [
  ['anonymous', 'user', 'users', '{member}', only(ofUser)],
  ['{member}', 'user', 'users', '{member}', only(ofUser, 'update deactivate follow unfollow')],
  ['admin', 'user', 'users', '{member}', only(ofUser, 'update delete suspend deactivate follow unfollow')],
  ['admin', 'user', 'users', '{suspended}', only(ofUser, 'update delete reactivate deactivate follow unfollow')],
  ['viewer', 'post', 'posts', '{post}', only(ofPost)],
  ['editor', 'post', 'posts', '{post}', only(ofPost, 'update delete unpublish')],
  ['other editor', 'post', 'posts', '{post}', only(ofPost, 'unpublish')],
  ['editor', 'post', 'posts', '{draft}', only(ofPost, 'update delete publish')],
  ['viewer', 'comment', 'comments', '{comment}', only('update delete', 'update delete')],
  ['editor', 'comment', 'comments', '{comment}', only('update delete')],
  ['editor', 'article', 'articles', '{draft article}', only(ofArticle, 'update delete submit')],
  ['other editor', 'article', 'articles', '{in_review article}', only(ofArticle, 'reject publish')],
  ['admin', 'article', 'articles', '{published article}', only(ofArticle, 'update delete archive')],
  ['viewer', 'order', 'orders', '{pending order}', only('pay cancel', 'pay cancel')],
  ['viewer', 'order', 'orders', '{paid order}', only('pay cancel', 'cancel')],
  ['viewer', 'order', 'orders', '{cancelled order}', only('pay cancel')],
]
const selected = (can: Can) => `can { ${Object.keys(can).join(' ')} }`

clauses('10.1 What may be done with a record', [
  ...visibilities.map(
    ([as, type, plural, fixture, can]): Row => ({
      clause: '10.1.9',
      it: `${as} can ${Object.keys(can).filter((each) => can[each])} ${fixture}`,
      as,
      send: `GET /api/v2/${plural}/${fixture}?fields=can`,
      also: `{ ${type}(id: "${fixture}") { ${selected(can)} } }`,
      answer: { status: 200, data: { can } },
    }),
  ),
  {
    clause: '10.1.8',
    it: 'is not answered unless it is named',
    send: 'GET /api/v2/posts/{post}',
    answer: { status: 200, data: { can: undefined } },
  },
  {
    clause: '10.1.8',
    it: 'stands in lists, with what is the same in all versions',
    as: 'editor',
    send: 'GET /api/v1/posts?author_id={writer}&fields=can,title',
    given: { mine: { Post: { title: 'M', content: 'C', author: '{writer}' } } },
    also: '{ postList(filter: { authorId: "{writer}" }) { title can { update delete publish unpublish } } }',
    answer: { status: 200, data: [{ title: 'M', can: only(ofPost, 'publish') }] },
  },
  {
    clause: '10.1.8',
    it: 'is answered for a record below another one',
    as: 'viewer',
    send: 'GET /api/v2/posts/{post}/comments?fields=can',
    first: [{ send: 'GET /api/v2/comments/{comment}' }],
    also: '{ post(id: "{post}") { comments { can { update delete } } } }',
    answer: { status: 200 },
    then: [
      {
        as: 'viewer',
        also: '{ comment(id: "{comment}") { post { can { update publish } comments { can { update delete } } } } }',
        answer: {
          status: 200,
          data: { post: { can: only('update publish'), comments: [{ can: only('update delete', 'update delete') }] } },
        },
      },
    ],
  },
  {
    clause: '10.1.8',
    it: 'is unknown where nothing can be done with a record',
    as: 'admin',
    send: 'GET /api/v2/security-events?fields=can',
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'fields' },
  },
  {
    clause: '10.1.8',
    it: 'is answered by connections, node, me and results, under any key',
    as: 'editor',
    also: `{
      me { can { update delete __typename } }
      node(id: "{draft}") { ... on Post { may: can { now: publish unpublish } } }
      userResult(id: "{member}") { ... on User { can { suspend } } }
      posts(filter: { authorId: "{writer}" }) { edges { node { can { publish } } } nodes { can { unpublish } } }
    }`,
    given: { mine: { Post: { title: 'M', content: 'C', author: '{writer}' } } },
    first: [{ as: 'editor', send: 'GET /api/v2/posts/{mine}' }],
    answer: {
      status: 200,
      body: {
        data: {
          me: { can: { update: true, delete: false, __typename: 'UserCan' } },
          node: { may: { now: true, unpublish: false } },
          userResult: { can: { suspend: false } },
          posts: { edges: [{ node: { can: { publish: true } } }], nodes: [{ can: { unpublish: false } }] },
        },
      },
    },
  },
  {
    clause: '10.1.8',
    it: 'reports in the answer to a write what can be done after it',
    as: 'editor',
    also: 'mutation { publishPost(id: "{draft}") { can { update publish unpublish } } }',
    answer: { status: 200, data: { can: { update: true, publish: false, unpublish: true } } },
  },
  {
    clause: '10.1.10',
    it: 'an answer that contains it is for this caller only, however public the records are',
    send: 'GET /api/v2/products/{product}?fields=id,can',
    answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache', ETag: /^"1\.[\w-]{43}"$/ } },
  },
  {
    clause: '10.1.10',
    it: 'so is a list',
    send: 'GET /api/v2/products?fields=can',
    answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache', ETag: /^"[\w-]{43}"$/ } },
  },
  {
    clause: '10.1.10',
    it: 'has another ETag for a caller who can do something else, without a write',
    as: 'admin',
    first: [{ send: 'GET /api/v2/products/{product}?fields=can', keep: { tag: 'headers.etag' } }],
    send: 'GET /api/v2/products/{product}?fields=can',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 200, data: { can: { update: true } } },
  },
  {
    clause: '10.1.10',
    it: 'is 304 for a caller who can do the same',
    as: 'admin',
    first: [{ as: 'admin', send: 'GET /api/v2/products/{product}?fields=can', keep: { tag: 'headers.etag' } }],
    send: 'GET /api/v2/products/{product}?fields=can',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 304 },
  },
  {
    clause: '10.1.10',
    it: 'has an ETag that If-Match takes as any other of its version',
    as: 'editor',
    first: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}?fields=can', keep: { tag: 'headers.etag' } }],
    send: 'PATCH /api/v2/posts/{draft}',
    body: { title: 'T' },
    headers: { 'If-Match': '{tag}' },
    answer: { status: 200 },
    then: [
      {
        as: 'editor',
        send: 'PATCH /api/v2/posts/{draft}',
        body: { title: 'U' },
        headers: { 'If-Match': '{tag}' },
        answer: { status: 409, code: 'CONFLICT' },
      },
    ],
  },
  {
    clause: '10.1.10',
    it: 'has the id in its ETag where the address means another record for every caller',
    as: '{member}',
    send: 'GET /api/v2/users/me?fields=can',
    answer: { status: 200, headers: { ETag: /^"1\.[\w-]{43}\.usr_\w{26}"$/ } },
  },
])

const answerOf = async (service: TestService, line: string, key: { readonly headers: object }) => {
  const { status, body, text } = await service.send(line, { headers: key.headers as Record<string, string> })
  assert.equal(status, 200, text)
  return body.data
}

withQuietService('10.1 What may be done with a record, by API keys and at what cost', (service) => {
  test('10.1.9 an API key can what its scopes and its owner can', async () => {
    const fixtures = service().fixtures()
    const draft = await fixtures.idOf('draft')
    const owner = { as: 'editor', fixtures } as const
    for (const [scopes, can] of [
      [['read:*'], only(ofPost)],
      [['read:posts', 'update:posts'], only(ofPost, 'update')],
      [['read:posts', 'publish:*', 'delete:comments'], only(ofPost, 'publish')],
      [['*'], only(ofPost, 'update delete publish')],
    ] as const) {
      const key = await makeKey(service(), owner, scopes)
      assert.deepEqual(await answerOf(service(), `GET /api/v2/posts/${draft}?fields=can`, key), { can })
      const query = `{ post(id: "${draft}") { ${selected(can)} } }`
      const { body } = await service().send('POST /graphql', { headers: key.headers, body: { query } })
      assert.deepEqual(body, { data: { post: { can } } })
    }
  })

  test('10.1.11 it costs no statement, whatever it selects', async () => {
    const fixtures = service().fixtures({
      'a comment': { Comment: { post: '{post}', author: '{viewer}', content: 'C' } },
    })
    await fixtures.idOf('a comment')
    const ask = (can: string) => () =>
      service().graphql(`{ post(id: "{post}") { id ${can} author { id ${can} } comments { id } } }`, {
        as: 'viewer',
        fixtures,
      })
    const can = 'can { update delete }'
    await ask('')()
    await ask(can)()
    const [without, withCan] = [await cost(service(), ask('')), await cost(service(), ask(can))]
    assert.equal(withCan.statements, without.statements)
  })

  test('10.1.11 each action counts five points', async () => {
    const actions = ofPost.split(' ')
    const many = Array.from({ length: 49 }, (_, at) => `a${at}: can { ${actions.join(' ')} }`).join(' ')
    // One for the post, and for each `can` one and four times five.
    const points = 1 + 49 * 21
    const { body } = await service().graphql(`{ post(id: "post_1") { ${many} } }`)
    assert.equal(body.errors[0].message, `Query complexity ${points} exceeds the maximum of 1000.`)
  })

  test('10.1.8 a subscriber gets what it can do itself', async () => {
    const sockets = []
    for (const name of ['editor', 'other editor', 'viewer']) {
      const socket = await TestSocket.ready(service().url, await service().token(await service().fixtures().idOf(name)))
      socket.subscribe('1', 'subscription { postPublished { can { update unpublish } } }')
      await socket.settled()
      sockets.push(socket)
    }
    await service().send('POST /api/v2/posts', { as: 'editor', body: { title: 'T', content: 'C', publish: true } })
    const messages = []
    for (const socket of sockets) {
      const { payload } = await socket.next()
      messages.push((payload as { data: { postPublished: { can: Can } } }).data.postPublished.can)
      await socket.close()
    }
    assert.deepEqual(messages, [
      { update: true, unpublish: true },
      { update: false, unpublish: true },
      { update: false, unpublish: false },
    ])
  })
})

const Ticket = resource('Ticket', {
  prefix: 'tic',
  fields: { title: text({ max: 50 }), owner: optional(one('User')), status: state('open', 'taken', 'done') },
  actions: {
    read: { allow: anyOf(when({ status: 'open' }), own('owner')) },
    create: { allow: signedIn, accept: ['title'] },
    update: { allow: own('owner'), accept: ['title'], check: () => 'Never.' },
    take: { allow: signedIn, from: 'open', to: 'taken', set: { owner: ({ actor }) => actor.id } },
    putBack: { allow: own('owner'), from: 'taken', to: 'done', set: { owner: null } },
    close: { allow: nobody, from: 'taken', to: 'done' },
  },
})
const desk = service({
  resources: { User, Post, Comment, Ticket },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})
const all = 'can { update take putBack }'

clauses(
  '10.1 What may be done with a ticket',
  [
    {
      clause: '10.1.8',
      it: 'has the names of its face, and nothing that no caller may do',
      as: 'viewer',
      given: { mine: { Ticket: { title: 'T', owner: '{viewer}', status: 'taken' } } },
      send: 'GET /api/v2/tickets/{mine}?fields=can',
      also: {
        query: `{ ticket(id: "{mine}") { ${all} } }`,
        answer: { body: { data: { ticket: { can: { update: true, take: false, putBack: true } } } } },
      },
      answer: { status: 200, data: { can: { update: true, take: false, put_back: true, close: undefined } } },
    },
    {
      clause: '10.1.9',
      it: 'answers what the writer may no longer read as not actionable',
      as: 'viewer',
      given: { mine: { Ticket: { title: 'T', owner: '{viewer}', status: 'taken' } } },
      also: `mutation { putBackTicket(id: "{mine}") { ${all} } }`,
      answer: { status: 200, data: { can: { update: false, take: false, put_back: false } } },
    },
    {
      clause: '10.1.9',
      it: 'whatever business rules there are: they are checked when it is done',
      as: 'viewer',
      given: { mine: { Ticket: { title: 'T', owner: '{viewer}', status: 'taken' } } },
      send: 'PATCH /api/v2/tickets/{mine}',
      body: { title: 'U' },
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'Never.' },
    },
  ],
  { definition: desk },
)
