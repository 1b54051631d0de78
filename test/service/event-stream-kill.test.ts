// Clients of event streams lose and repeat nothing while the service is killed amid writes. `KILLS` says how often, on each database.
// (contract 6.4.6)

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { EventSource } from 'eventsource'
import { createClient as createSseClient } from 'graphql-sse'
import { defaultLimits } from '../../src/limits.ts'
import { openForReading } from '../../src/service/open/open-store.ts'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { type Client, createClient } from '../support/client/http-client.ts'
import { signIn } from '../support/process/busy-writer.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'
import { startFront } from '../support/server/tcp-proxy.ts'

const kills = Number(process.env['KILLS'] ?? 2)

forEachEngine((engine) => {
  test(`streams lose and repeat nothing over ${kills} kills`, { timeout: 60_000 + kills * 60_000 }, async (t) => {
    const database = await createDatabase(engine)
    const front = await startFront()
    let service = await started(database, front)
    const stopping = new AbortController()
    t.after(async () => {
      stopping.abort()
      await service.process.end('SIGKILL')
      await front.stop()
      await database.drop()
    })
    const [rest, graphql] = [byEventSource(front.url, stopping.signal), byGraphqlSse(front.url, stopping.signal)]
    await Promise.all([rest.opened, graphql.opened])
    // graphql-sse has an id to resume after from the first event on.
    await write(createClient(service.url), 'first')
    await Promise.all([rest.has(1), graphql.has(1)])
    for (let round = 0; round < kills; round++) {
      let ended: Promise<unknown> | null = null
      let left = randomInt(1, 40)
      const written = () => {
        if (--left === 0) ended = service.process.end('SIGKILL')
      }
      await writeUntilGone(service.url, round, written)
      await ended
      service = await started(database, front)
    }
    await write(createClient(service.url), 'last')
    const expected = await createdPosts(database)
    await Promise.all([rest.has(expected.length), graphql.has(expected.length)])
    assert.deepEqual([rest.ids, graphql.ids], [expected, expected])
    t.diagnostic(`${kills} kills on ${engine}: ${expected.length} events`)
  })
})

async function started(
  database: TestDatabase,
  front: Awaited<ReturnType<typeof startFront>>,
): Promise<{ readonly process: ServiceProcess; readonly url: string }> {
  front.lead(null)
  const off = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const service = startProcess(programArguments('reference/main.ts'), {
    folder: repository,
    environment: { DATABASE_URL: database.url, BASE_URL: 'http://localhost', ...off },
  })
  const url = await service.listening()
  front.lead(url)
  return { process: service, url }
}

/** Four writers at once, each until it has no answer. */
async function writeUntilGone(url: string, round: number, written: () => void): Promise<void> {
  const client = createClient(url)
  const { access } = await signIn(client, 'editor')
  const one = async (writer: number) => {
    for (let count = 0; ; count++) {
      try {
        await write(client, `round ${round} ${writer} ${count}`, access)
      } catch {
        return
      }
      written()
    }
  }
  await Promise.all([0, 1, 2, 3].map(one))
  client.close()
}

async function write(client: Client, title: string, token?: string): Promise<void> {
  const access = token ?? (await signIn(client, 'editor')).access
  const headers = { Authorization: `Bearer ${access}` }
  const { status } = await client.send('POST /api/v2/posts', { headers, body: { title, content: 'C', publish: true } })
  assert.equal(status, 201)
}

function received() {
  const ids: string[] = []
  const opened = Promise.withResolvers<void>()
  let waiting: (() => void) | null = null
  return {
    ids,
    opened: opened.promise,
    open: () => opened.resolve(),
    add(id: string) {
      ids.push(id)
      waiting?.()
    },
    has: (count: number) =>
      new Promise<void>((resolve) => {
        waiting = () => ids.length >= count && resolve()
        waiting()
      }),
  }
}

function byEventSource(url: string, signal: AbortSignal) {
  const all = received()
  const source = new EventSource(`${url}/api/v2/event-stream?events=postCreated`)
  source.addEventListener('keep-alive', all.open)
  source.addEventListener('postCreated', ({ data }) => all.add(JSON.parse(data).data.id))
  signal.addEventListener('abort', () => source.close())
  return all
}

function byGraphqlSse(url: string, signal: AbortSignal) {
  const all = received()
  let last: string | undefined
  const client = createSseClient({
    url: `${url}/graphql`,
    headers: () => (last === undefined ? {} : { 'Last-Event-ID': last }),
    retryAttempts: Number.MAX_SAFE_INTEGER,
    retry: () => new Promise((resolve) => setTimeout(resolve, 100)),
  })
  const subscription = client.iterate({ query: 'subscription { postCreated { id } }' }, { connected: () => all.open() })
  const read = async () => {
    for await (const { data, extensions } of subscription) {
      last = (extensions as { readonly eventId: string }).eventId
      all.add((data as { postCreated: { id: string } }).postCreated.id)
    }
  }
  read().catch(() => {})
  signal.addEventListener('abort', () => client.dispose())
  return all
}

/** In the order of their commits, which is that of the events. */
async function createdPosts(database: TestDatabase): Promise<readonly string[]> {
  const log = { warn: () => {}, error: () => {} }
  const store = await openForReading(database.url, { limits: defaultLimits, log })
  const order = store.engine === 'sqlite' ? 'number' : 'transaction, number'
  function* read(): Program<readonly StoredRow[]> {
    return yield bind(query(`select record_id from duet_event where name = 'postCreated' order by ${order}`))
  }
  try {
    return (await store.read(read())).map(([id]) => id as string)
  } finally {
    await store.close()
  }
}
