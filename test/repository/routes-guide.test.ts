// Runs the examples of docs/routes.md on exports and webhooks: as they stand there, against the reference service.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { repository } from '../support/process/command.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const guide = await readFile(join(repository, 'docs/routes.md'), 'utf8')
const secret = `whsec_${btoa('a secret that is long enough for it')}`
let folder: string
let service: TestService

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  await mkdir(join(folder, 'node_modules'))
  await symlink(repository, join(folder, 'node_modules/duet-api'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'order.ts'), `export { Order } from '${repository}/reference/order.ts'`)
  for (const [, name, text] of guide.matchAll(/^```ts (\S+)\n(.*?)^```$/gms))
    await writeFile(join(folder, name!), text!)
  process.env['PAYMENTS_SECRET'] = secret
  const { payments } = await import(join(folder, 'payments.ts'))
  const { orders } = await import(join(folder, 'export.ts'))
  service = await startTestService('sqlite', { routes: [payments, orders] })
})
after(async () => {
  delete process.env['PAYMENTS_SECRET']
  await service.stop()
  await rm(folder, { recursive: true })
})

test('a signed message of the payment provider marks an order as paid, and another does not', async () => {
  const id = await service.fixtures().idOf('pending order')
  const body = JSON.stringify({ type: 'payment.succeeded', data: { order_id: id, fee: 5 }, live: false })
  const tell = async (with_: string) =>
    service.send('POST /api/v2/payments/webhook', {
      body,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(service.now().getTime() / 1_000)),
        'webhook-signature': new Webhook(with_).sign('msg_1', service.now(), body),
      },
    })
  assert.equal((await tell(`whsec_${btoa('a secret that nobody has given us')}`)).status, 401)
  assert.equal((await tell(secret)).status, 204)
  const { body: order } = await service.send(`GET /api/v2/orders/${id}`, { as: 'admin' })
  assert.equal(order.data.status, 'paid')
  assert.equal((await tell(secret)).status, 409)
})

test('orders are exported as CSV', async () => {
  const id = await service.fixtures().idOf('paid order')
  const { viewer } = await service.fixtures().fill({ viewer: '{viewer}' })
  const headers = { Authorization: `Bearer ${await service.token(viewer)}` }
  const { text, headers: answered } = await service.client.send('GET /api/v2/exports/orders.csv', { headers })
  assert.match(text, new RegExp(`^id,total\\n(.*\\n)*${id},1000\\n`))
  assert.equal(answered['content-disposition'], 'attachment; filename="orders.csv"')
})

test("Stripe's scheme is verified, as its documents describe it", async () => {
  const { stripe } = await import(join(folder, 'stripe.ts'))
  const now = new Date('2026-11-20T09:30:00.000Z')
  const at = now.getTime() / 1_000
  const bytes = new TextEncoder().encode('{"id":"evt_1"}')
  const { createHmac } = await import('node:crypto')
  const v1 = createHmac('sha256', 'whsec_s').update(`${at}.{"id":"evt_1"}`).digest('hex')
  const verify = (header: string | undefined, later = 0) =>
    stripe('whsec_s').verify({
      bytes,
      headers: { 'stripe-signature': header },
      now: new Date(now.getTime() + later),
    })
  assert.equal(verify(`t=${at},v1=${v1},v0=1`), true)
  assert.equal(verify(`t=${at},v1=${v1}`, 300_000), false)
  assert.equal(verify(`t=${at + 1},v1=${v1}`), false)
  assert.equal(verify(`t=${at},v1=${v1.replace(/./, 'g')}`), false)
  assert.equal(verify(undefined), false)
})
