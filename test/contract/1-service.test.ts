// One service with two faces: what one of them writes or refuses, the other shows or refuses, too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clauses } from '../support/rows/clauses.ts'
import { actionTwin, createTwin, updateTwin } from '../support/rows/graphql-question.ts'
import { withService } from '../support/server/service.ts'

clauses('1 The service', [
  {
    clause: '1.1.1',
    it: 'a post that REST makes is there in GraphQL',
    as: 'editor',
    first: [
      { as: 'editor', send: 'POST /api/v2/posts', body: { title: 'T', content: 'C' }, keep: { made: 'body.data.id' } },
    ],
    also: '{ post(id: "{made}") { id title author { id } publishedAt } }',
    answer: { status: 200, data: { id: '{made}', title: 'T', author_id: '{editor}', published_at: null } },
  },
  {
    clause: '1.1.1',
    it: 'a post that GraphQL makes is there in REST, with the same version',
    as: 'editor',
    first: [
      {
        as: 'editor',
        send: 'POST /graphql',
        body: { query: 'mutation { createPost(input: { title: "T", content: "C" }) { id } }' },
        keep: { made: 'body.data.createPost.id' },
      },
    ],
    send: 'GET /api/v2/posts/{made}',
    answer: { status: 200, data: { title: 'T', author_id: '{editor}' }, headers: { ETag: /^"1\./ } },
  },
  {
    clause: '1.1.1',
    it: 'a move of one face is a move of the other',
    as: 'editor',
    first: [{ as: 'editor', send: 'POST /api/v2/posts/{draft}/publish' }],
    send: 'POST /api/v2/posts/{draft}/publish',
    also: actionTwin('publish', 'Post', '{draft}', 'id'),
    answer: { status: 409, code: 'CONFLICT' },
  },
  {
    clause: '1.1.2',
    it: 'fields are checked alike',
    as: 'editor',
    send: 'POST /api/v2/posts',
    body: { title: '', content: 'C', tags: ['a', 'a'.repeat(31)] },
    also: createTwin('Post', { title: '', content: 'C', tags: ['a', 'a'.repeat(31)] }),
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['title', 'tags[1]'] },
  },
  {
    clause: '1.1.2',
    it: 'permissions are checked alike',
    as: 'viewer',
    send: 'PATCH /api/v2/comments/{other comment}',
    body: { content: 'C' },
    also: updateTwin('Comment', '{other comment}', { content: 'C' }),
    answer: { status: 403, code: 'FORBIDDEN' },
  },
])

withService('1 The service, at work', (service) => {
  test('0.2.1 health needs no credential, while it serves', async () => {
    const health = await service().send('GET /health')
    assert.deepEqual([health.status, health.body], [200, { data: { status: 'ok' } }])
    assert.equal((await service().send('GET /health/ready')).status, 200)
    service().assertLog()
  })

  test('1.1.2 a hundred questions at once do not mix their answers', async () => {
    const fixtures = service().fixtures()
    const names = ['viewer', 'editor', 'admin', 'other viewer', 'other editor'] as const
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const as = names[index % names.length]!
        const answer =
          index % 2 === 0
            ? await service().send('GET /api/v2/users/me', { as })
            : await service().graphql('{ data: me { id } }', { as })
        return [await fixtures.idOf(as), answer.body.data.id ?? answer.body.data.data.id] as const
      }),
    )
    for (const [asked, answered] of answers) assert.equal(answered, asked)
    service().assertLog()
  })
})
