// Secrets are planted wherever a client or an operator can put one. Then nothing that is written may hold them: no line of
// the log, no metric, no span, no answer that tells of a failure.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { context, propagation, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { anyone, argument, service as defineService, resource, route, text } from 'duet-api'
import { api } from '../../reference/service.ts'
import { createLog } from '../../src/observation/log.ts'
import type { Service } from '../../src/resource/language/service.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { startService } from '../../src/service/service.ts'
import type { Answer } from '../support/client/http-client.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { dataKey } from '../support/server/data-key.ts'
import { password, withService } from '../support/server/service.ts'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()
after(async () => {
  await provider.shutdown()
  for (const each of [trace, context, propagation]) each.disable()
})

/** Part of every secret here. */
const mark = 'pl4nted'
const token = (prefix: string) => `${prefix}${mark}${'A'.repeat(43 - mark.length)}`
const bearer = `eyJhbGciOiJIUzI1NiJ9.${mark}.${mark}`

/** Its effect fails, and quotes what it was given. */
const Vault = resource('Vault', {
  prefix: 'vlt',
  fields: { name: text({ max: 100 }), secret: argument(text({ max: 100 })) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['name', 'secret'],
      effect: async ({ input }) => {
        throw new Error(`No vault for ${input.secret}: ${JSON.stringify(input)}`)
      },
    },
  },
})
const definition = defineService({
  ...(api as unknown as Parameters<typeof defineService>[0]),
  resources: { ...(api as unknown as { resources: object }).resources, Vault },
} as never) as Service<unknown>

const failing = route('POST', '/api/v2/vaults-opened', {
  summary: 'Fails, and quotes what it was given',
  access: anyone,
  query: { token: text({ max: 100 }) },
  body: { password: text({ max: 100 }) },
  handle: async ({ input, query }) => {
    throw new Error(`Cannot open with ${input.password} or ${query.token}`, { cause: new Error(JSON.stringify(input)) })
  },
})

withService(
  'no secret is written',
  (service) => {
    const answers: Answer[] = []
    const ask = async (line: string, sending: { headers?: Record<string, string>; body?: unknown } = {}) => {
      const answer = await service().client.send(line, sending)
      answers.push(answer)
      return answer
    }
    async function assertClean(others: readonly string[] = []): Promise<void> {
      const spans = exporter
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => JSON.stringify({ name, attributes, events, status }))
      const metrics = await (await fetch(service().metricsUrl!)).text()
      const failures = answers.filter(({ status, text: body }) => status >= 400 || body.includes('"errors"'))
      const lines = [...service().log()]
      exporter.reset()
      service().forgetLog()
      answers.length = 0
      assert(spans.length > 0 && failures.length > 0 && lines.length > 0, 'there is something to search')
      for (const secret of [mark, password, ...others]) {
        const found = [...lines, ...spans, metrics, ...failures.map((each) => each.text)]
        assert.deepEqual(
          found.filter((each) => each.includes(secret)),
          [],
        )
      }
    }

    test('of credentials that are refused', async () => {
      for (const headers of [
        { Authorization: `Bearer ${bearer}` },
        { Authorization: `Bearer ${mark} rubbish` },
        { Authorization: `Basic ${mark}` },
        { Authorization: `${mark}` },
        { 'X-API-Key': token('duet_') },
        { 'X-API-Key': mark },
        { Cookie: `refresh_token=${token('rt_')}` },
      ]) {
        await ask('GET /api/v2/posts', { headers })
        await ask('POST /graphql', { headers, body: { query: '{ me { id } }' } })
      }
      for (const [path, body] of [
        ['login', { email: 'viewer@example.com', password: mark }],
        ['login', { email: mark, password: mark, [mark]: 1 }],
        ['login', `{"email":"a","password":"${mark}`],
        ['refresh', { refresh_token: token('rt_') }],
        ['refresh', { refresh_token: mark }],
        ['logout', { refresh_token: mark }],
        ['reset-password', { token: token('prt_'), password: `${mark} long enough` }],
        ['reset-password', { token: mark, password: mark }],
      ] as const) {
        await ask(`POST /auth/${path}`, { body })
      }
      for (const path of [
        `/api/v2/posts?token=${mark}`,
        `/graphql?token=${mark}&query={me{id}}`,
        `/api/v2/posts/${mark}`,
        `/reset/${mark}`,
      ])
        await ask(`GET ${path}`)
      // What a client calls a field, and its own text in its own answer, is no secret.
      answers.splice(0, answers.length, ...answers.filter((each) => !each.text.includes(`"${mark}"`)))
      await assertClean()
    })

    test('of credentials that are good', async () => {
      await service().fixtures({}).idOf('viewer')
      const signedIn = await ask('POST /auth/login', { body: { email: 'viewer@example.com', password } })
      assert.equal(signedIn.status, 200, signedIn.text)
      const { access_token, refresh_token } = signedIn.body
      const headers = { Authorization: `Bearer ${access_token}` }
      const key = await ask('POST /api/v2/api-keys', { headers, body: { name: 'k', scopes: ['read:posts'] } })
      await ask('GET /api/v2/posts', { headers: { 'X-API-Key': key.body.data.key } })
      const renewed = await ask('POST /auth/refresh', { body: { refresh_token } })
      await ask('POST /auth/refresh', { body: { refresh_token } })
      await ask('POST /auth/forgot-password', { body: { email: 'viewer@example.com' } })
      // The server that SMTP_URL names is not there.
      while (
        service()
          .logged()
          .every(({ msg }) => !String(msg).startsWith('A mail'))
      )
        await new Promise(setImmediate)
      await assertClean([access_token, refresh_token, renewed.body.refresh_token, key.body.data.key])
    })

    test('of bodies that break a rule', async () => {
      const user = { name: 'N', email: 'viewer@example.com', password: `${mark} long enough` }
      assert.equal((await ask('POST /api/v2/users', { body: user })).status, 409)
      assert.equal((await ask('POST /api/v2/users', { body: { ...user, email: 'no address' } })).status, 400)
      const query = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
      await ask('POST /graphql', { body: { query, variables: { input: user } } })
      await ask('POST /graphql', { body: { query, variables: { input: { ...user, email: 1 } } } })
      const literal = `mutation { createUser(input: { name: "N", email: "viewer@example.com", password: "${mark} long enough" }) { id } }`
      await ask('POST /graphql', { body: { query: literal } })
      await ask('POST /graphql', { body: { query: literal.replace('name:', 'nobody:') } })
      await assertClean()
    })

    test('of bugs that quote what was sent', async () => {
      const secret = `${mark} 'with" quotes`
      const body = { name: 'N', secret }
      assert.equal((await ask('POST /api/v2/vaults', { body })).status, 500)
      const query = 'mutation Open($input: CreateVaultInput!) { createVault(input: $input) { id } }'
      const { text: answer } = await ask('POST /graphql', { body: { query, variables: { input: body } } })
      assert.match(answer, /INTERNAL_ERROR/)
      const literal = `mutation { createVault(input: { name: "N", secret: ${JSON.stringify(secret)} }) { id } }`
      assert.match((await ask('POST /graphql', { body: { query: literal } })).text, /INTERNAL_ERROR/)
      const opened = await ask(`POST /api/v2/vaults-opened?token=${mark}-query`, {
        headers: { Authorization: `Bearer ${await service().token(await service().fixtures({}).idOf('editor'))}` },
        body: { password: secret },
      })
      assert.equal(opened.status, 500)
      const bugs = service()
        .logged()
        .filter(({ level, msg }) => level === 'error' && msg !== 'request')
      assert(
        bugs.length >= 4 && bugs.every(({ err }) => (err as { stack: string }).stack.includes('no-secrets.test.ts')),
      )
      await assertClean()
    })

    test('of WebSockets', async () => {
      const refused = await TestSocket.open(service().url)
      refused.send({ type: 'connection_init', payload: { Authorization: `Bearer ${bearer}` } })
      assert.equal(await refused.closed, 4403)
      const socket = await TestSocket.ready(service().url)
      const literal = `mutation { createVault(input: { name: "N", secret: "${mark} in a frame" }) { id } }`
      socket.send({ type: 'subscribe', id: '1', payload: { query: literal } })
      const frame = JSON.stringify(await socket.next())
      assert.match(frame, /INTERNAL_ERROR/)
      answers.push({ status: 500, headers: {}, text: frame, body: null })
      while (exporter.getFinishedSpans().length === 0) await new Promise(setImmediate)
      await socket.close()
      await assertClean()
    })
  },
  {
    definition,
    routes: [failing],
    logsRequests: true,
    environment: {
      METRICS_PORT: '0',
      JWT_ALGORITHM: 'HS256',
      JWT_SECRET: `${mark} and at least 32 bytes of it`,
      SMTP_URL: `smtp://mail:${mark}@127.0.0.1:1`,
      PASSWORD_RESET_URL: 'https://example.com/reset?token={token}',
    },
  },
)

describe('a service that cannot start', () => {
  for (const [what, environment] of [
    ['its database', { DATABASE_URL: `postgres://duet:${mark}@127.0.0.1:1/duet` }],
    ['its configuration', { DATABASE_URL: 'sqlite::memory:', ALLOWED_ORIGINS: 'nonsense', JWT_SECRET: mark }],
  ] as const) {
    test(`reveals no secret when ${what} is to blame`, async () => {
      const lines: string[] = []
      const log = createLog({ json: true, write: (line) => void lines.push(line) })
      const configuration = readConfiguration({ PORT: '0', DATA_KEY: dataKey, ...environment })
      const error = await startService(api, { configuration, log, clock: () => new Date() }).then(
        () => assert.fail('it cannot start'),
        (thrown: Error) => thrown,
      )
      assert.match(error.message, /DATABASE_URL|ALLOWED_ORIGINS/)
      assert.doesNotMatch(error.message + lines.join(''), new RegExp(mark))
    })
  }
})
