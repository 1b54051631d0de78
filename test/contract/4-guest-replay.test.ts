// What a guest makes, asked for again with the same idempotency key: they may not be able to read it, and its code was shown once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf, anyone, hasToken, may, optional, resource, self, service, text, token } from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: accountFields,
  actions: { read: { allow: self }, create: { allow: anyone, accept: ['email', 'password'] } },
})
const Booking = resource('Booking', {
  prefix: 'bkg',
  fields: { guest: text({ max: 60 }), note: optional(text({ max: 60 })), code: token({ prefix: 'book' }) },
  actions: {
    read: { allow: anyOf(hasToken('code'), may('read')) },
    create: { allow: anyone, accept: ['guest'] },
    update: { allow: hasToken('code'), accept: ['guest', 'note'] },
    delete: { allow: hasToken('code') },
  },
})
const Message = resource('Message', {
  prefix: 'msg',
  fields: { text: text({ max: 60 }) },
  actions: { read: { allow: may('read') }, create: { allow: anyone, accept: ['text'] } },
})
const definition = service({
  resources: { User, Booking, Message },
  accounts,
  roles: { ANY: { bookings: ['read'], messages: ['read'] } },
})

withService(
  '4.7 Idempotency, by guests',
  (running) => {
    async function sender(line: string, body: object) {
      const key = await running().fixtures().fill('{unique}-key')
      const send = (other: object = body) => running().send(line, { headers: { 'Idempotency-Key': key }, body: other })
      return { send, first: await send() }
    }
    const withCode = (code: string) => ({ headers: { 'X-Access-Code': code } })

    for (const [what, line, body] of [
      ['a record with a code', 'POST /api/v1/bookings', { guest: 'Ann' }],
      ['several', 'POST /api/v1/bookings/batch', { bookings: [{ guest: 'Ann' }, { guest: 'Ben' }] }],
      ['a record that only others may read', 'POST /api/v1/messages', { text: 'Hello' }],
      ['their account', 'POST /api/v1/users', { email: '{unique}@example.com', password: 'long enough' }],
    ] as const)
      test(`4.7.11 ${what}: a guest is answered what they were answered first, and nothing is made again`, async () => {
        const filled = await running().fixtures().fill(body)
        const { send, first } = await sender(line, filled)
        assert.equal(first.status, 201, first.text)
        const table = `${line.split('/')[3]}`
        const count = (await running().tables(table)).length
        for (const again of [await send(), await send()]) {
          assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'], again.text)
          assert.deepEqual(again.body.data, first.body.data)
          assert.equal(again.headers.etag, first.headers.etag)
        }
        assert.equal((await running().tables(table)).length, count)
      })

    test('4.7.11 the code that is answered again opens the record, and is kept encrypted until the key expires', async () => {
      const { send, first } = await sender('POST /api/v1/bookings', { guest: 'Secret Ann' })
      const { id, code } = first.body.data
      const line = `/api/v1/bookings/${id}`
      assert.equal((await running().send(`PATCH ${line}`, { ...withCode(code), body: { note: 'New' } })).status, 200)
      const again = await send()
      assert.deepEqual(again.body.data, first.body.data, 'what was answered first, not what came since')
      assert.equal((await running().send(`GET ${line}`, withCode(again.body.data.code))).body.data.note, 'New')
      const kept = JSON.stringify(await running().tables('duet_idempotency'))
      assert.ok(!kept.includes(code) && !kept.includes('Secret Ann'))
      running().assertLog()
      running().advance(24 * 3_600_000)
      assert.notEqual((await send()).body.data.id, id)
    })

    test('4.7.11 another body is refused, what was deleted since is answered as at first, and another key makes another', async () => {
      const { send, first } = await sender('POST /api/v1/bookings', { guest: 'Ann' })
      const { id, code } = first.body.data
      assert.equal((await send({ guest: 'Ben' })).body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      const { first: other } = await sender('POST /api/v1/bookings', { guest: 'Ann' })
      assert.notEqual(other.body.data.id, id)
      assert.equal((await running().send(`DELETE /api/v1/bookings/${id}`, withCode(code))).status, 204)
      const again = await send()
      assert.deepEqual([again.status, again.body.data], [200, first.body.data])
      assert.equal((await running().send(`GET /api/v1/bookings/${id}`, withCode(code))).status, 404)
    })

    test('4.7.11 of twenty at once, one makes it, and all that are answered have its code', async () => {
      const key = await running().fixtures().fill('{unique}-key')
      const send = () =>
        running().send('POST /api/v1/bookings', { headers: { 'Idempotency-Key': key }, body: { guest: 'Ann' } })
      const answers = await Promise.all(Array.from({ length: 20 }, send))
      const made = answers.filter(({ status }) => status === 201)
      assert.equal(made.length, 1)
      for (const { status, body } of [...answers, await send()])
        if (status !== 409) assert.deepEqual(body.data, made[0]!.body.data)
    })
  },
  { definition },
)
