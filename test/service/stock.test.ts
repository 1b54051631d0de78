// Stock is neither lost nor made, whenever the service is killed. (contract 3.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { api } from '../../reference/service.ts'
import { createPasswords } from '../../src/authentication/account/password.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { type Answer, type Client, createClient } from '../support/client/http-client.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { startProcess } from '../support/process/service-process.ts'
import { createFixtures } from '../support/rows/fixtures.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const pieces = 10
const password = 'correct horse battery staple'
const { limits } = readConfiguration({})
/** Sooner and later in the middle of the requests. */
const killsAfter = [12, 1, 25].slice(0, Number(process.env['KILLS'] ?? 2))

forEachEngine((engine) => {
  test('orders and stock agree after every kill, and a cancelled order gives its piece back', {
    timeout: 240_000,
  }, async () => {
    const database = await createDatabase(engine)
    try {
      const first = start(database)
      await first.listening()
      const { email, productId } = await fill(database)
      assert.equal(await first.end('SIGTERM'), 0)

      for (const killAfter of killsAfter) {
        const acknowledged = await buyUntilKilled(database, email, productId, killAfter)
        await allTransactionsEnded(database)
        await withService(database, email, async (client, authorization) => {
          const orders = await allOrders(client, authorization)
          const taken = orders.filter(({ status }) => status !== 'cancelled').length
          assert.equal((await stockOf(client, productId)) + taken, pieces, 'no piece is lost, and none is made')
          for (const [id, status] of acknowledged) {
            const kept = orders.find((order) => order.id === id)?.status
            assert.ok(kept === status || kept === 'cancelled', `${id} was told to be ${status}, and is ${kept}`)
          }
          for (const { id, status } of orders) {
            if (status === 'cancelled') continue
            const { status: code, text } = await client.send(`POST /api/v2/orders/${id}/cancel`, {
              headers: authorization,
            })
            assert.equal(code, 200, text)
          }
          assert.equal(await stockOf(client, productId), pieces, 'all is back')
        })
      }
    } finally {
      await database.drop()
    }
  })
})

const start = ({ url }: TestDatabase) =>
  startProcess(programArguments('reference/main.ts'), {
    folder: repository,
    environment: {
      DATABASE_URL: url,
      NODE_ENV: 'test',
      DEMO_DATA: 'off',
      LIMIT_IP_PER_MINUTE: '0',
      LIMIT_USER_PER_HOUR: '0',
      LIMIT_LOGIN_PER_MINUTE: '0',
    },
  })

/** A buyer and the last pieces of a product. */
async function fill({ url }: TestDatabase) {
  const store = await openStore(url, { limits, log: { warn: () => {}, error: () => {} } })
  try {
    const passwords = await createPasswords(limits, { warn: () => {} } as never)
    const makeFixtures = createFixtures(compileService(api), store, await passwords.hash(password), () => new Date())
    const email = 'buyer@example.com'
    const product = { name: 'Lamp', category: 'light', price: 100, currency: 'EUR', stock: pieces }
    const fixtures = makeFixtures(new Map(), { buyer: { User: { name: 'Buyer', email } }, lamp: { Product: product } })
    await fixtures.idOf('buyer')
    return { email, productId: await fixtures.idOf('lamp') }
  } finally {
    await store.close()
  }
}

/** Forty buyers at once, every other of whom thinks better of it. Answers what the service said before it was killed. */
async function buyUntilKilled(database: TestDatabase, email: string, productId: string, killAfter: number) {
  const service = start(database)
  const client = createClient(await service.listening())
  const headers = await signIn(client, email)
  const acknowledged = new Map<string, string>()
  let answers = 0
  let killed: Promise<unknown> | undefined
  const heard = ({ status, body }: Answer) => {
    if (status < 300) acknowledged.set(body.data.id, body.data.status)
    if (++answers >= killAfter) killed ??= service.end('SIGKILL')
  }
  const buyers = Array.from({ length: 40 }, async (_, index) => {
    const body = { items: [{ product_id: productId, quantity: 1 }] }
    const bought = await client.send('POST /api/v2/orders', { headers, body })
    heard(bought)
    if (bought.status !== 201 || index % 2 === 0) return
    heard(await client.send(`POST /api/v2/orders/${bought.body.data.id}/cancel`, { headers }))
  })
  const ended = await Promise.allSettled(buyers)
  await killed
  client.close()
  assert.ok(
    ended.some((each) => each.status === 'rejected'),
    'some requests were under way when it was killed',
  )
  return acknowledged
}

async function withService(
  database: TestDatabase,
  email: string,
  work: (client: Client, authorization: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const service = start(database)
  const client = createClient(await service.listening())
  try {
    await work(client, await signIn(client, email))
  } finally {
    client.close()
    await service.end('SIGTERM')
  }
}

async function signIn(client: Client, email: string) {
  const { status, text, body } = await client.send('POST /auth/login', { body: { email, password } })
  assert.equal(status, 200, text)
  return { Authorization: `Bearer ${body.access_token}` }
}

async function allOrders(client: Client, headers: Readonly<Record<string, string>>) {
  const { body } = await client.send('GET /api/v2/orders?per_page=100', { headers })
  return body.data as readonly { readonly id: string; readonly status: string }[]
}

const stockOf = async (client: Client, id: string): Promise<number> =>
  (await client.send(`GET /api/v2/products/${id}`)).body.data.stock

/** PostgreSQL may still be committing what a process asked for before it was killed. */
async function allTransactionsEnded({ engine, url }: TestDatabase): Promise<void> {
  if (engine !== 'postgres') return
  const client = new pg.Client(url)
  await client.connect()
  const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while ((await client.query(others)).rowCount !== 0);
  await client.end()
}
