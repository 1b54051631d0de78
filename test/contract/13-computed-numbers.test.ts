// Computed fields that are made from kept numbers. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bills } from '../support/domain/bills.ts'
import { withService } from '../support/server/service.ts'

withService(
  '13.2 Computed from kept numbers',
  (service) => {
    const send = async (line: string, body?: object, headers: Record<string, string> = {}) => {
      const answer = await service().send(line, { as: 'viewer', headers, ...(body === undefined ? {} : { body }) })
      return { ...answer, data: answer.body?.data }
    }
    const make = async () => {
      const lines = [{ amount: '10.00' }, { amount: '2.50', pieces: 3 }]
      const { status, text, data } = await send('POST /api/v1/bills', { title: 'A', lines })
      assert.equal(status, 201, text)
      return data
    }
    const pay = (bill: string, amount: string) => send('POST /api/v1/bill-payments', { bill_id: bill, amount })

    test('13.2.11 they are right in the answer to the write, and after every other', async () => {
      const made = await make()
      assert.deepEqual(
        [made.total, made.paid, made.due, made.state],
        ['12.50', '0.00', '12.50', 'A: 2 lines, 4 pieces'],
      )
      await pay(made.id, '7.25')
      assert.deepEqual((await send(`GET /api/v1/bills/${made.id}?fields=due`)).data, { due: '5.25' })
      const { body } = await service().graphql(`{ bill(id: "${made.id}") { due state } bills { nodes { id due } } }`, {
        as: 'viewer',
      })
      assert.deepEqual(body.data.bill, { due: '5.25', state: 'A: 2 lines, 4 pieces' })
      assert.deepEqual(
        body.data.bills.nodes.find(({ id }: { id: string }) => id === made.id),
        { id: made.id, due: '5.25' },
      )
    })

    test('13.2.11 a change of the number is noticed by If-None-Match', async () => {
      const { id } = await make()
      const line = `GET /api/v1/bills/${id}?fields=due`
      const etag = (await send(line)).headers['etag'] as string
      assert.equal((await send(line, undefined, { 'If-None-Match': etag })).status, 304)
      await pay(id, '1.00')
      const changed = await send(line, undefined, { 'If-None-Match': etag })
      assert.deepEqual([changed.status, changed.data], [200, { due: '11.50' }])
    })

    test('13.2.12 code has sums as exact numbers', async () => {
      const { id } = await make()
      const refused = await send(`POST /api/v1/bills/${id}/close`)
      assert.deepEqual([refused.status, refused.body.error.message], [422, 'It is not paid.'])
      await pay(id, '12.50')
      const closed = await send(`POST /api/v1/bills/${id}/close`)
      assert.deepEqual([closed.status, closed.data.title, closed.data.due], [200, 'A, 12.50 paid', '0.00'])
    })
  },
  { definition: bills },
)
