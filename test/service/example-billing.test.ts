// What must hold of the example billing under races, on both databases and through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billing } from '../support/domain/example.ts'
import { withService } from '../support/server/service.ts'
import { storyOf, user } from '../support/server/story.ts'

const writers = 20

withService(
  'examples/billing',
  (running) => {
    const records = {
      carl: user({ role: 'CUSTOMER' }),
      cleo: user({ role: 'CLERK' }),
      customer: { Customer: { externalId: 'c-{word}', name: 'C', currency: 'EUR', user: '{carl}' } },
      plan: { Plan: { code: 'p-{word}', name: 'P', price: '10.00', unitPrice: '0.01', currency: 'EUR' } },
      sub: { Subscription: { externalId: 's-{word}', customer: '{customer}', plan: '{plan}', startsOn: '2026-01-01' } },
    }
    const begin = async () => {
      const story = await storyOf(running(), records)
      const cleo = (at: number) => story.voices('cleo')[at % 2]!
      const atOnce = async <T>(work: (voice: ReturnType<typeof cleo>, at: number) => Promise<T>) =>
        Promise.all(Array.from({ length: writers }, (_, at) => work(cleo(at), at)))
      const draft = (amount: string, at = 0) =>
        cleo(at).create('Invoice', {
          customerId: story.ids.customer,
          currency: 'EUR',
          lines: [{ text: 'T', quantity: '1', unitPrice: amount }],
        })
      const issued = async (amount: string): Promise<string> => {
        const { data } = await draft(amount)
        assert.equal((await cleo(0).move('issue', 'Invoice', data.id)).code, null)
        return data.id
      }
      const pay = (voice: ReturnType<typeof cleo>, invoiceId: string, input: object) =>
        voice.create('Payment', { reference: crypto.randomUUID(), invoiceId, amount: '1.00', ...input })
      return { ...story, cleo, atOnce, draft, issued, pay }
    }
    const count = (results: readonly { readonly code: string | null }[]) =>
      results.filter(({ code }) => code === null).length

    test('issued invoices have numbers without a gap, by twenty at once', async () => {
      const { cleo, atOnce, draft } = await begin()
      const drafts = await atOnce((_, at) => draft('10.00', at))
      const results = await atOnce((voice, at) => voice.move('issue', 'Invoice', drafts[at]!.data.id))
      assert.equal((await cleo(0).move('issue', 'Invoice', drafts[0]!.data.id)).code, 'CONFLICT')
      const numbers = results.map(({ data }) => data.number as number).sort((one, other) => one - other)
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => numbers[0]! + at),
      )
    })

    test('of twenty payments at once, no more is taken than is due, and the last one settles the invoice', async () => {
      const { atOnce, issued, pay, get } = await begin()
      const invoice = await issued('7.00')
      assert.equal(count(await atOnce((voice) => pay(voice, invoice, {}))), 7)
      const { status, paid, total } = (await get('carl', `invoices/${invoice}`)).data
      assert.deepEqual([status, paid, total], ['paid', '7.00', '7.00'])
    })

    test('a payment counts once, by its reference', async () => {
      const { atOnce, issued, pay, get } = await begin()
      const invoice = await issued('7.00')
      const reference = crypto.randomUUID()
      assert.equal(count(await atOnce((voice) => pay(voice, invoice, { reference }))), 1)
      assert.equal((await get('cleo', `invoices/${invoice}`)).data.paid, '1.00')
    })

    test('credit is never less than nothing, and comes back with a refund', async () => {
      const { cleo, atOnce, issued, pay, ids, get } = await begin()
      const credit = async () => (await get('carl', `customers/${ids.customer}`)).data.credit
      assert.equal(
        (await cleo(0).create('Credit', { customerId: ids.customer, amount: '3.00', reason: 'R' })).code,
        null,
      )
      const [one, other] = [await issued('50.00'), await issued('50.00')]
      const paid = await atOnce((voice, at) => pay(voice, at % 3 === 0 ? one : other, { via: 'credit' }))
      assert.equal(count(paid), 3)
      assert.equal(await credit(), '0.00')
      const mine = paid.find(({ code }) => code === null)!.data.id
      assert.equal((await cleo(1).move('refund', 'Payment', mine)).code, null)
      assert.equal(await credit(), '1.00')
    })

    test('a customer has a plan once at a time', async () => {
      const { atOnce, ids } = await begin()
      const results = await atOnce((voice, at) =>
        voice.create('Subscription', {
          externalId: `${ids.sub} ${at}`,
          customerId: ids.customer,
          planId: ids.plan,
          startsOn: '2025-01-01',
          endsOn: at % 2 === 0 ? '2025-07-01' : '2025-08-01',
        }),
      )
      assert.equal(count(results), 1)
    })

    test('a draft is deleted with its lines, an issued invoice stays, and so does its customer', async () => {
      const { cleo, draft, issued, ids } = await begin()
      for (const at of [0, 1]) {
        const { data } = await draft('1.00')
        assert.equal((await cleo(at).remove('Invoice', data.id)).code, null)
        assert.equal((await cleo(at).remove('Invoice', await issued('1.00'))).code, 'FORBIDDEN')
        assert.equal((await cleo(at).remove('Customer', ids.customer)).code, 'BUSINESS_RULE_VIOLATION')
      }
    })
  },
  { definition: billing },
)
