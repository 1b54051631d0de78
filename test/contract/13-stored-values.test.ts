// Computed fields that are stored: right after every write, whatever it is, and used by lists like any field. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { until } from '../support/check/until.ts'
import { dues } from '../support/domain/dues.ts'
import { wrongStoredValues } from '../support/oracle/stored-values.ts'
import { type Caller, withService } from '../support/server/service.ts'

withService(
  '13.2 Stored values',
  (service) => {
    const ask = (line: string, body?: object, as: Caller = 'viewer') =>
      service().send(line, { as, ...(body === undefined ? {} : { body }) })
    const send = async (line: string, body?: object, as?: Caller) => {
      const { status, text, ...answer } = await ask(line, body, as)
      assert.ok(status < 300, `${line}: ${status} ${text}`)
      return answer.body?.data
    }
    const graphql = async (text: string, as: Caller = 'viewer') => {
      const { body } = await service().graphql(text, { as })
      assert.equal(body.errors, undefined, JSON.stringify(body.errors))
      return body.data
    }
    const wrong = () => service().store.read(wrongStoredValues(service().model, dialectOf(service().engine)))
    const make = (body: object = {}) => send('POST /api/v1/bills', { title: 'A', ...body })
    const lines = (...amounts: readonly string[]) => amounts.map((amount) => ({ amount }))
    const valuesOf = async ({ id }: { id: string }) => {
      const { due, label, is_urgent, shout } = await send(`GET /api/v1/bills/${id}`)
      return [due, label, is_urgent, shout]
    }

    test('13.2.13 the answer to a write has them, and so has every later one', async () => {
      const payer = await send('POST /api/v1/payers', { name: 'P' })
      const made = await make({ lines: lines('10.00', '2.50'), discount: '0.50', note: 'hey', payer_id: payer.id })
      const values = ['12.00', `A no. ${made.number}`, false, 'HEY']
      assert.deepEqual([made.due, made.label, made.is_urgent, made.shout], values)
      assert.deepEqual(await valuesOf(made), values)
      const { bill } = await graphql(`{ bill(id: "${made.id}") { due label isUrgent shout } }`)
      assert.deepEqual(Object.values(bill), values)
      assert.deepEqual(await wrong(), [])
    })

    const writes: Readonly<Record<string, (bill: { id: string; payer_id: string }) => Promise<unknown>>> = {
      'an update of one source': ({ id }) => send(`PATCH /api/v1/bills/${id}`, { discount: '3.00' }),
      'an update of the only source': ({ id }) => send(`PATCH /api/v1/bills/${id}`, { note: 'loud' }),
      'a mutation': ({ id }) =>
        graphql(`mutation { updateBill(id: "${id}", input: { title: "B", secret: "9.00" }) { due label } }`),
      'an update of many': async ({ id }) => {
        const other = await make()
        await send('PATCH /api/v1/bills', { ids: [id, other.id], title: 'Many', note: 'many', discount: '1.00' })
      },
      'a create of many': () =>
        send('POST /api/v1/bills/batch', {
          bills: [
            { title: 'One', discount: '1.00', note: 'x' },
            { title: 'Two', lines: lines('1.00') },
          ],
        }),
      'an upsert that creates': () => send('PUT /api/v1/bills/by/external_id/new', { title: 'New', discount: '4.00' }),
      'an upsert that replaces': async ({ id }) => {
        await send(`PATCH /api/v1/bills/${id}`, { external_id: 'old', note: 'gone' })
        await send('PUT /api/v1/bills/by/external_id/old', { title: 'Replaced', discount: '5.00' })
      },
      'an import': async ({ id }) => {
        await send(`PATCH /api/v1/bills/${id}`, { external_id: 'known' })
        const bills = ['known', 'unknown'].map((external_id) => ({ external_id, title: 'Imported', discount: '0.10' }))
        await send('POST /api/v1/bills/batch?by=external_id', { bills })
      },
      'a counted record that comes': ({ id: bill_id }) => send('POST /api/v1/lines', { bill_id, amount: '7.00' }),
      'counted records that move': async ({ id }) => {
        const [other, line] = [await make(), await send('POST /api/v1/lines', { bill_id: id, amount: '7.00' })]
        await send(`PATCH /api/v1/lines/${line.id}`, { bill_id: other.id, amount: '8.00' })
      },
      'a counted record that goes': async ({ id: bill_id }) => {
        const payment = await send('POST /api/v1/payments', { bill_id, amount: '7.00' })
        assert.deepEqual(await wrong(), [])
        await send(`DELETE /api/v1/payments/${payment.id}`)
      },
      'children that are replaced': ({ id }) =>
        send(`PATCH /api/v1/bills/${id}`, { lines: lines('0.01'), discount: '0.02' }),
      'a move': ({ id }) => send(`POST /api/v1/bills/${id}/close`),
      'a move of the clock': async ({ id }) => {
        await send(`PATCH /api/v1/bills/${id}`, { due_at: service().now().toISOString() })
        service().advance(60_000)
        service().forgetTokens()
        await until(async () => (await send(`GET /api/v1/bills/${id}`)).status === 'LATE')
      },
      'a link, and one that goes': async ({ id }) => {
        for (const as of ['viewer', 'editor', 'admin'] as const) await send(`POST /api/v1/bills/${id}/watch`, {}, as)
        assert.deepEqual([await wrong(), (await valuesOf({ id }))[2]], [[], true])
        for (const as of ['viewer', 'editor'] as const) await send(`POST /api/v1/bills/${id}/unwatch`, {}, as)
      },
      'a reference that is cleared': async ({ id, payer_id }) => {
        assert.equal((await valuesOf({ id }))[2], false)
        await send(`DELETE /api/v1/payers/${payer_id}`)
        assert.equal((await valuesOf({ id }))[2], true)
      },
      'a delete': ({ id }) => send(`DELETE /api/v1/bills/${id}`),
      'an effect': async ({ id }) => {
        await send(`POST /api/v1/bills/${id}/rework`)
        const { number } = await send(`GET /api/v1/bills/${id}`)
        assert.deepEqual(await valuesOf({ id }), ['15.00', `Reworked no. ${number}`, false, 'LOUD'])
      },
    }
    for (const [name, write] of Object.entries(writes))
      test(`13.2.13 they are right after ${name}`, async () => {
        const payer = await send('POST /api/v1/payers', { name: 'P' })
        await write(await make({ payer_id: payer.id, note: 'first' }))
        assert.deepEqual(await wrong(), [])
      })

    test('13.2.14 lists are filtered, sorted, paged, searched and summed by them, through both faces', async () => {
      const payer = await send('POST /api/v1/payers', { name: 'Of the list' })
      const of = `payer_id=${payer.id}`
      for (const [at, amount] of ['30.00', '10.00', '20.00'].entries())
        await make({ title: `Listed ${at}`, payer_id: payer.id, lines: lines(amount), note: at === 1 ? '-' : 'both' })
      const dueOf = (records: readonly { due: string }[]) => records.map(({ due }) => due)
      assert.deepEqual(dueOf(await send(`GET /api/v1/bills?${of}&sort=-due`)), ['30.00', '20.00', '10.00'])
      const first = await ask(`GET /api/v1/bills?${of}&sort=due&limit=2`)
      assert.deepEqual(dueOf(first.body.data), ['10.00', '20.00'])
      const next = await send(`GET /api/v1/bills?${of}&sort=due&limit=2&cursor=${first.body.meta.next_cursor}`)
      assert.deepEqual(dueOf(next), ['30.00'])
      assert.deepEqual(dueOf(await send(`GET /api/v1/bills?${of}&min_due=20.00&sort=due`)), ['20.00', '30.00'])
      const where = (text: string) => send(`GET /api/v1/bills?${of}&sort=due&where=${encodeURIComponent(text)}`)
      assert.deepEqual(dueOf(await where('due < 30.00 AND shout = null')), ['10.00'])
      assert.deepEqual(dueOf(await where('shout = "BOTH"')), ['20.00', '30.00'])
      assert.deepEqual(dueOf(await send(`GET /api/v1/bills?${of}&q=${encodeURIComponent('listed 1 no')}`)), ['10.00'])
      const groups = await send(`GET /api/v1/bills/summary?${of}&group_by=shout&sort=shout`)
      assert.deepEqual(
        groups.map(({ shout, count, sum }: { shout: string; count: number; sum: { due: string } }) => [
          shout,
          count,
          sum.due,
        ]),
        [
          ['BOTH', 2, '50.00'],
          [null, 1, '10.00'],
        ],
      )
      const filter = `payerId: "${payer.id}"`
      const { bills } = await graphql(
        `{ bills(filter: { ${filter} }, where: { due: { gte: "20.00" }, shout: { contains: "OT" }, isUrgent: { eq: false } }, sort: [DUE_DESC]) { nodes { due } } }`,
      )
      assert.deepEqual(dueOf(bills.nodes), ['30.00', '20.00'])
      const urgent = await send('GET /api/v1/bills/urgent')
      assert.ok(urgent.length > 0 && urgent.every((each: { is_urgent: boolean }) => each.is_urgent))
    })

    test('13.2.14 one that the caller may not read neither matches nor orders', async () => {
      const payer = await send('POST /api/v1/payers', { name: 'Of the secrets' })
      const of = `payer_id=${payer.id}`
      const answers = async (secrets: readonly string[], as: Caller) => {
        const texts: string[] = []
        for (const secret of secrets) await make({ title: 'Hidden', payer_id: payer.id, secret, lines: lines('5.00') })
        for (const each of ['sort=margin', 'where=margin%20%3E%201.00', 'where=NOT%20margin%20%3E%201.00']) {
          const records = await send(`GET /api/v1/bills?${of}&limit=3&${each}`, undefined, as)
          texts.push(records.map(({ margin }: { margin?: string }) => margin ?? 'hidden').join())
        }
        const groups = await send(`GET /api/v1/bills/summary?${of}`, undefined, as)
        return [...texts, groups[0].sum.margin]
      }
      assert.deepEqual(await answers(['1.00', '4.50', '3.00'], 'viewer'), [
        'hidden,hidden,hidden',
        '',
        'hidden,hidden,hidden',
        null,
      ])
      assert.deepEqual(await answers([], 'admin'), ['0.50,2.00,4.00', '2.00,4.00', '0.50', '6.50'])
      const orders = async (as: Caller) =>
        (await send(`GET /api/v1/bills?${of}&sort=margin&fields=id`, undefined, as)).map(({ id }: { id: string }) => id)
      const newest = (await send(`GET /api/v1/bills?${of}&fields=id`)).map(({ id }: { id: string }) => id)
      assert.deepEqual(await orders('viewer'), newest.toReversed())
      assert.notDeepEqual(await orders('admin'), newest.toReversed())
    })

    test('13.2.13 no client writes one, and documents say that it is only read', async () => {
      const { id } = await make()
      assert.equal((await ask(`PATCH /api/v1/bills/${id}`, { due: '1.00' })).status, 400)
      const { schemas } = (await service().client.send('GET /api/v1/openapi.json')).body.components
      assert.equal(schemas.Bill.properties.due.format, 'decimal')
      assert.ok(!('due' in schemas.CreateBill.properties) && !('due' in schemas.UpdateBill.properties))
    })

    test('13.2.13 a value raises neither version nor time, and If-None-Match notices it', async () => {
      const made = await make()
      const line = `GET /api/v1/bills/${made.id}?fields=due,updated_at`
      const before = await ask(line)
      await send('POST /api/v1/lines', { bill_id: made.id, amount: '1.00' })
      const etag = String(before.headers['etag'])
      const after = await service().send(line, { as: 'viewer', headers: { 'If-None-Match': etag } })
      assert.deepEqual([after.status, after.body.data], [200, { due: '1.00', updated_at: before.body.data.updated_at }])
      const held = await service().send(`PATCH /api/v1/bills/${made.id}`, {
        as: 'viewer',
        headers: { 'If-Match': etag },
        body: { title: 'Held' },
      })
      assert.equal(held.status, 200)
    })

    test('13.2.13 twenty writers at once leave what the last of them makes', async () => {
      const made = await make()
      const writers = Array.from({ length: 20 }, (_, at) => {
        if (at % 4 === 0) return send('POST /api/v1/lines', { bill_id: made.id, amount: '1.00' })
        if (at % 4 === 1) return send('POST /api/v1/payments', { bill_id: made.id, amount: '0.10' })
        if (at % 4 === 2) return send(`PATCH /api/v1/bills/${made.id}`, { discount: '0.50' })
        return send(`PATCH /api/v1/bills/${made.id}`, { title: `T${at}` })
      })
      await Promise.all(writers)
      assert.deepEqual([(await valuesOf(made))[0], await wrong()], ['4.00', []])
    })
  },
  { definition: dues, limits: { duePollMs: 10, eventPollMs: 10 } },
)
