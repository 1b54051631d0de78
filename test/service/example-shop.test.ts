// What must hold of the example shop, sentence by sentence, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/check/until.ts'
import { faceNames } from '../support/client/both-faces.ts'
import { shop, shopExport } from '../support/domain/example.ts'
import { withService } from '../support/server/service.ts'
import { storyOf, user } from '../support/server/story.ts'

withService(
  'examples/shop',
  (running) => {
    const product = { name: 'P', price: '1.00', currency: 'EUR', taxRate: '0.19', stock: 3, attributes: {} }
    const people = {
      cat: user({ role: 'CUSTOMER' }),
      kim: user({ role: 'KEEPER' }),
      pen: { Product: { ...product, sku: 'pen-{word}' } },
    }
    const begin = () => storyOf(running(), people)
    const invoice = (customerId: string, lines: readonly object[], issuedOn = '2026-11-22') => ({
      customerId,
      issuedOn,
      currency: 'EUR',
      lines,
    })

    test('0.1 + 0.2 is 0.30, and issued invoices are numbered without a gap by 50 writers at once', async () => {
      const { ids, voices } = await begin()
      const line = (quantity: string) => ({ productId: ids.pen, quantity, unitPrice: '0.10', taxRate: '0.1900' })
      const drafts = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          voices('kim')[index % 2]!.create('Invoice', invoice(ids.cat, [line('1'), line('2')])),
        ),
      )
      const empty = await voices('kim')[0]!.create('Invoice', invoice(ids.cat, []))
      const issued = await Promise.all(
        [...drafts, empty].map(({ data }, index) => voices('kim')[index % 2]!.move('issue', 'Invoice', data.id)),
      )
      assert.equal(issued.pop()!.code, 'BUSINESS_RULE_VIOLATION', 'what is refused takes no number')
      const numbers = issued.map(({ data }) => data.number as number).sort((one, other) => one - other)
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      )
      for (const { data } of issued) assert.deepEqual([data.net, data.tax, data.total], ['0.30', '0.06', '0.36'])
    })

    test('an invoice of 100 lines is one request, and a wrong line is reported by its place', async () => {
      const { fixtures, ids } = await begin()
      for (const face of faceNames) {
        const isRest = face === 'REST'
        const create = (wrong: number | null) => {
          const lines = Array.from({ length: 100 }, (_, index) => ({
            [isRest ? 'product_id' : 'productId']: ids.pen,
            quantity: index === wrong ? '0' : '1',
            [isRest ? 'unit_price' : 'unitPrice']: '1.00',
            [isRest ? 'tax_rate' : 'taxRate']: '0.1900',
          }))
          const question = { as: '{kim}', fixtures } as const
          if (isRest) {
            const body = { customer_id: ids.cat, issued_on: '2028-02-29', currency: 'EUR', lines }
            return running().send('POST /api/v1/invoices', { ...question, body })
          }
          const query = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id issuedOn } }'
          return running().graphql(query, { ...question, variables: { input: invoice(ids.cat, lines, '2028-02-29') } })
        }
        const count = async () => (await running().tables('invoices', 'invoice_lines')).length
        const before = await count()
        const refused = await create(57)
        const { details } = isRest ? refused.body.error : refused.body.errors[0].extensions
        assert.deepEqual(
          details.map(({ field }: { field: string }) => field),
          ['lines[57].quantity'],
        )
        assert.equal(await count(), before)
        const made = await create(null)
        assert.equal(
          isRest ? made.body.data.issued_on : made.body.data?.createInvoice.issuedOn,
          '2028-02-29',
          made.text,
        )
        assert.equal(await count(), before + 101)
      }
    })

    test('a draft is changed with its lines, all at once, and an invoice that was issued is not', async () => {
      const { ids, voices, codes, get } = await begin()
      const line = (quantity: string) => ({ productId: ids.pen, quantity, unitPrice: '0.10', taxRate: '0.0000' })
      for (const voice of voices('kim')) {
        const { data: draft } = await voice.create('Invoice', invoice(ids.cat, [line('1'), line('2')]))
        const linesOf = async () => (await get('kim', `invoices/${draft.id}/lines?sort=position`)).data
        const [kept, left] = await linesOf()
        const lines = [{ id: kept.id, quantity: '5' }, line('3')]
        assert.equal((await voice.change('Invoice', draft.id, { dueOn: '2026-12-22', lines })).code, null)
        const after = await linesOf()
        assert.deepEqual(
          after.map(({ position, quantity, net }: Record<string, unknown>) => [position, quantity, net]),
          [
            [1, '5.000', '0.50'],
            [3, '3.000', '0.30'],
          ],
        )
        assert.deepEqual([after[0].id, after.some(({ id }: { id: string }) => id === left.id)], [kept.id, false])
        const wrong = { lines: [{ id: kept.id, quantity: '6' }, { id: left.id }] }
        assert.equal((await voice.change('Invoice', draft.id, wrong)).code, 'BUSINESS_RULE_VIOLATION')
        assert.equal((await linesOf())[0].quantity, '5.000', 'all or nothing')
        assert.equal((await voice.move('issue', 'Invoice', draft.id)).data.total, '0.80')
        assert.equal(await codes('kim', (each) => each.change('Invoice', draft.id, { lines: [] })), 'FORBIDDEN')
        assert.equal((await linesOf()).length, 2)
      }
    })

    test('a price of 9,999,999,999.99 comes back as it was sent, and a day that there is not is 400', async () => {
      const { ids, codes, voices } = await begin()
      for (const [index, voice] of voices('kim').entries()) {
        const { data } = await voice.create('Product', {
          ...product,
          sku: `dear-${index}-${ids.pen}`,
          price: '9999999999.99',
        })
        for (const reader of voices('cat'))
          assert.equal((await reader.read('Product', data.id)).data.price, '9999999999.99')
      }
      const make = (day: string) => codes('kim', (voice) => voice.create('Invoice', invoice(ids.cat, [], day)))
      assert.equal(await make('2028-02-29'), null)
      assert.equal(await make('2027-02-29'), 'VALIDATION_ERROR')
    })

    test('monthly revenue is one request on both faces, exact to the cent', async () => {
      const { ids, voices, get, graphql } = await storyOf(running(), { ...people, buyer: user({ role: 'CUSTOMER' }) })
      for (const [index, day] of ['2026-10-31', '2026-11-01', '2026-11-30'].entries()) {
        const lines = [{ productId: ids.pen, quantity: '3', unitPrice: '0.10', taxRate: '0.0000' }]
        const { data } = await voices('kim')[index % 2]!.create('Invoice', invoice(ids.buyer, lines, day))
        assert.equal((await voices('kim')[index % 2]!.move('issue', 'Invoice', data.id)).code, null)
      }
      const where = encodeURIComponent(`customer = "${ids.buyer}"`)
      const { data } = await get('kim', `invoices/summary?group_by=issued_on:month&where=${where}`)
      const months = data.map((each: { issued_on: string; count: number; sum: { total: string } }) => [
        each.issued_on,
        each.count,
        each.sum.total,
      ])
      assert.deepEqual(months.sort(), [
        ['2026-10', 1, '0.30'],
        ['2026-11', 2, '0.60'],
      ])
      const { invoiceSummary } = await graphql(
        'kim',
        `{ invoiceSummary(groupBy: [ISSUED_ON_MONTH], where: { customerId: { eq: "${ids.buyer}" } }) { nodes { issuedOn count sum { total } } } }`,
      )
      const same = invoiceSummary.nodes.map((each: { issuedOn: string; count: number; sum: { total: string } }) => [
        each.issuedOn,
        each.count,
        each.sum.total,
      ])
      assert.deepEqual(same.sort(), months)
    })

    test('an export has every issued invoice in the order of their numbers, for those who may read all', async () => {
      const { ids, voices } = await begin()
      const totals = new Map<number, string>()
      for (let index = 0; index < 250; index++) {
        const lines = [{ productId: ids.pen, quantity: '1', unitPrice: `${index}.01`, taxRate: '0.0000' }]
        const voice = voices('kim')[index % 2]!
        const { data: draft } = await voice.create('Invoice', invoice(ids.cat, lines))
        if (index % 5 === 0) continue
        const { data: issued } = await voice.move('issue', 'Invoice', draft.id)
        totals.set(issued.number, issued.total)
      }
      const ask = async (who: 'kim' | 'cat') =>
        running().client.send('GET /api/v1/reports/invoices.csv', {
          headers: { Authorization: `Bearer ${await running().token(ids[who])}` },
        })
      const { status, text } = await ask('kim')
      assert.equal(status, 200)
      const [head, ...rows] = text.trimEnd().split('\n')
      assert.equal(head, 'number,issued_on,total')
      const numbers = rows.map((row) => Number(row.split(',')[0]))
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      )
      for (const [number, total] of totals) assert.equal(rows[number - 1], `${number},2026-11-22,${total}`)
      assert.equal((await ask('cat')).status, 403)
    })

    test('what is kept back for a customer is on sale again after a quarter of an hour, and what was released stays so', async () => {
      for (const face of faceNames.keys()) {
        const { ids, voices } = await begin()
        const voice = voices('cat')[face]!
        const stock = async () => (await voice.read('Product', ids.pen)).data.stock
        const hold = async (): Promise<string> =>
          (await voice.create('Reservation', { productId: ids.pen, quantity: 1 })).data.id
        const [first, second] = [await hold(), await hold()]
        assert.equal((await voice.move('release', 'Reservation', first)).code, null)
        assert.equal(await stock(), 2)
        running().advance(14 * 60_000)
        assert.equal((await voice.read('Reservation', second)).data.status, 'held')
        running().advance(2 * 60_000)
        running().forgetTokens()
        await until(async () => (await voice.read('Reservation', second)).data.status === 'released')
        assert.equal(await stock(), 3)
      }
    })
  },
  { definition: shop, routes: [shopExport], limits: { duePollMs: 10 } },
)
