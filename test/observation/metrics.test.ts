// What Prometheus is told: read by somebody else's parser, and equal to what the documentation lists.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { api } from '../../reference/service.ts'
import { silentLog } from '../../src/observation/log.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { startService } from '../../src/service/service.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { readMetrics, type Sample, type Told } from '../support/oracle/prometheus.ts'
import { type TestService, withService } from '../support/server/service.ts'

type Labels = Readonly<Record<string, string>>

const scrape = async ({ metricsUrl }: Pick<TestService, 'metricsUrl'>): Promise<string> =>
  (await fetch(metricsUrl!)).text()
const read = async (service: TestService): Promise<Told> => readMetrics(await scrape(service))

/** The value of the one sample with these labels; 0 where there is none. */
async function metric(service: TestService, name: string, labels: Labels = {}): Promise<number> {
  const { samples } = await read(service)
  const ofName = samples.get(name) ?? []
  const found = ofName.filter((each) => Object.entries(labels).every(([label, text]) => each.labels?.[label] === text))
  assert(found.length < 2, `${JSON.stringify(labels)} is one sample of ${name}`)
  return Number(found[0]?.value ?? 0)
}

async function grows(service: TestService, name: string, labels: Labels, by: number, work: () => Promise<unknown>) {
  const before = await metric(service, name, labels)
  await work()
  assert.equal((await metric(service, name, labels)) - before, by, `${name} ${JSON.stringify(labels)}`)
}

withService(
  'metrics',
  (service) => {
    const post = { Post: { title: 'Draft', content: 'c', author: '{editor}' } }

    test('are accepted by another library, and by promtool where it is installed', async () => {
      await service().send('GET /api/v2/posts')
      const text = await scrape(service())
      const { families, samples } = readMetrics(text)
      assert(samples.has('duet_requests_total'))
      assert.equal(families.length, text.match(/^# TYPE /gm)!.length)
      const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
      if (checked.error === undefined) assert.equal(checked.status, 0, checked.stderr + checked.stdout)
    })

    test('are those that docs/operating.md lists', async () => {
      await service().send('GET /api/v2/posts/none')
      const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
      const rows = guide.matchAll(/^\| `([a-z_0-9]+)` \| (counter|gauge|histogram) \|(.*?)\| (.*) \|$/gm)
      const listed = new Map(Array.from(rows, ([, name, type, labels, help]) => [name!, { type, labels, help }]))
      // Of services that have these.
      for (const name of listed.keys()) if (/^duet_(redis|reactions)_/.test(name)) listed.delete(name)
      const { families, samples } = await read(service())
      const own = families.filter(({ name }) => !/^(process|nodejs)_/.test(name) || listed.has(name))
      assert.deepEqual(own.map(({ name }) => name).sort(), [...listed.keys()].sort())
      for (const { name, type, help } of own) {
        const row = listed.get(name)!
        assert.deepEqual([type.toLowerCase(), help], [row.type, row.help], name)
        const documented = Array.from(row.labels!.matchAll(/`(\w+)`/g), ([, label]) => label).sort()
        for (const { labels = {} } of samples.get(type === 'HISTOGRAM' ? `${name}_count` : name) ?? []) {
          assert.deepEqual(Object.keys(labels).sort(), documented, name)
        }
      }
    })

    test('count requests by face, route, method and status, and how long they took', async () => {
      const rest = { face: 'rest', route: '/api/v2/posts/{id}', method: 'GET' }
      const ask = () => service().send('GET /api/v2/posts/none')
      await grows(service(), 'duet_requests_total', { ...rest, status: '4xx' }, 1, ask)
      await grows(service(), 'duet_request_duration_seconds_count', rest, 1, ask)
      await grows(service(), 'duet_failures_total', { face: 'rest', code: 'NOT_FOUND' }, 1, ask)
      const graphql = { face: 'graphql', route: '/graphql', method: 'POST', status: '2xx' }
      const fail = () => service().graphql('{ post(id: "post_none") { id } }')
      await grows(service(), 'duet_requests_total', graphql, 1, fail)
      await grows(service(), 'duet_failures_total', { face: 'graphql', code: 'NOT_FOUND' }, 1, fail)
    })

    test('put a duration into every bucket that is long enough', async () => {
      await service().send('GET /health')
      const { samples } = await read(service())
      const of = (part: string) => samples.get(`duet_request_duration_seconds_${part}`)!
      for (const { labels, value } of of('count')) {
        const ours = of('bucket').filter((each) =>
          ['route', 'method'].every((name) => each.labels?.[name] === labels?.[name]),
        )
        const counts = ours.map((each) => Number(each.value))
        assert.deepEqual(
          counts,
          counts.toSorted((one, other) => one - other),
        )
        assert.equal(counts.at(-1), Number(value))
      }
      for (const { value } of of('sum')) assert(Number(value) > 0)
    })

    test('stay as many whatever clients send', async () => {
      const sent = async (word: string) => {
        for (const path of [
          `/api/v2/posts/${word}`,
          `/${word}`,
          `/api/v2/${word}/x`,
          `/api/v2/posts?sort=${word}`,
          `/auth/${word}`,
        ])
          await service().send(`GET ${path}`)
        await service().graphql(`query ${word} { ${word} }`, { headers: { 'X-Request-ID': word } })
        await fetch(`${service().url}/health`, { method: 'PURGE' })
      }
      const count = async () => (await scrape(service())).split('\n').filter((line) => line.startsWith('duet_')).length
      await sent('zebra')
      const before = await count()
      for (let number = 0; number < 20; number++) await sent(`word${number}`)
      assert.equal(await count(), before)
      assert.doesNotMatch(await scrape(service()), /zebra|word\d|PURGE/)
    })

    test('count statements, commits and the time of the database', async () => {
      const fixtures = service().fixtures({})
      await service().token(await fixtures.idOf('editor'))
      const create = () =>
        service().send('POST /api/v2/posts', { as: 'editor', fixtures, body: { title: 'T', content: 'C' } })
      await grows(service(), 'duet_store_duration_seconds_count', { kind: 'write' }, 1, create)
      const before = await metric(service(), 'duet_store_commits_total')
      await create()
      assert((await metric(service(), 'duet_store_commits_total')) > before)
      assert((await metric(service(), 'duet_store_statements_total')) > 0)
      assert.equal(await metric(service(), 'duet_store_writes_waiting'), 0)
    })

    test('count plans and documents that were there, and those that were not', async () => {
      const query = '{ products(first: 3) { nodes { name stock } } }'
      await grows(service(), 'duet_cache_misses_total', { cache: 'documents' }, 1, () => service().graphql(query))
      await grows(service(), 'duet_cache_hits_total', { cache: 'documents' }, 1, () => service().graphql(query))
      await grows(service(), 'duet_plan_hits_total', {}, 1, () => service().graphql(query))
    })

    test('count what limits refuse, by bucket', async () => {
      const ask = (address: string) =>
        service().send('GET /api/v2/products', { headers: { 'X-Forwarded-For': address } })
      for (let number = 0; number < 500; number++) if ((await ask('192.0.2.1')).status === 429) break
      await grows(service(), 'duet_rate_limit_refusals_total', { bucket: 'address' }, 1, () => ask('192.0.2.1'))
      assert.equal(await metric(service(), 'duet_rate_limit_refusals_total', { bucket: 'user' }), 0)
    })

    test('count sign-ins and refresh tokens, and what is denied', async () => {
      const { idOf } = service().fixtures({})
      await idOf('viewer')
      const signIn = (password: string) =>
        service().send('POST /auth/login', { body: { email: 'viewer@example.com', password } })
      const right = 'correct horse battery staple'
      await grows(service(), 'duet_sign_ins_total', { outcome: 'refused' }, 1, () => signIn('wrong password'))
      await grows(service(), 'duet_sign_ins_total', { outcome: 'accepted' }, 1, () => signIn(right))
      const { body } = await signIn(right)
      const refresh = () => service().send('POST /auth/refresh', { body: { refresh_token: body.refresh_token } })
      await grows(service(), 'duet_refresh_tokens_total', { outcome: 'renewed' }, 1, refresh)
      await grows(service(), 'duet_refresh_tokens_total', { outcome: 'reused' }, 1, refresh)
      await grows(service(), 'duet_refresh_tokens_total', { outcome: 'invalid' }, 1, refresh)
      const own = await signIn(right)
      const sessions = await service().send('GET /api/v2/sessions', {
        headers: { Authorization: `Bearer ${own.body.access_token}` },
      })
      await grows(service(), 'duet_denials', {}, 1, () =>
        service().send(`DELETE /api/v2/sessions/${sessions.body.data[0].id}`, {
          headers: { Authorization: `Bearer ${own.body.access_token}` },
        }),
      )
    })

    test('know WebSockets, subscriptions, and how late events are', async () => {
      const fixtures = service().fixtures({ post })
      const editor = await fixtures.idOf('editor')
      const id = await fixtures.idOf('post')
      const sockets = await metric(service(), 'duet_sockets')
      const socket = await TestSocket.ready(service().url, await service().token(editor))
      socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { postPublished { id } }' } })
      while ((await metric(service(), 'duet_subscriptions')) === 0);
      assert.equal(await metric(service(), 'duet_sockets'), sockets + 1)
      assert((await metric(service(), 'duet_connections')) > 1)
      const before = await metric(service(), 'duet_event_lag_seconds_count', { stage: 'delivered' })
      const position = await metric(service(), 'duet_event_position')
      await service().send(`POST /api/v2/posts/${id}/publish`, { as: 'editor', fixtures })
      await socket.next()
      while ((await metric(service(), 'duet_event_lag_seconds_count', { stage: 'delivered' })) === before);
      assert((await metric(service(), 'duet_event_position')) > position)
      assert((await metric(service(), 'duet_event_lag_seconds_count', { stage: 'read' })) > 0)
      await socket.close()
      while ((await metric(service(), 'duet_subscriptions')) > 0);
    })

    test('say what runs, and on what', async () => {
      const { samples } = await read(service())
      const [{ labels, value }] = samples.get('duet_build_info') as [Sample]
      const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
      assert.deepEqual([labels, value], [{ version, node: process.versions.node, database: service().engine }, '1'])
      assert.equal(await metric(service(), 'duet_database_up'), 1)
    })

    test('know the process, by names that the guide has', async () => {
      const { families } = await read(service())
      const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
      for (const [, name] of guide.matchAll(/`((?:process|nodejs)_\w+)`/g))
        assert.ok(
          families.some((each) => each.name === name),
          name,
        )
      assert((await metric(service(), 'process_resident_memory_bytes')) > 10_000_000)
      assert((await metric(service(), 'process_cpu_seconds_total')) > 0)
      const heapBytes = await metric(service(), 'nodejs_heap_size_used_bytes')
      assert(heapBytes > 1_000_000 && heapBytes < (await metric(service(), 'process_resident_memory_bytes')))
      const lagSeconds = await metric(service(), 'nodejs_eventloop_lag_p99_seconds')
      assert(lagSeconds >= 0 && lagSeconds < 30)
      const utilization = await metric(service(), 'nodejs_eventloop_utilization_ratio')
      assert(utilization >= 0 && utilization <= 1)
    })

    test('are on no port of the API, and their port has nothing else', async () => {
      assert.equal((await service().send('GET /metrics')).status, 404)
      const { metricsUrl } = service()
      const answer = async (url: string, method = 'GET') => {
        const response = await fetch(url, { method })
        return [response.status, response.headers.get('content-type'), (await response.text()).length > 0]
      }
      const type = 'text/plain; version=0.0.4; charset=utf-8'
      assert.deepEqual(await answer(metricsUrl!), [200, type, true])
      assert.deepEqual(await answer(`${metricsUrl}?name=x`), [200, type, true])
      assert.deepEqual(await answer(metricsUrl!, 'HEAD'), [200, type, false])
      assert.deepEqual(await answer(metricsUrl!, 'POST'), [405, null, false])
      assert.deepEqual(await answer(metricsUrl!.replace('/metrics', '/api/v2/posts')), [404, null, false])
    })
  },
  {
    environment: { METRICS_PORT: '0', LIMIT_IP_PER_MINUTE: '300', TRUST_PROXY: '127.0.0.1' },
    // Sweeping writes too, and where the machine is busy a minute passes before the last test.
    limits: { sweepSeconds: 86_400 },
  },
)

describe('without METRICS_PORT', () => {
  const start = (environment: Readonly<Record<string, string>>) =>
    startService(api, {
      configuration: readConfiguration({
        PORT: '0',
        DATABASE_URL: 'sqlite::memory:',
        DEMO_DATA: 'off',
        ...environment,
      }),
      log: silentLog,
      clock: () => new Date(),
    })

  test('nothing is measured and nothing listens', async () => {
    const service = await start({})
    assert.equal(service.metricsUrl, null)
    assert.equal(service.store.constructor.name, 'SqliteStore', 'nothing stands before the store')
    await service.stop()
  })

  test('where its port is taken, one sentence says so', async () => {
    const service = await start({ METRICS_PORT: '0' })
    const { port } = new URL(service.metricsUrl!)
    await assert.rejects(start({ METRICS_PORT: port }), {
      message: new RegExp(
        `^METRICS_HOST and METRICS_PORT name 127\\.0\\.0\\.1:${port}, where the service cannot listen: .*EADDRINUSE`,
      ),
    })
    await service.stop()
  })
})
