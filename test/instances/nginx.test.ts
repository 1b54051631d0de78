// Three instances behind nginx, which takes them in turn: to their clients they are one service. (contract 3.5, 4.7, 5.3, 6.1, 8.3)

import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Client, createClient, type Sending } from '../support/client/http-client.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { createSupervised, type Supervised, supervisedPassword } from '../support/process/supervised-service.ts'
import { createDatabase, postgresMissing, type TestDatabase } from '../support/server/databases.ts'
import { type Nginx, nginxPort, startNginx, withoutNginx } from '../support/server/nginx.ts'
import { type RedisServer, startRedisServer, withoutRedisServer } from '../support/server/redis.ts'
import { listen, type Subscriber } from './subscribers.ts'

const addressLimit = 200
const many = Array.from({ length: 9 }, (_, index) => index)
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const post = { title: 'Through the proxy', content: 'Words.', publish: true }

describe('behind nginx', { skip: postgresMissing || withoutRedisServer() || withoutNginx() }, () => {
  let database: TestDatabase
  let redis: RedisServer
  let instances: readonly Supervised[]
  let nginx: Nginx
  const clients: Client[] = []

  before(async () => {
    const port = await nginxPort()
    ;[database, redis] = await Promise.all([createDatabase('postgres'), startRedisServer()])
    const environment = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      BASE_URL: `http://127.0.0.1:${port}`,
      TRUST_PROXY: '127.0.0.1',
      LIMIT_IP_PER_MINUTE: `${addressLimit}`,
    }
    instances = await Promise.all([1, 2, 3].map(() => createSupervised(environment)))
    await Promise.all(instances.map((instance) => instance.start()))
    nginx = await startNginx(
      port,
      instances.map(({ url }) => url),
    )
  })
  after(async () => {
    for (const client of clients) client.close()
    await nginx?.stop()
    await Promise.all((instances ?? []).map((instance) => instance.end('SIGKILL')))
    await redis?.kill()
    await database?.drop()
  })

  /** A client with an address of its own, which is what limits count. */
  function clientAt(place: number): Client {
    const client = createClient(nginx.url, { localAddress: `127.0.1.${place}` })
    clients.push(client)
    return client
  }
  async function signIn(client: Client, name: string): Promise<{ access_token: string; refresh_token: string }> {
    const answer = await client.send('POST /auth/login', {
      body: { email: `${name}@example.com`, password: supervisedPassword },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const allAtOnce = (client: Client, line: string, sending?: Sending): Promise<Answer[]> =>
    Promise.all(many.map(() => client.send(line, sending)))
  const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()
  const instancesOf = (answers: readonly Answer[]) => new Set(answers.map(({ headers }) => headers['x-instance'])).size

  test('a token of one is good at all of them', async () => {
    const client = clientAt(1)
    const { access_token } = await signIn(client, 'viewer')
    const answers = await allAtOnce(client, 'GET /api/v2/users/me', { headers: bearer(access_token) })
    assert.deepEqual(new Set(statusesOf(answers)), new Set([200]))
    assert.equal(instancesOf(answers), 3, 'each of the three has answered')
  })

  test('a refresh token is good once, wherever it is shown', async () => {
    const client = clientAt(2)
    const { refresh_token } = await signIn(client, 'viewer')
    const answers = await allAtOnce(client, 'POST /auth/refresh', { body: { refresh_token } })
    assert.deepEqual(statusesOf(answers), [200, ...many.slice(1).map(() => 401)])
    const [granted] = answers.filter(({ status }) => status === 200)
    const next = await client.send('POST /auth/refresh', { body: { refresh_token: granted!.body.refresh_token } })
    assert.equal(next.body.error.code, 'INVALID_TOKEN', 'the reuse was noticed')
  })

  test('an API key of one is good at all, and a second after its end at none', async () => {
    const client = clientAt(3)
    const headers = bearer((await signIn(client, 'viewer')).access_token)
    const made = await client.send('POST /api/v2/api-keys', {
      headers,
      body: { name: 'Everywhere', scopes: ['read:*'] },
    })
    const withKey = { headers: { 'X-API-Key': made.body.data.key } }
    assert.deepEqual(new Set(statusesOf(await allAtOnce(client, 'GET /api/v2/posts?limit=1', withKey))), new Set([200]))
    await client.send(`DELETE /api/v2/api-keys/${made.body.data.id}`, { headers })
    await wait(1_000)
    assert.deepEqual(new Set(statusesOf(await allAtOnce(client, 'GET /api/v2/posts?limit=1', withKey))), new Set([401]))
  })

  test('a suspension at one is known to all within a second', async () => {
    const client = clientAt(4)
    const email = `${randomUUID()}@example.com`
    const account = { name: 'Soon gone', email, password: supervisedPassword }
    const { id } = (await client.send('POST /api/v2/users', { body: account })).body.data
    const headers = bearer((await signIn(client, email.split('@')[0]!)).access_token)
    const admin = bearer((await signIn(client, 'admin')).access_token)
    assert.deepEqual(new Set(statusesOf(await allAtOnce(client, 'GET /api/v2/users/me', { headers }))), new Set([200]))
    assert.equal((await client.send(`POST /api/v2/users/${id}/suspend`, { headers: admin })).status, 200)
    await wait(1_000)
    assert.deepEqual(new Set(statusesOf(await allAtOnce(client, 'GET /api/v2/users/me', { headers }))), new Set([401]))
  })

  test('a request with a key is carried out once, wherever it is repeated', async () => {
    const client = clientAt(5)
    const headers = {
      ...bearer((await signIn(client, 'editor')).access_token),
      'Idempotency-Key': randomUUID(),
    }
    const answers = await allAtOnce(client, 'POST /api/v2/posts', { headers, body: post })
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    assert.ok(answers.every(({ status }) => [200, 201, 409].includes(status)))
    const replays = await allAtOnce(client, 'POST /api/v2/posts', { headers, body: post })
    for (const { status, headers, body } of replays) {
      // Another one with the same key may be running at that moment.
      if (status === 409) continue
      assert.deepEqual([status, headers['idempotent-replayed']], [200, 'true'])
      assert.equal(body.data.id, made[0]!.body.data.id)
    }
  })

  test('an address has one limit over all of them, and cannot pretend to be another', async () => {
    const client = clientAt(6)
    const answers = await Promise.all(
      Array.from({ length: addressLimit + 5 }, (_, index) =>
        client.send('GET /api/v2/products?limit=1', { headers: { 'X-Forwarded-For': `10.0.0.${index % 250}` } }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, addressLimit)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    assert.equal(instancesOf(answers), 3)
    assert.equal((await clientAt(7).send('GET /api/v2/products?limit=1')).status, 200)
  })

  test('a persisted query is found, or requested, and then found', async () => {
    const client = clientAt(8)
    const query = `{ posts(first: 1) { nodes { id } } } # ${randomUUID()}`
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } }
    const line = `GET /graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
    for (const answer of await allAtOnce(client, line))
      assert.equal(answer.body.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
    for (const each of await allAtOnce(client, 'POST /graphql', { body: { query, extensions } }))
      assert.equal(each.body.data.posts.nodes.length, 1)
    for (const answer of await allAtOnce(client, line)) assert.equal(answer.body.data.posts.nodes.length, 1)
  })

  test('subscribers at all of them hear of what happens at any', async () => {
    const client = clientAt(9)
    const sockets = await Promise.all([1, 2, 3].map(() => TestSocket.ready(nginx.url)))
    const headers = bearer((await signIn(client, 'editor')).access_token)
    await subscribed(sockets, () => client.send('POST /api/v2/posts', { headers, body: post }))
    const posts = await Promise.all(many.map(() => client.send('POST /api/v2/posts', { headers, body: post })))
    const expected = new Set(posts.map(({ body }) => body.data.id as string))
    for (const socket of sockets) {
      const seen = new Set<string>()
      while (!expected.isSubsetOf(seen)) seen.add((await heard(socket)).id)
      await socket.close()
    }
  })

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`${signal} to one under load: readers notice nothing, writers repeat, subscribers come back`, async () => {
      const client = clientAt(signal === 'SIGKILL' ? 10 : 11)
      const headers = bearer((await signIn(client, 'editor')).access_token)
      const write = async () => {
        const keyed = { headers: { ...headers, 'Idempotency-Key': randomUUID() }, body: post }
        for (;;) {
          const answer = await client.send('POST /api/v2/posts', keyed)
          if (answer.status === 201 || answer.status === 200) return answer.body.data.id as string
          assert.ok([409, 502, 503].includes(answer.status), answer.text)
        }
      }
      const faults: string[] = []
      const who = { event: 'postCreated', by: null, token: null, who: 'anonymous' } as const
      const subscribers = many.map((seed) => listen(who, [nginx.url], seed, faults))
      try {
        while (subscribers.some(({ seen }) => seen.size === 0)) await write().then(() => wait(20))
        const [victim] = instances as [Supervised]
        const reading = Promise.all(many.map(() => readAgainAndAgain(client)))
        const writing = Promise.all(many.map(write))
        await wait(20)
        assert.equal(await victim.end(signal), signal === 'SIGTERM' ? 0 : null)
        assert.deepEqual(new Set((await reading).flat()), new Set([200]))
        const ids = new Set(await writing)
        assert.equal(ids.size, many.length)
        const missing = () => subscribers.filter(({ seen }) => !ids.isSubsetOf(recordsOf(seen))).length
        for (let count = 0; missing() > 0 && count < 100; count++) await wait(100)
        assert.deepEqual([missing(), faults], [0, []])
        await victim.start()
      } finally {
        await Promise.all(subscribers.map((each) => each.stop()))
      }
    })
  }
})

async function readAgainAndAgain(client: Client): Promise<readonly number[]> {
  const statuses = []
  for (let count = 0; count < 6; count++) {
    statuses.push((await client.send('GET /api/v2/posts?limit=5')).status)
    await wait(10)
  }
  return statuses
}

const recordsOf = (seen: Subscriber['seen']) => new Set([...seen.values()].map(({ recordId }) => recordId))

/** Resolves when each of these sockets hears of posts: each began with the first that it heard. */
async function subscribed(sockets: readonly TestSocket[], write: () => Promise<unknown>): Promise<void> {
  let deaf = sockets.length
  const hearing = sockets.map(async (socket) => {
    socket.subscribe('1', 'subscription { postCreated { id } }')
    await heard(socket)
    deaf--
  })
  while (deaf > 0) {
    await write()
    await wait(20)
  }
  await Promise.all(hearing)
}

async function heard(socket: TestSocket): Promise<{ readonly id: string }> {
  const { payload } = await socket.next()
  return (payload as { data: { postCreated: { id: string } } }).data.postCreated
}
