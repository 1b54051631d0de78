// An argument that names a record is called as a field that does: `next_id` and `nextId`, wherever clients meet it. (contract 2.1.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor, anyone, argument, one, optional, resource, service, signedIn, text } from 'duet-api'
import { createClient } from 'duet-api/client'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Parcel = resource('Parcel', {
  prefix: 'prc',
  fields: {
    label: text({ max: 20 }),
    holder: one('User', { cascade: 'regardless', default: actor }),
    next: argument(one('User')),
    witness: argument(optional(one('User'))),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['label'] },
    hand: {
      allow: signedIn,
      accept: ['next', 'witness'],
      check: ({ input }) => input.witness !== input.next || 'Nobody witnesses what they are given.',
      set: { holder: ({ input }) => input.next },
    },
  },
})
const definition = service({
  resources: { User, Parcel },
  accounts,
  roles: { ANY: {} },
})

withService(
  'an argument that names a record',
  (running) => {
    const people = () =>
      running().fixtures({
        ann: { User: {} },
        ben: { User: {} },
        parcel: { Parcel: { label: 'Books', holder: '{ann}' } },
      })
    const hand = 'mutation ($input: HandParcelInput!) { handParcel(id: "{parcel}", input: $input) { holder { id } } }'

    test('is sent by REST as an id', async () => {
      const fixtures = people()
      const send = (body: object) =>
        running().send('POST /api/v1/parcels/{parcel}/hand', { as: '{ann}', fixtures, body })
      const done = await send({ next_id: await fixtures.idOf('ben') })
      assert.deepEqual([done.status, done.body.data.holder_id], [200, await fixtures.idOf('ben')], done.text)
      const { details } = (await send({ next: await fixtures.idOf('ben') })).body.error
      assert.deepEqual(details, [
        { field: 'next', message: 'There is no such field.' },
        { field: 'next_id', message: 'Is required.' },
      ])
      const missing = await send({ next_id: 'usr_01KAG5T6XE5W9Q2Z8RM4C7BNHD' })
      assert.deepEqual([missing.status, missing.body.error.details[0].field], [422, 'next_id'])
    })

    test('is sent by GraphQL as an id', async () => {
      const fixtures = people()
      const send = async (input: object) =>
        (await running().graphql(hand, { as: '{ann}', fixtures, variables: { input } })).body
      const ben = await fixtures.idOf('ben')
      assert.deepEqual((await send({ nextId: ben })).data, { handParcel: { holder: { id: ben } } })
      const { extensions } = (await send({ nextId: ben.replace(/.{4}$/, 'ZZZZ') })).errors[0]
      assert.deepEqual([extensions.code, extensions.details[0].field], ['BUSINESS_RULE_VIOLATION', 'nextId'])
    })

    test('has that name in the OpenAPI document', async () => {
      const { body } = await running().client.send('GET /api/v1/openapi.json')
      const { properties, required } = body.components.schemas.HandParcel
      assert.deepEqual([Object.keys(properties), required], [['next_id', 'witness_id'], ['next_id']])
    })

    test('has that name in the client', async () => {
      const fixtures = people()
      const [ann, ben, parcel] = await Promise.all(['ann', 'ben', 'parcel'].map((name) => fixtures.idOf(name)))
      const token = await running().token(ann!)
      const client = createClient<typeof definition>(running().url, { accessToken: () => token })
      const { holderId } = await client.parcels.hand(parcel!, { nextId: ben! })
      assert.equal(holderId, ben)
      // @ts-expect-error it is not called as the definition calls it
      await assert.rejects(client.parcels.hand(parcel!, { next: ben! }), { code: 'VALIDATION_ERROR' })
    })
  },
  { definition },
)
