// Every operation of the served document, sent as a documentation page offers it before anybody has typed a letter: most of
// them do what they are for, and the others are named here with the reason. (contract 4.15.1)

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { demoPassword } from 'duet-api'
import { fillDemo } from '../../reference/demo.ts'
import type { Answer, Client } from '../support/client/http-client.ts'
import { withDemoService } from '../support/server/demo-service.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly example?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly example?: unknown
  readonly schema: Schema
}
interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: unknown } } }
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}
interface Request {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What a page has filled in: the example of a parameter, else its default, else the first value of one that must be sent. */
function prefilled({ example, required, schema }: Parameter): unknown {
  return example ?? schema.example ?? schema.default ?? (required ? schema.enum?.[0] : undefined)
}

function requestOf(document: Document, method: string, path: string, operation: Operation): Request {
  const parameters = operation.parameters.map((each) =>
    each.$ref === undefined ? each : document.components.parameters[each.$ref.split('/').at(-1)!]!,
  )
  const values = parameters.flatMap((each) => {
    const value = prefilled(each)
    return value === undefined ? [] : [{ place: each.in, name: each.name, text: String(value) }]
  })
  const at = (place: string) => values.filter((each) => each.place === place)
  const query = new URLSearchParams(at('query').map(({ name, text }): [string, string] => [name, text])).toString()
  const whole = at('path').reduce((text, each) => text.replace(`{${each.name}}`, encodeURIComponent(each.text)), path)
  const body = operation.requestBody?.content['application/json'].example
  return {
    line: `${method.toUpperCase()} ${whole}${query === '' ? '' : `?${query}`}`,
    headers: Object.fromEntries(at('header').map(({ name, text }) => [name, text])),
    ...(body === undefined ? {} : { body }),
  }
}

/** What answers otherwise, and why no example could do better. */
const noneYet = 'Demo data has none: they come of what people do.'
const namesNone = 'Nothing is deleted until ids are given.'
const byDevice = 'Only a device makes one.'
const sentOnce = 'Such a token is sent to one person, once.'
const others: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  reactivateUser: [409, 'No demo account is suspended.'],
  getApiKey: [404, noneYet],
  deleteApiKey: [404, noneYet],
  getSession: [404, noneYet],
  deleteSession: [404, noneYet],
  getSignInMethod: [404, noneYet],
  deleteSignInMethod: [404, noneYet],
  registerPasskey: [401, byDevice],
  registerPasskeyApi: [401, byDevice],
  getSecurityEvent: [404, noneYet],
  getDeprecatedUse: [404, noneYet],
  ...Object.fromEntries(
    ['get', 'replace', 'update', 'delete', 'rotate', 'resume', 'pause', 'ping'].map(
      (each) => [`${each}Webhook`, [404, noneYet]] as const,
    ),
  ),
  getWebhookDelivery: [404, noneYet],
  replayWebhookDelivery: [404, noneYet],
  deletePosts: [400, namesNone],
  deleteProducts: [400, namesNone],
  refresh: [401, sentOnce],
  refreshApi: [401, sentOnce],
  resetPassword: [401, sentOnce],
  resetPasswordApi: [401, sentOnce],
  verify: [401, sentOnce],
  verifyApi: [401, sentOnce],
  renewRecoveryCodes: [409, noneYet],
  renewRecoveryCodesApi: [409, noneYet],
}

/** An event stream goes on until its client leaves. */
const ends = ([, { responses }]: readonly [string, Operation]): boolean =>
  responses['200']?.content?.['text/event-stream'] === undefined

const folder = mkdtempSync(join(tmpdir(), 'duet-prefilled-'))
after(() => rmSync(folder, { recursive: true }))

function withService<T>(
  file: string,
  more: Readonly<Record<string, string>>,
  use: (client: Client) => Promise<T>,
  demo = fillDemo,
): Promise<T> {
  const variables = {
    DATABASE_URL: `sqlite:${join(folder, file)}`,
    BASE_URL: 'http://localhost:3000',
    LIMIT_IP_PER_MINUTE: '0',
    LIMIT_USER_PER_HOUR: '0',
    ...more,
  }
  return withDemoService(variables, use, demo)
}
const documentOf = async (client: Client, version: string): Promise<Document> =>
  (await client.send(`GET /api/${version}/openapi.json`)).body

for (const version of ['v1', 'v2']) {
  test(`each operation of ${version} does what it is for as it is offered, or is named`, async () => {
    const fresh = `${version}.db`
    const { document, authorization } = await withService(fresh, {}, async (client) => {
      const served = await documentOf(client, version)
      const login = requestOf(served, 'post', '/auth/login', served.paths['/auth/login']!['post']!)
      const { body } = await client.send(login.line, login)
      return { document: served, authorization: `Bearer ${body.access_token}` }
    })
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => !method.startsWith('x-'))
        .filter(ends)
        .map(([method, operation]) => ({
          isRead: method === 'get',
          id: operation.operationId,
          request: requestOf(document, method, path, operation),
        })),
    )
    const answers = new Map<string, Answer>()
    const sendTo =
      (client: Client) =>
      async ({ id, request }: (typeof operations)[number]) => {
        const headers = { ...request.headers, Authorization: authorization }
        answers.set(id, await client.send(request.line, { ...request, headers }))
      }
    await withService(fresh, {}, async (client) => {
      for (const each of operations) if (each.isRead) await sendTo(client)(each)
    })
    for (const [index, each] of operations.entries()) {
      if (each.isRead) continue
      // Nobody knows in which order somebody tries them, so each meets the data as they were.
      const copy = `${version}-${index}.db`
      copyFileSync(join(folder, fresh), join(folder, copy))
      await withService(copy, {}, (client) => sendTo(client)(each))
    }

    for (const [id, { status, text }] of answers) {
      const expected = others[id]?.[0]
      assert.ok(expected === undefined ? status < 300 : status === expected, `${id}: ${status} ${text.slice(0, 300)}`)
    }
    const done = [...answers.values()].filter(({ status }) => status < 300)
    assert.equal(done.length, operations.length - Object.keys(others).length)
    assert.ok(done.length >= 75, `${done.length} of ${operations.length}`)
  })
}

describe('no record is named', () => {
  /** As every id of demo data begins. */
  const demoId = /_01K000000E/
  const namesDemo = async (client: Client) => {
    const document = JSON.stringify(await documentOf(client, 'v2'))
    assert.match(document, /"example":"post_[0-9A-Z]{26}"/, 'ids have the right form all the same')
    return demoId.test(document) || document.includes(`@example.com","password":"${demoPassword}`)
  }
  test('but where there is demo data', async () => assert.ok(await withService('demo.db', {}, namesDemo)))
  test('where there is none', async () => assert.ok(!(await withService('none.db', { DEMO_DATA: 'off' }, namesDemo))))
  test('in production', async () =>
    assert.ok(!(await withService('demo.db', { NODE_ENV: 'production', DEMO_DATA: 'off' }, namesDemo))))
  test('where a user signed up before demo data could come', async () => {
    await withService('theirs.db', { DEMO_DATA: 'off' }, async (client) => {
      const account = { name: 'Ben', email: 'ben@example.com', password: 'a password of his own' }
      assert.equal((await client.send('POST /api/v2/users', { body: account })).status, 201)
    })
    assert.ok(!(await withService('theirs.db', {}, namesDemo)))
  })
})

test('demo records are made for documents alone, once for each', async () => {
  let times = 0
  const fill: typeof fillDemo = (...parameters) => {
    times++
    fillDemo(...parameters)
  }
  await withService('counted.db', {}, async () => assert.equal(times, 1, 'the database was empty'), fill)
  await withService(
    'counted.db',
    {},
    async (client) => {
      assert.equal(times, 1, 'a start does without them')
      const [one, other] = await Promise.all([documentOf(client, 'v2'), documentOf(client, 'v2')])
      assert.deepEqual(one, other)
      await documentOf(client, 'v2')
      assert.equal(times, 2)
      await documentOf(client, 'v1')
      assert.equal(times, 3)
    },
    fill,
  )
})
