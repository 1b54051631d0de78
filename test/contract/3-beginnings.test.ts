// The state in which a record begins, and moves that require one of several values. (contract 3.1)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, choice, event, oneOf, optional, resource, service, state, text, when } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Request = resource('Request', {
  prefix: 'req',
  fields: {
    title: text({ max: 40 }),
    isTrusted: boolean({ default: false }),
    payment: choice(['NONE', 'PENDING', 'FAILED', 'PAID'], { default: 'NONE' }),
    note: optional(text({ max: 40 })),
    status: state(['PENDING', 'ACCEPTED', 'CLOSED'], { begins: ['PENDING', 'ACCEPTED'] }),
  },
  where: ['status'],
  actions: {
    read: { allow: anyone },
    create: {
      allow: when({ status: 'PENDING' }),
      accept: ['title', 'isTrusted', 'payment'],
      async effect({ input, assign }) {
        if (input.title === 'closed') assign({ status: 'CLOSED' as 'ACCEPTED' })
        if (input.isTrusted) assign({ status: 'ACCEPTED' })
      },
      emit: event('requestCreated'),
    },
    rename: {
      allow: anyone,
      accept: ['title'],
      async effect({ assign }) {
        assign({ status: 'ACCEPTED' } as never)
      },
    },
    accept: { allow: anyone, from: 'PENDING', to: 'ACCEPTED' },
    close: { allow: anyone, from: 'ACCEPTED', to: 'CLOSED' },
    retry: { allow: anyone, from: { payment: oneOf('PENDING', 'FAILED') }, set: { payment: 'PAID' } },
  },
})
const definition = service({ resources: { User, Request }, accounts, roles: { ANY: {} } })

withService(
  '3.1 Where records begin',
  (running) => {
    const create = (body: object) => running().send('POST /api/v1/requests', { body })

    test('3.1.3 the effect of create chooses one of the states that it may begin in, on both faces', async () => {
      const first = await create({ title: 'A' })
      assert.equal(first.body.data.status, 'PENDING')
      const chosen = await create({ title: 'A', is_trusted: true })
      assert.equal(chosen.status, 201, chosen.text)
      assert.equal(chosen.body.data.status, 'ACCEPTED')
      const { id } = chosen.body.data
      assert.equal((await running().send(`POST /api/v1/requests/${id}/accept`)).status, 409)
      assert.equal((await running().send(`POST /api/v1/requests/${id}/close`)).status, 200)
      const document =
        'mutation { createRequest(input: { title: "A", isTrusted: true }) { status can { close accept } } }'
      const { body } = await running().graphql(document)
      assert.deepEqual(body.data.createRequest, { status: 'ACCEPTED', can: { close: true, accept: false } })
    })

    test('3.1.3 another state, and a state chosen elsewhere, is a bug of the code and changes nothing', async () => {
      assert.equal((await create({ title: 'closed' })).status, 500)
      assert.match(running().log().join(''), /assigns Request\.status in Request\.create\. Only moves change it/)
      const { body } = await create({ title: 'A' })
      const renamed = await running().send(`POST /api/v1/requests/${body.data.id}/rename`, { body: { title: 'B' } })
      assert.equal(renamed.status, 500)
      assert.match(running().log().join(''), /assigns Request\.status in Request\.rename/)
      running().forgetLog()
      const { body: stored } = await running().send(`GET /api/v1/requests/${body.data.id}`)
      assert.equal(stored.data.title, 'A')
    })

    for (const payment of ['NONE', 'PENDING', 'FAILED', 'PAID'])
      test(`3.1.4 a move that requires one of several values, from ${payment}`, async () => {
        const { body } = await create({ title: 'A', payment })
        const { id } = body.data
        const can = await running().send(`GET /api/v1/requests/${id}?fields=can`)
        const isPossible = ['PENDING', 'FAILED'].includes(payment)
        assert.equal(can.body.data.can.retry, isPossible)
        const answer = await running().send(`POST /api/v1/requests/${id}/retry`)
        assert.equal(answer.status, isPossible ? 200 : 409)
        if (!isPossible)
          assert.equal(answer.body.error.message, `To retry it, payment must be PENDING or FAILED; it is ${payment}.`)
      })
  },
  { definition },
)
