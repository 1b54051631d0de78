// Requests that nobody waits for any more, and those that take too long: both faces stop, and PostgreSQL with them. (contract 8.4.4)

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { bind, type Program, query, type Store } from '../../src/store/store.ts'
import { cost, nothing, quiet } from '../support/check/statement-counter.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { postgresMissing } from '../support/server/databases.ts'
import { type ServiceOptions, startTestService, type TestService, withService } from '../support/server/service.ts'

/** Keeps everybody from the articles: on PostgreSQL from reading them, on SQLite from writing anything. */
async function holdArticles({ engine, databaseUrl }: TestService): Promise<() => Promise<void>> {
  if (engine === 'sqlite') {
    const other = new Sqlite(databaseUrl.slice('sqlite:'.length))
    other.exec('begin immediate')
    return async () => void other.exec('rollback').close()
  }
  const other = new pg.Client({ connectionString: databaseUrl })
  await other.connect()
  await other.query('begin; lock table articles in access exclusive mode')
  return () => other.end()
}

/** Resolves when so many statements wait at the server for what is held. */
async function untilHeldUp(store: Store, wanted: number): Promise<void> {
  while ((await store.read(countHeldUp())) !== wanted) await turn()
}
function* countHeldUp(): Program<number> {
  const [row] = yield bind(
    query(`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
  )
  return row![0] as number
}

/** Sends a request and answers how to leave before its answer. */
function sendAndLeave({ url }: TestService, path: string, body?: object, token?: string): () => Promise<void> {
  const sent = request(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
  })
  const closed = new Promise<void>((resolve) => sent.on('close', resolve).on('error', () => {}))
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return () => {
    sent.destroy()
    return closed
  }
}
async function subscribeAndLeave({ url }: TestService, document: string, token?: string): Promise<() => Promise<void>> {
  const socket = await TestSocket.ready(url, token)
  socket.subscribe('1', document)
  return () => socket.drop()
}

/** SQLite answers a read before anybody can leave or time can pass. */
function onPostgres(
  title: string,
  limits: ServiceOptions['limits'],
  suite: (service: () => TestService) => void,
): void {
  describe(title, { skip: postgresMissing, timeout: 20_000 }, () => {
    let service: TestService | undefined
    before(async () => {
      service = await startTestService('postgres', { limits: { abandonedSweepMs: 20, ...quiet, ...limits } })
    })
    after(() => service?.stop())
    suite(() => service!)
  })
}

const nested = '{ articles(first: 5) { nodes { title author { name posts { title } } } } }'

onPostgres('8.4 Nobody waits for a query', { executionTimeoutMs: 60_000, statementTimeoutMs: 60_000 }, (service) => {
  for (const [how, start] of [
    ['REST', () => sendAndLeave(service(), '/api/v2/articles')],
    ['GraphQL', () => sendAndLeave(service(), '/graphql', { query: nested })],
    ['a socket that is lost', () => subscribeAndLeave(service(), nested)],
    [
      'an operation that is completed',
      async () => {
        const socket = await TestSocket.ready(service().url)
        socket.subscribe('1', nested)
        return async () => socket.send({ type: 'complete', id: '1' })
      },
    ],
  ] as const) {
    test(`8.4.4 ${how}: its statement ends at the server, and no further one is sent`, async () => {
      const { store } = service()
      const release = await holdArticles(service())
      try {
        const leave = await start()
        await untilHeldUp(store, 1)
        await leave()
        await untilHeldUp(store, 0)
      } finally {
        await release()
      }
      assert.deepEqual(await cost(service(), () => store.read(countHeldUp())), { ...nothing, statements: 1, rows: 1 })
    })
  }
})

withService(
  '8.4 A mutation whose client has gone',
  (service) => {
    for (const [how, start] of [
      ['HTTP', async (document, token) => sendAndLeave(service(), '/graphql', { query: document }, token)],
      ['WebSocket', (document, token) => subscribeAndLeave(service(), document, token)],
    ] as readonly (readonly [string, (document: string, token: string) => Promise<() => Promise<void>>])[]) {
      test(`8.4.4 ${how}: of those that follow none is begun`, { timeout: 20_000 }, async () => {
        const token = await service().token(await service().fixtures().idOf('editor'))
        const create = (key: string) => `${key}: createArticle(input: { title: "${how} ${key}", body: "B" }) { id }`
        const release = await holdArticles(service())
        try {
          const leave = await start(`mutation { ${create('a')} ${create('b')} ${create('c')} }`, token)
          // What was sent before is read before, and whoever writes waits.
          await service().send('GET /health')
          if (service().engine === 'postgres') await untilHeldUp(service().store, 1)
          await leave()
          await service().send('GET /health')
        } finally {
          await release()
        }
        // Each of these is written after whatever was queued before it.
        for (let written = 0; written < 4; written++) {
          const body = { title: 'After', body: 'B' }
          assert.equal((await service().send('POST /api/v2/articles', { as: 'editor', body })).status, 201)
        }
        const { body } = await service().graphql('{ articleList(limit: 100) { title } }', { as: 'editor' })
        const titles = (body.data.articleList as { title: string }[]).map(({ title }) => title)
        assert(!titles.includes(`${how} b`) && !titles.includes(`${how} c`), titles.join())
      })
    }
  },
  { limits: { abandonedSweepMs: 20 } },
)

onPostgres('8.4 A request takes too long', { executionTimeoutMs: 1_000, statementTimeoutMs: 60_000 }, (service) => {
  let release: () => Promise<void>
  beforeEach(async () => {
    release = await holdArticles(service())
  })
  afterEach(() => release())

  const tooLong = (path: readonly string[], column: number) => ({
    message: 'The request took too long.',
    locations: [{ line: 1, column }],
    path,
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  })

  test('8.4.4 REST: 503 with Retry-After, and its statement ends', async () => {
    const { status, body, headers } = await service().send('GET /api/v2/articles')
    assert.equal(status, 503)
    assert.equal(body.error.code, 'SERVICE_UNAVAILABLE')
    assert.equal(headers['retry-after'], '1')
    await untilHeldUp(service().store, 0)
  })

  test('8.4.4 GraphQL: an error at the path of what took too long, beside what did not', async () => {
    const query = '{ me: products(first: 1) { totalCount } a: article(id: "x") { id } }'
    const { status, body } = await service().graphql(query)
    assert.equal(status, 200)
    assert.deepEqual(body, { errors: [tooLong(['a'], 41)], data: { me: { totalCount: 0 }, a: null } })
  })

  test('8.4.4 over a WebSocket the same', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', '{ a: article(id: "x") { id } }')
    const payload = { errors: [tooLong(['a'], 3)], data: { a: null } }
    assert.deepEqual(await socket.next(), { id: '1', type: 'next', payload })
    assert.deepEqual(await socket.next(), { id: '1', type: 'complete' })
    await socket.close()
  })
})

withService(
  '8 Deadlines: who leaves',
  (service) => {
    const metricsNow = async () => {
      const text = await (await fetch(service().metricsUrl!)).text()
      return text.split('\n').filter((line) => /SERVICE_UNAVAILABLE|^duet_requests_total.*5xx/.test(line))
    }

    test('8.4.4 is no failure of the service, in its log and its metrics, on either face', async () => {
      const { engine } = service()
      const fixtures = service().fixtures({})
      const token = await service().token(await fixtures.idOf('editor'))
      service().forgetLog()
      // SQLite answers a read before anybody can leave.
      const document =
        engine === 'sqlite'
          ? 'mutation { createArticle(input: { title: "T", body: "B" }) { id } }'
          : '{ articles { nodes { id } } }'
      const requests =
        engine === 'sqlite'
          ? [
              ['/api/v2/articles', { title: 'T', body: 'B' }],
              ['/graphql', { query: document }],
            ]
          : [
              ['/api/v2/articles', undefined],
              ['/graphql', { query: document }],
            ]
      const release = await holdArticles(service())
      const leave = requests.map(([path, body]) => sendAndLeave(service(), path as string, body as object, token))
      leave.push(await subscribeAndLeave(service(), document, token))
      // Both have arrived once a third one is answered.
      for (let at = 0; at < 3; at++) await service().send('GET /health')
      if (engine === 'postgres') await untilHeldUp(service().store, 3)
      for (const each of leave) await each()
      if (engine === 'sqlite') await release()
      const lines = () =>
        service()
          .logged()
          .filter(({ route, msg }) => msg === 'request' && route !== '/health')
      while (lines().length < 4) await turn()
      if (engine === 'postgres') await release()
      assert.deepEqual(
        lines()
          .map(({ method, level, status, code }) => [method === 'WEBSOCKET', level, status, code])
          .sort(),
        [
          [false, 'info', 0, undefined],
          [false, 'info', 0, undefined],
          [false, 'info', 101, undefined],
          [true, 'info', 0, undefined],
        ],
      )
      assert.deepEqual(await metricsNow(), [])
    })
  },
  { logsRequests: true, environment: { METRICS_PORT: '0' }, limits: { abandonedSweepMs: 20, ...quiet } },
)
