// Starts the billing on a database in memory and asks it what clients would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

let service: StartedService
let cleo: Client<typeof api>
let carl: Client<typeof api>

before(async () => {
  const environment = {
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LIMIT_IP_PER_MINUTE: '0',
    LIMIT_USER_PER_HOUR: '0',
  }
  service = await start(api, { environment, demo: fillDemo })
  cleo = createClient<typeof api>(service.url)
  carl = createClient<typeof api>(service.url)
  await cleo.signIn({ email: 'cleo@example.com', password: demoPassword })
  await carl.signIn({ email: 'carl@example.com', password: demoPassword })
})
after(() => service.stop())

const november = { periodStart: '2026-11-01', periodEnd: '2026-12-01' }
/** Sends what was used in parts of 100, as an import does; each part can be sent again. */
async function importUsage(name: string, count: number): Promise<void> {
  await cleo.usageImports.upsert({ externalId: name }, { source: 'meters' })
  for (let from = 0; from < count; from += 100) {
    const part = Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
      externalId: `${name}-${from + at}`,
      usageImport: { externalId: name },
      subscription: { externalId: 's1' },
      usedOn: '2026-11-05',
      quantity: '0.1',
    }))
    await cleo.usages.upsertMany(['externalId'], part)
  }
}

/** `USAGE=100000 npm test` imports that many records. */
const usage = Number(process.env['USAGE'] ?? 300)

test(`${usage} records are imported by their own ids, twice, and are there once`, async () => {
  await importUsage('nov', usage)
  await importUsage('nov', Math.min(usage, 200))
  const { usagesCount, quantity } = await cleo.usageImports.by({ externalId: 'nov' })
  assert.deepEqual([usagesCount, quantity], [usage, (usage / 10).toFixed(3)])
})

test('a period is billed once: the seats, and what was used', async () => {
  await cleo.subscriptions.bill.by({ externalId: 's1' }, november)
  await assert.rejects(cleo.subscriptions.bill.by({ externalId: 's1' }, november), { code: 'CONFLICT' })
  const { id } = await cleo.subscriptions.by({ externalId: 's1' })
  const [invoice] = (await cleo.subscriptions.invoices.page(id)).data
  const lines = []
  for await (const { text, amount } of cleo.invoices.lines.list(invoice!.id, { sort: 'position' }))
    lines.push([text, amount])
  const used = (usage / 1_000).toFixed(2)
  assert.deepEqual(lines, [
    ['Team', '59.70'],
    ['Used', used],
  ])
  assert.equal(invoice!.total, (59.7 + Number(used)).toFixed(2))
})

test('customers read what is theirs, in GraphQL too, and write nothing', async () => {
  const document = '{ billingSubscriptions(first: 5) { nodes { status customer { name credit } plan { interval } } } }'
  const { billingSubscriptions } = (await carl.graphql(document)) as never as {
    readonly billingSubscriptions: { readonly nodes: readonly object[] }
  }
  assert.deepEqual(billingSubscriptions.nodes, [
    { status: 'running', customer: { name: 'Carl & Co', credit: '0.00' }, plan: { interval: 'per_month' } },
  ])
  await assert.rejects(carl.credits.create({ customer: { externalId: '42' }, amount: '1', reason: 'Please' }), {
    code: 'FORBIDDEN',
  })
})
