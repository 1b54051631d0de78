// Every operation of GraphQL that the front page offers, sent as it stands by an administrator: most of them do what they are for, and the
// others are named here with the reason. (contract 4.15.3)

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { demoPassword } from 'duet-api'
import type { Client } from '../support/client/http-client.ts'
import { type Offer, offersIn } from '../support/client/offer.ts'
import { withDemoService } from '../support/server/demo-service.ts'

/** What answers otherwise, and why no example could do better. */
const noneYet = 'Demo data has none: they come of what people do.'
const others: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  'reactivate User': ['CONFLICT', 'No demo account is suspended.'],
  'delete ApiKey': ['NOT_FOUND', noneYet],
  'delete Session': ['NOT_FOUND', noneYet],
  'delete SignInMethod': ['NOT_FOUND', noneYet],
  ...Object.fromEntries(
    ['update', 'delete', 'rotate', 'resume', 'pause', 'ping'].map(
      (each) => [`${each} Webhook`, ['NOT_FOUND', noneYet]] as const,
    ),
  ),
  'replay WebhookDelivery': ['NOT_FOUND', noneYet],
}

const folder = mkdtempSync(join(tmpdir(), 'duet-offered-'))
after(() => rmSync(folder, { recursive: true }))

const withService = <T>(file: string, use: (client: Client) => Promise<T>): Promise<T> =>
  withDemoService({ DATABASE_URL: `sqlite:${join(folder, file)}`, LIMIT_LOGIN_PER_MINUTE: '0' }, use)

test('each operation of GraphQL does what it is for as it is offered, or is named', async () => {
  const { offers, headers } = await withService('fresh.db', async (client) => {
    const { text } = await client.send('GET /docs', { headers: { Accept: 'text/html' } })
    const login = { email: 'admin@example.com', password: demoPassword }
    const { body } = await client.send('POST /auth/login', { body: login })
    return { offers: offersIn(text), headers: { Authorization: `Bearer ${body.access_token}` } }
  })
  const codes = new Map<string, string>()
  // What only the clock does has no field.
  for (const [index, { name, resource, graphql }] of offers.filter((each) => each.graphql !== null).entries()) {
    // Nobody knows in which order somebody tries them, so each meets the data as they were.
    copyFileSync(join(folder, 'fresh.db'), join(folder, `${index}.db`))
    const { body } = await withService(`${index}.db`, (client) =>
      client.send('POST /graphql', { headers, body: graphql as NonNullable<Offer['graphql']> }),
    )
    codes.set(`${name} ${resource}`, body.errors?.[0].extensions.code ?? 'done')
  }
  const expected = new Map([...codes.keys()].map((each) => [each, others[each]?.[0] ?? 'done']))
  assert.deepEqual(Object.fromEntries(codes), Object.fromEntries(expected))
  assert.ok(codes.size >= 42, String(codes.size))
})
