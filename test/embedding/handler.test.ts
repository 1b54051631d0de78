// A service without a server of its own: what its three handlers promise beyond what the contract promises of every answer.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, createHandler, demoPassword, type Handler, type HandlerOptions, on, route, start } from 'duet-api'
import { fillDemo } from '../../reference/demo.ts'
import { Post } from '../../reference/post.ts'
import { api } from '../../reference/service.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { library } from '../support/domain/library.ts'
import { dataKey } from '../support/server/data-key.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { serve } from '../support/server/http-listener.ts'
import { startMailServer } from '../support/server/smtp.ts'

const environment = { DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }
const warned = { LOG_LEVEL: 'warn' }

/** Closed when the test ends. */
async function open(t: TestContext, options: HandlerOptions = {}, definition = api): Promise<Handler> {
  const handler = await createHandler(definition, {
    ...options,
    environment: { ...environment, ...options.environment },
  })
  t.after(() => handler.close())
  return handler
}

/** What is written to stderr while something runs. */
async function logOf(work: () => Promise<unknown>): Promise<string> {
  const write = process.stderr.write
  let text = ''
  process.stderr.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  try {
    await work()
  } finally {
    process.stderr.write = write
  }
  return text
}

const asJson = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever is there
const json = (answer: Response): Promise<any> => answer.json()
const login = asJson({ email: 'nobody@example.com', password: 'not the password' })

test('16.1.1 a test sends requests without a port', async (t) => {
  const handler = await open(t, { clientAddress: () => '203.0.113.7' })
  const rest = await handler.fetch(new Request('http://test/api/v2/posts'))
  assert.equal(rest.status, 200)
  assert.deepEqual((await json(rest)).data, [])
  const graphql = await handler.fetch(new Request('http://test/graphql', asJson({ query: '{ __typename }' })))
  assert.deepEqual(await graphql.json(), { data: { __typename: 'Query' } })
})

test('16.1.2 below a base path are the links, the documents, the pages and the cookie', async (t) => {
  const handler = await open(t, {
    basePath: '/backend',
    clientAddress: () => '203.0.113.7',
    environment: { REFRESH_TOKEN_IN: 'cookie' },
    demo: fillDemo,
  })
  /** Building a page may keep the process busy: then the next request is repeated, as a client repeats it. */
  const ask = async (path: string, init?: RequestInit): Promise<Response> => {
    for (;;) {
      const response = await handler.fetch(new Request(`http://test${path}`, init))
      if (response.status !== 503) return response
      await pause(1_000 * Number(response.headers.get('Retry-After')))
    }
  }

  assert.equal((await ask('/backend/health')).status, 200)
  for (const path of ['/health', '/api/v2/posts', '/backendapi/v2/posts', '/graphql', '/back'])
    assert.equal((await ask(path)).status, 404, path)

  assert.equal((await ask('/backend/api/posts?sort=id')).headers.get('Location'), '/backend/api/v2/posts?sort=id')
  const old = await ask('/backend/api/v1/posts')
  assert.equal(old.headers.get('Link'), '</backend/api/v2/posts>; rel="successor-version"')

  const { servers } = await json(await ask('/backend/api/v2/openapi.json'))
  assert.equal(servers[0].url, '/backend')

  const html = { headers: { Accept: 'text/html' } }
  const docs = await (await ask('/backend/docs', html)).text()
  const assets = [...docs.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!)
  assert.ok(assets.length > 3)
  for (const path of assets) {
    assert.match(path, /^\/backend\//)
    assert.equal((await ask(path, html)).status, 200, path)
  }

  const credentials = asJson({ email: 'admin@example.com', password: demoPassword })
  const signedIn = await ask('/backend/auth/login', credentials)
  assert.match(signedIn.headers.get('Set-Cookie') ?? '', /; Path=\/backend\/auth;/)
})

test('16.1.2 below the base path is where a mail says that its token is redeemed', async (t) => {
  const smtp = await startMailServer()
  t.after(() => smtp.close())
  const handler = await open(t, {
    basePath: '/backend',
    clientAddress: () => '203.0.113.7',
    environment: { SMTP_URL: smtp.url },
    demo: fillDemo,
  })
  const arrival = smtp.arrival()
  const email = 'viewer@example.com'
  const forgot = new Request('http://test/backend/auth/forgot-password', asJson({ email }))
  assert.equal((await handler.fetch(forgot)).status, 202)
  await arrival
  const [, address, token] = /to (\S+):\n\n(prt_\S+)/.exec(smtp.to(email)[0]!.text)!
  const reset = new Request(`http://test${address}`, asJson({ token, password: 'a password that is quite another' }))
  assert.equal((await handler.fetch(reset)).status, 204)
})

test('16.1.2 a base path that is none stops the start with a sentence', async () => {
  for (const basePath of ['backend', '/backend/', '/', '/a b', '/../x'])
    await assert.rejects(
      createHandler(api, { environment, basePath }),
      { message: new RegExp(`"${basePath}"`) },
      basePath,
    )
})

test('16.1.2 a BASE_URL that does not end in the base path is warned of', async (t) => {
  const warningsAt = (address: string) =>
    logOf(() => open(t, { basePath: '/backend', environment: { ...warned, BASE_URL: address } }))
  assert.match(await warningsAt('https://example.com'), /BASE_URL should end in \/backend: /)
  assert.match(await warningsAt('https://example.com/old'), /BASE_URL should end in \/backend: /)
  for (const address of ['https://example.com/backend', 'https://example.com/shop/backend/'])
    assert.doesNotMatch(await warningsAt(address), /BASE_URL/)
})

test('16.1.2 what is not below the base path is left to the host', async (t) => {
  const handler = await open(t, { basePath: '/backend' })
  const url = await serve(t, (request, response) =>
    handler.listener(request, response, () => response.end(`the host: ${request.url}`)),
  )
  assert.equal(await (await fetch(`${url}/about`)).text(), 'the host: /about')
  assert.equal((await fetch(`${url}/backend/health`)).status, 200)
  const alone = await serve(t, handler.listener)
  assert.equal((await fetch(`${alone}/about`)).status, 404)
})

test('16.1.3 a listener counts by the address of the socket, behind proxies that are trusted', async (t) => {
  const handler = await open(t, { environment: { LIMIT_LOGIN_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.1' } })
  const url = await serve(t, handler.listener)
  const from = async (address: string) => {
    const headers = { ...login.headers, 'X-Forwarded-For': address }
    return (await fetch(`${url}/auth/login`, { ...login, headers })).status
  }
  assert.deepEqual([await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.2')], [401, 429, 401])
})

test('16.1.3 fetch counts by what clientAddress answers, and everybody else together', async (t) => {
  const handler = await open(t, {
    environment: { ...warned, LIMIT_LOGIN_PER_MINUTE: '1', TRUST_PROXY: '10.0.0.0/8' },
    clientAddress: (_, host) => host as string | null,
  })
  const from = async (address: unknown, forwardedFor?: string) => {
    const headers = { ...login.headers, ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }) }
    return (await handler.fetch(new Request('http://test/auth/login', { ...login, headers }), address)).status
  }
  const refusals = await logOf(async () => {
    assert.deepEqual([await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.2')], [401, 429, 401])
    assert.equal(await from('203.0.113.1', '203.0.113.3'), 429, 'a header from an address that is not trusted')
    assert.equal(await from('10.1.1.1', '203.0.113.3'), 401, 'a header from a proxy that is')
  })
  assert.doesNotMatch(refusals, /without an address/)
  const warnings = await logOf(async () => {
    assert.deepEqual([await from(null), await from('no address'), await from(undefined)], [401, 429, 429])
  })
  assert.equal(warnings.match(/without an address/g)?.length, 1, warnings)
})

test('16.1.3 in production fetch needs clientAddress, or no limits per address', async (t) => {
  const production = {
    NODE_ENV: 'production',
    BASE_URL: 'https://example.com',
    DATA_KEY: dataKey,
    DRAIN_SECONDS: '0',
  }
  const handler = await open(t, { environment: production })
  assert.throws(() => handler.fetch, /clientAddress/)
  const unlimited = { ...production, LIMIT_IP_PER_MINUTE: '0', LIMIT_LOGIN_PER_MINUTE: '0' }
  const open1 = await open(t, { environment: unlimited })
  assert.equal((await open1.fetch(new Request('http://test/health'))).status, 200)
  const open2 = await open(t, { environment: production, clientAddress: () => null })
  assert.equal((await open2.fetch(new Request('http://test/health'))).status, 200)
})

test('16.1.4 a body that the host has read is an error that names the remedy', async (t) => {
  const handler = await open(t, { clientAddress: () => '203.0.113.7' })
  const url = await serve(t, async (request, response) => {
    for await (const _ of request);
    handler.listener(request, response)
  })
  const request = new Request('http://test/auth/login', login)
  await request.text()
  for (const answer of [await fetch(`${url}/auth/login`, login), await handler.fetch(request)]) {
    assert.equal(answer.status, 500)
    const { error } = await json(answer)
    assert.equal(error.code, 'INTERNAL_ERROR')
    assert.match(error.message, /The host has read the body of this request\. Mount the handler before/)
  }
})

test('16.1.1 upgrade takes subscriptions over from the server of a host', async (t) => {
  const handler = await open(t, { basePath: '/backend' })
  const url = await serve(t, handler.listener, (request, socket, head) => {
    if (!handler.upgrade(request, socket, head)) socket.end('HTTP/1.1 418 I am the host\r\n\r\n')
  })
  const socket = await TestSocket.ready(`${url}/backend`)
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { postCreated { title } }' } })
  socket.send({ type: 'ping' })
  assert.equal((await socket.next()).type, 'pong')
  socket.send({ type: 'complete', id: '1' })
  await assert.rejects(TestSocket.open(`${url}/elsewhere`), /418/)
  await assert.rejects(TestSocket.open(`${url}/backend/elsewhere`), /404/)
  await handler.close()
  assert.equal(await socket.closed, 1001)
})

test('16.1.1 raw bodies and streams go through fetch and through a listener', async (t) => {
  const ends: string[] = []
  const numbers = route('GET', '/api/v2/numbers', {
    summary: 'Count',
    access: anyone,
    answer: 'text/csv',
    async *handle() {
      try {
        for (let number = 1; ; number++) yield `${number}\n`
      } finally {
        ends.push('ended')
      }
    },
  })
  const echo = route('POST', '/api/v2/echo', {
    summary: 'Answer what was sent',
    access: anyone,
    raw: { maxBytes: 10, mediaTypes: ['text/plain'] },
    answer: 'text/plain',
    handle: async ({ bytes }) => bytes,
  })
  const handler = await open(t, { clientAddress: () => '203.0.113.7' }, {
    ...api,
    routes: [numbers, echo],
  } as typeof api)
  const url = await serve(t, handler.listener)
  const byFetch = (path: string, init?: RequestInit) => handler.fetch(new Request(`http://test${path}`, init))
  const byListener = (path: string, init?: RequestInit) => fetch(url + path, init)
  for (const ask of [byFetch, byListener]) {
    const sent = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })
    assert.equal(await (await ask('/api/v2/echo', sent('0123456789'))).text(), '0123456789')
    assert.equal((await ask('/api/v2/echo', sent('0123456789x'))).status, 413)

    const streamed = await ask('/api/v2/numbers')
    const reader = streamed.body!.getReader()
    const { value } = await reader.read()
    assert.match(Buffer.from(value!).toString(), /^1\n/)
    await reader.cancel()
  }
  await handler.close()
  assert.deepEqual(ends, ['ended', 'ended'])
})

test('16.1.1 event streams go through fetch and through a listener, and end with the handler', async (t) => {
  const handler = await open(t, { clientAddress: () => '203.0.113.7' })
  const url = await serve(t, handler.listener)
  const byFetch = (path: string) => handler.fetch(new Request(`http://test${path}`))
  const byListener = (path: string) => fetch(url + path)
  const readers = await Promise.all(
    [byFetch, byListener].map(async (ask) => {
      const { status, body } = await ask('/api/v2/event-stream?events=postCreated')
      assert.equal(status, 200)
      return body!.pipeThrough(new TextDecoderStream()).getReader()
    }),
  )
  const read = async (reader: (typeof readers)[number], until: string) => {
    let text = ''
    while (!text.includes(until)) text += (await reader.read()).value!
  }
  for (const each of readers) await read(each, 'event: keep-alive\n')
  await handler.close()
  for (const each of readers) assert.equal((await each.read()).done, true)
})

test('16.1.6 without workers reactions and events are left to other processes', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  const reacted = Promise.withResolvers<string>()
  const reactions = [on(Post, 'postCreated', async ({ record }) => reacted.resolve(record!.title))]
  const options = {
    environment: { DATABASE_URL: database.url, DATA_KEY: dataKey, DEMO_PASSWORD: 'correct horse' },
    clientAddress: () => '203.0.113.7',
    demo: fillDemo,
  }
  const definition = { ...api, reactions } as typeof api
  const idle = await open(t, { ...options, workers: false }, definition)
  const worker = await open(t, options, definition)
  // Those who use it are closed before.
  t.after(() => database.drop())
  const url = await serve(t, idle.listener, (request, socket, head) => void idle.upgrade(request, socket, head))
  await assert.rejects(TestSocket.open(url), /404/)
  assert.equal((await fetch(`${url}/api/v2/event-stream?events=postCreated`)).status, 404)
  const credentials = { email: 'admin@example.com', password: 'correct horse' }
  const { access_token: token } = await json(
    await idle.fetch(new Request('http://test/auth/login', asJson(credentials))),
  )
  const post = asJson({ title: 'Written without workers', content: 'C' })
  const headers = { ...post.headers, Authorization: `Bearer ${token}` }
  const other = await serve(t, worker.listener, (request, socket, head) => void worker.upgrade(request, socket, head))
  const socket = await TestSocket.ready(other, token)
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { postCreated { title } }' } })
  socket.send({ type: 'ping' })
  await socket.next()
  const { status } = await idle.fetch(new Request('http://test/api/v2/posts', { ...post, headers }))
  assert.equal(status, 201)
  assert.equal(await reacted.promise, 'Written without workers')
  const frame = await socket.next()
  const { data } = frame.payload as { readonly data: unknown }
  assert.deepEqual(data, { postCreated: { title: 'Written without workers' } })
})

test('two services run in one process', async (t) => {
  const first = await start(api, { environment: { ...environment, PORT: '0', METRICS_PORT: '0' } })
  t.after(() => first.stop())
  const second = await start(library, { environment: { ...environment, PORT: '0', METRICS_PORT: '0' } })
  t.after(() => second.stop())
  const handler = await open(t, { clientAddress: () => '203.0.113.7' })
  assert.equal((await fetch(`${first.url}/api/v2/posts`)).status, 200)
  assert.equal((await fetch(`${second.url}/api/v1/books`)).status, 200)
  assert.equal((await fetch(`${second.url}/api/v2/posts`)).status, 404)
  assert.equal((await handler.fetch(new Request('http://test/api/v2/posts'))).status, 200)
})
