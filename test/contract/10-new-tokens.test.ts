// The token of a new record: in the answer that makes it, in every way of making one, and in no later answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor, anyOf, hasToken, manyToMany, one, own, resource, service, signedIn, text, token } from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const User = resource('User', { prefix: 'usr', fields: accountFields, actions: { read: { allow: signedIn } } })
/** Its links make its ETag a hash of the body. */
const Poll = resource('Poll', {
  prefix: 'pol',
  fields: {
    slug: text({ max: 60 }),
    code: token({ prefix: 'poll' }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    topics: manyToMany('Topic', 'polls'),
  },
  keys: [['slug']],
  actions: {
    read: { allow: anyOf(own('owner'), hasToken('code')) },
    create: { allow: signedIn, accept: ['slug', 'topics'] },
    update: { allow: own('owner'), accept: ['slug', 'topics'] },
  },
})
const Topic = resource('Topic', {
  prefix: 'top',
  fields: { name: text({ max: 60 }), polls: manyToMany('Poll', 'topics') },
  actions: { read: { allow: signedIn } },
})
const polls = service({ resources: { User, Poll, Topic }, accounts, roles: { ANY: {} } })

withService(
  '10.1 tokens of new records',
  (running) => {
    const isCode = (code: unknown) => typeof code === 'string' && /^poll/.test(code)

    test('10.1.19 REST answers it when the record is made, and never again', async () => {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const send = async (line: string, body?: unknown) =>
        await running().send(line, { fixtures, as: '{ann}', ...(body === undefined ? {} : { body }) })
      const created = await send('POST /api/v1/polls', { slug: 'one' })
      assert.ok(isCode(created.body.data.code))
      const batch = await send('POST /api/v1/polls/batch', { polls: [{ slug: 'two' }, { slug: 'three' }] })
      const codes = batch.body.data.map(({ code }: { code: unknown }) => code)
      assert.ok(codes.every(isCode) && codes[0] !== codes[1], JSON.stringify(batch.body))
      const named = await send('PUT /api/v1/polls/by/slug/four', {})
      assert.ok(isCode(named.body.data.code))
      for (const { headers, body } of [created, named]) {
        const line = `/api/v1/polls/${body.data.id}`
        const { code: _, ...later } = body.data
        const read = await send(`GET ${line}`)
        assert.deepEqual([read.body.data, read.headers['etag']], [later, headers['etag']])
        assert.ok(!('code' in (await send(`PATCH ${line}`, { topic_ids: [] })).body.data))
      }
      assert.ok(!('code' in (await send('PUT /api/v1/polls/by/slug/four', {})).body.data))
    })

    test('10.1.19, 11.2.19 GraphQL answers it when the record is made, and null ever after', async () => {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const run = async (fields: string) => {
        const { body } = await running().graphql(fields, { fixtures, as: '{ann}' })
        assert.equal(body.errors, undefined, JSON.stringify(body.errors))
        return body.data
      }
      const upsert = 'upsertPoll(by: { slug: "eight" }, input: {}) { id code }'
      const made = await run(`mutation { createPoll(input: { slug: "five" }) { id shown: code code }
        createPolls(input: { polls: [{ slug: "six" }, { slug: "seven" }] }) { id code } ${upsert} }`)
      const all = [made['createPoll'], ...made['createPolls'], made['upsertPoll']]
      assert.ok(all.every(({ code }) => isCode(code)) && new Set(all.map(({ code }) => code)).size === 4)
      assert.equal(made['createPoll'].shown, made['createPoll'].code)
      const { id } = made['createPoll']
      const later = await run(`mutation { updatePoll(id: "${id}", input: { slug: "nine" }) { code } ${upsert} }`)
      assert.deepEqual([later['updatePoll'].code, later['upsertPoll'].code], [null, null])
      assert.deepEqual(await run(`{ poll(id: "${id}") { code } }`), { poll: { code: null } })
    })
  },
  { definition: polls },
)
