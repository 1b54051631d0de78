// A hidden record takes the statements that a missing one takes, so that the time of an answer tells no more than its bytes do.
// (contract 10.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { overhearAll, withQuietService } from '../support/check/statement-counter.ts'
import { actionTwin, updateTwin } from '../support/rows/graphql-question.ts'

const questions: readonly (readonly [fixture: string, line: string, body?: object])[] = [
  ['other order', 'GET /api/v2/orders/{id}'],
  ['draft', 'GET /api/v2/posts/{id}/comments'],
  ['hidden comment', 'HEAD /api/v2/comments/{id}'],
  ['other order', 'POST /api/v2/orders/{id}/pay'],
  ['hidden comment', 'PATCH /api/v2/comments/{id}', { content: 'C' }],
  ['hidden comment', 'PUT /api/v2/comments/{id}', { content: 'C' }],
  ['hidden comment', 'DELETE /api/v2/comments/{id}'],
  ['hidden comment', 'PATCH /api/v2/comments', { ids: ['{id}'], content: 'C' }],
  ['other order', 'POST /graphql', { query: '{ order(id: "{id}") { total user { id } } }' }],
  ['draft', 'POST /graphql', { query: '{ post(id: "{id}") { comments { id } } }' }],
  ['other order', 'POST /graphql', actionTwin('pay', 'Order', '{id}', 'id')],
  ['hidden comment', 'POST /graphql', updateTwin('Comment', '{id}', { content: 'C' })],
  ['hidden comment', 'POST /graphql', actionTwin('delete', 'Comment', '{id}')],
]

withQuietService('10.4 Hidden records, and what they cost', (service) => {
  for (const [fixture, line, body] of questions) {
    const what = line.endsWith('graphql') ? JSON.stringify(body).slice(0, 40) : line
    test(`10.4.1 a hidden ${fixture} is answered as a missing one, after the same statements: ${what}`, async () => {
      const hidden = await service().fixtures().idOf(fixture)
      const missing = `${hidden.slice(0, -4)}0000`
      await service().token(await service().fixtures().idOf('viewer'))
      const ask = async (id: string) => {
        const fixtures = service().fixtures()
        fixtures.keep('id', id)
        let answer: unknown
        const statements = await overhearAll(service(), async () => {
          const { status, text, headers } = await service().send(line, { as: 'viewer', fixtures, body })
          const { date, 'x-request-id': _, ...others } = headers
          answer = [status, text, others]
        })
        return { answer, statements: statements.map(({ statement }) => statement.sql) }
      }
      const [first, second] = [await ask(missing), await ask(hidden)]
      assert.ok(first.statements.length > 0)
      assert.deepEqual(second, first)
    })
  }

  for (const [fixture, line, body, refused] of [
    ['hidden comment', 'PATCH /api/v2/comments/{id}', { content: 'C' }, 404],
    ['hidden comment', 'DELETE /api/v2/comments/{id}', undefined, 404],
    ['other comment', 'PATCH /api/v2/comments/{id}', { content: 'C' }, 403],
  ] as const)
    test(`10.4.1 a write of a ${fixture} is refused while another one changes it: ${line}`, async (t) => {
      if (service().engine === 'sqlite') return t.skip()
      const fixtures = service().fixtures()
      const id = await fixtures.idOf(fixture)
      fixtures.keep('id', id)
      const other = new pg.Client({ connectionString: service().databaseUrl })
      await other.connect()
      t.after(() => other.end())
      await other.query('begin')
      await other.query('select from comments where id = $1 for update', [id])
      const { status } = await service().send(line, { as: 'viewer', fixtures, body })
      assert.equal(status, refused)
    })
})
