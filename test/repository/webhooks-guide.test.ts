// Runs the code of docs/webhooks.md: the receiver, with messages that another library signs, and what sends to several receivers.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { service, start } from 'duet-api'
import { Webhook } from 'standardwebhooks'
import { until } from '../support/check/until.ts'
import { accounts, User } from '../support/domain/account.ts'
import { repository } from '../support/process/command.ts'

/** A folder with this file of the guide, and those that the page leaves out. */
async function folderWith(t: TestContext, name: string, others: Readonly<Record<string, string>>): Promise<string> {
  const guide = await readFile(join(repository, 'docs/webhooks.md'), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(repository, join(folder, 'node_modules/duet-api'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const [, text] = new RegExp(`^\`\`\`ts ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(guide)!
  for (const [each, code] of Object.entries({ ...others, [name]: text! })) await writeFile(join(folder, each), code)
  return folder
}

test('the receiver handles what was signed, and refuses the rest', async (t) => {
  const folder = await folderWith(t, 'receive.ts', {
    'handle.ts': 'export const ids: string[] = []\nexport const handleOnce = async (id: string) => void ids.push(id)\n',
  })
  const secret = `whsec_${btoa('a secret that is long enough for it')}`
  process.env['WEBHOOK_SECRET'] = secret
  t.after(() => delete process.env['WEBHOOK_SECRET'])
  const { receive } = await import(join(folder, 'receive.ts'))
  const { ids } = await import(join(folder, 'handle.ts'))
  const body = JSON.stringify({ type: 'orderPaid', timestamp: new Date(), data: { id: 'ord_1' } })
  const send = async (signer: string) => {
    const at = new Date()
    const headers = {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(signer).sign('whd_1', at, body),
    }
    return (await receive(new Request('http://localhost/hooks', { method: 'POST', headers, body }))).status
  }
  assert.equal(await send(secret), 204)
  assert.equal(await send(`whsec_${btoa('another secret, as long as the first')}`), 400)
  assert.deepEqual(ids, ['whd_1'])
})

const order = `
import { event, integer, nobody, resource, signedIn, state } from 'duet-api'
export const Order = resource('Order', {
  prefix: 'ord',
  fields: { total: integer(), status: state('pending', 'paid') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['total'] },
    pay: { allow: nobody, from: 'pending', to: 'paid', emit: event('orderPaid') },
  },
})
`

test('several receivers get each event: one that fails has its own retries, and delays no other', async (t) => {
  const folder = await folderWith(t, 'fan-out.ts', { 'order.ts': order })
  const { fanOut } = await import(join(folder, 'fan-out.ts'))
  const { Order } = await import(join(folder, 'order.ts'))
  const sent: (readonly [url: string, key: string, total: number])[] = []
  t.mock.method(globalThis, 'fetch', async (url: string, { headers, body }: RequestInit) => {
    const isFirst = !sent.some(([before]) => before === url)
    sent.push([url, (headers as Record<string, string>)['Idempotency-Key']!, JSON.parse(String(body)).total])
    return new Response(null, { status: isFirst && url.includes('billing') ? 500 : 204 })
  })
  let now = Date.parse('2026-11-20T09:30:00.000Z')
  const api = service({ resources: { User, Order }, accounts, roles: { ANY: {} }, reactions: fanOut })
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'off' }
  const { asService, stop } = await start(api, { environment, clock: () => new Date(now) })
  t.after(stop)
  const { id } = await asService.records.create(Order, { total: 5 } as never)
  await asService.records.run(Order, id, 'pay' as never)
  await until(() => sent.length === 2)
  // The failure may be noted after the clock has moved.
  await until(() => {
    now += 3_600_000
    return sent.length >= 3
  })
  const to = (name: string) => sent.filter(([url]) => url === `https://${name}.internal/events`)
  assert.deepEqual([to('search').length, to('billing').length], [1, 2])
  assert.deepEqual([new Set(sent.map(([, key]) => key)).size, new Set(sent.map(([, , total]) => total)).size], [1, 1])
})
