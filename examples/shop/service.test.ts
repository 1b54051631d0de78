// Starts the shop on a database in memory and asks it what clients would.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import type { api as shop } from './service.ts'

const key = Buffer.from('a secret of the provider and us.')
process.env['PAYMENT_SECRET'] = `whsec_${key.toString('base64')}`
const { api } = await import('./service.ts')
let service: StartedService
let cat: Client<typeof shop>
let kim: Client<typeof shop>
let customerId: string

before(async () => {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_IP_PER_MINUTE: '0' }
  service = await start(api, { environment, demo: fillDemo })
  cat = createClient<typeof shop>(service.url, { json: { attributes: true } })
  kim = createClient<typeof shop>(service.url, { json: { attributes: true } })
  await cat.signIn({ email: 'cat@example.com', password: demoPassword })
  await kim.signIn({ email: 'kim@example.com', password: demoPassword })
  customerId = (await cat.users.get('me')).id
  const product = { name: 'Line', price: '0.10', taxRate: '0.19', currency: 'EUR', stock: 0, attributes: {} } as const
  await kim.products.createMany(Array.from({ length: 100 }, (_, index) => ({ ...product, sku: `L-${index}` })))
})
after(() => service.stop())

/** An invoice of so many lines, each of a product of its own. */
async function draft(quantities: readonly string[]) {
  const lines = quantities.map((quantity, index) => ({
    product: { sku: `L-${index}` },
    quantity,
    unitPrice: '0.10',
    taxRate: '0.19',
  }))
  return kim.invoices.create({ customerId, issuedOn: '2026-11-22', currency: 'EUR', lines })
}

test('an invoice comes with its lines, by their products’ numbers', async () => {
  const { id, number } = await draft(Array.from({ length: 100 }, () => '1'))
  assert.equal(number, null)
  let lines = 0
  for await (const { position } of kim.invoices.lines.list(id, { sort: 'position', limit: 100 }))
    assert.equal(position, ++lines)
  assert.equal(lines, 100)
})

test('a wrong line is told by its place, and nothing is made', async () => {
  const before = (await kim.invoices.page({ page: 1 })).total
  await assert.rejects(
    draft(Array.from({ length: 60 }, (_, index) => (index === 57 ? '0' : '1'))),
    (error: unknown) => {
      const { details } = error as { readonly details: readonly { readonly field: string }[] }
      assert.deepEqual(
        details.map(({ field }) => field),
        ['lines[57].quantity'],
      )
      return true
    },
  )
  assert.equal((await kim.invoices.page({ page: 1 })).total, before)
})

test('0.1 and 0.2 are 0.30, and issued invoices have numbers without a gap', async () => {
  const drafts = await Promise.all(Array.from({ length: 20 }, () => draft(['1', '2'])))
  await assert.rejects(kim.invoices.create({ customerId, issuedOn: '2027-02-29', currency: 'EUR' }), {
    code: 'VALIDATION_ERROR',
  })
  const empty = await kim.invoices.create({ customerId, issuedOn: '2028-02-29', currency: 'EUR' })
  await assert.rejects(kim.invoices.issue(empty.id), { code: 'BUSINESS_RULE_VIOLATION' })
  const issued = await Promise.all(drafts.map(({ id }) => kim.invoices.issue(id)))
  assert.deepEqual(
    issued.map(({ number }) => number).sort((one, other) => one! - other!),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  for (const { net, tax, total } of issued) assert.deepEqual([net, tax, total], ['0.30', '0.06', '0.36'])
  await assert.rejects(
    kim.invoiceLines.create({
      invoiceId: issued[0]!.id,
      product: { sku: 'PEN' },
      quantity: '1',
      unitPrice: '1',
      taxRate: '0',
    }),
    { code: 'FORBIDDEN' },
  )
})

test('customers see their own invoices, and make none', async () => {
  assert.ok((await cat.invoices.page()).data.every((invoice) => invoice.customerId === customerId))
  await assert.rejects(cat.invoices.create({ customerId, issuedOn: '2026-11-22', currency: 'EUR' }), {
    code: 'FORBIDDEN',
  })
})

test('no more is kept back than there is, and what is released comes back', async () => {
  const stock = async () => (await cat.products.by({ sku: 'PEN' })).stock
  const tries = await Promise.allSettled(
    Array.from({ length: 5 }, () => cat.reservations.create({ product: { sku: 'PEN' }, quantity: 1 })),
  )
  const held = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  assert.equal(held.length, 3)
  assert.equal(await stock(), 0)
  await cat.reservations.release(held[0]!.id)
  await assert.rejects(cat.reservations.release(held[0]!.id), { code: 'CONFLICT' })
  assert.equal(await stock(), 1)
})

test('a payment counts once, and a wrong signature changes nothing', async () => {
  const { id } = await draft(['1'])
  await kim.invoices.issue(id)
  const body = JSON.stringify({ type: 'payment.succeeded', data: { invoice_id: id } })
  const send = async (messageId: string, signedWith: Buffer) => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', signedWith).update(`${messageId}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    return (await fetch(`${service.url}/api/v1/hooks/payments`, { method: 'POST', headers, body })).status
  }
  assert.equal(await send('msg_1', Buffer.from('a secret of another sender')), 401)
  assert.equal((await kim.invoices.get(id)).status, 'issued')
  assert.equal(await send('msg_1', key), 204)
  assert.equal(await send('msg_1', key), 204)
  assert.equal((await kim.invoices.get(id)).status, 'paid')
})
