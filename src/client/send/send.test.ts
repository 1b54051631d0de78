// When a call is tried again, by the clock: time passes only in pauses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../resource/language/service.ts'
import { createClient } from '../client.ts'
import { DuetError } from './error.ts'

type Empty = Service<{}, never>
type Reply = Response | Error
const lost = () => new TypeError('fetch failed')
const refusal = (status: number, code: string, retryAfter?: number) => () =>
  Response.json(
    { error: { code, message: 'No.' } },
    { status, headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) } },
  )
const busy = refusal(503, 'SERVICE_UNAVAILABLE', 2)
const success = () => Response.json({ data: 1 })
const tokens = () => Response.json({ access_token: 'a', refresh_token: 'r', expires_in: 900 })

/** A client of a service that replies these, the last one for ever, and what was sent when, in seconds. */
function scene(replies: readonly (() => Reply)[], chance = 0.5) {
  const sent: [at: number, request: string][] = []
  let now = 0
  const client = createClient<Empty>('http://house.test', {
    surroundings: {
      now: () => now,
      random: () => chance,
      makeKey: () => 'key',
      expire: () => new AbortController().signal,
      async sleep(milliseconds) {
        now += milliseconds
      },
      async fetch(url, { method }) {
        const reply = replies[Math.min(sent.length, replies.length - 1)]!()
        sent.push([now / 1000, `${method} ${new URL(url).pathname}`])
        if (reply instanceof Error) throw reply
        return reply
      },
    },
  })
  return { client, sent, times: () => sent.map(([at]) => at) }
}
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error) => (error instanceof DuetError ? error.code : String(error)),
  )
const login = { email: 'ada@example.com', password: 'p' }

test('five tries take half a minute at most, and half of that by usual chance', async () => {
  const rows = [
    [0.5, [0, 0.25, 1.25, 5.25, 13.25]],
    [1, [0, 0.5, 2.5, 10.5, 26.5]],
  ] as const
  for (const [chance, times] of rows) {
    const outage = scene([lost], chance)
    assert.equal(await codeOf(outage.client.request('GET', '/x')), 'NETWORK_ERROR')
    assert.deepEqual(outage.times(), times)
  }
  const restart = scene([lost, refusal(502, 'SERVICE_UNAVAILABLE'), lost, refusal(504, 'SERVICE_UNAVAILABLE'), success])
  assert.equal(await codeOf(restart.client.request('GET', '/x')), 'done')
})

test('no try is earlier than Retry-After, nor all at that moment', async () => {
  for (const [chance, times] of [
    [0, [0, 2, 4]],
    [0.5, [0, 2.25, 4.5]],
    [1, [0, 2.5, 5]],
  ] as const) {
    const { client, times: actual } = scene([busy, busy, success], chance)
    assert.equal(await codeOf(client.request('GET', '/x')), 'done')
    assert.deepEqual(actual(), times)
  }
  const { client, times } = scene([refusal(503, 'SERVICE_UNAVAILABLE', 1)], 1)
  await codeOf(client.request('GET', '/x'))
  assert.deepEqual(times(), [0, 1.5, 3.5, 11.5, 27.5], 'pauses grow all the same')
})

test('where Retry-After is later than the call may last, it says so at once', async () => {
  const { client, times } = scene([refusal(429, 'RATE_LIMIT_EXCEEDED', 60)])
  await assert.rejects(client.request('GET', '/x'), { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 60 })
  assert.deepEqual(times(), [0])
})

test('to sign in and out is tried again, and a wrong password is not', async () => {
  for (const first of [busy, lost, refusal(504, 'SERVICE_UNAVAILABLE')]) {
    const { client, sent } = scene([first, tokens, first, () => Response.json({})])
    await client.signIn(login)
    assert.equal(await client.restore(), true)
    await client.signOut()
    assert.deepEqual(
      sent.map(([, request]) => request),
      ['POST /auth/login', 'POST /auth/login', 'POST /auth/logout', 'POST /auth/logout'],
    )
  }
  const wrong = scene([refusal(401, 'INVALID_CREDENTIALS')])
  assert.equal(await codeOf(wrong.client.signIn(login)), 'INVALID_CREDENTIALS')
  assert.equal(wrong.sent.length, 1)
})

test('what may have arrived is sent again only where it does nothing twice', async () => {
  for (const [method, tries] of [
    ['GET', 5],
    ['HEAD', 5],
    ['POST', 1],
    ['PATCH', 1],
  ] as const) {
    const { client, sent } = scene([busy])
    assert.equal(await codeOf(client.request(method, '/x')), 'SERVICE_UNAVAILABLE')
    assert.equal(sent.length, tries, method)
  }
  const query = scene([busy])
  await codeOf(query.client.graphql('{ x }'))
  const mutation = scene([busy])
  await codeOf(mutation.client.graphql('mutation { x }'))
  assert.deepEqual([query.sent.length, mutation.sent.length], [5, 1])
})

test('what can never be sent is no failure of the network', async () => {
  const { client, sent } = scene([success])
  await assert.rejects(client.request('POST', '/x', { body: { much: 1n } }), TypeError)
  assert.deepEqual(sent, [])
  for (const url of ['', '/api', 'localhost:3000', 'api.example.com', 'ftp://api.example.com'])
    assert.throws(() => createClient<Empty>(url), /^TypeError: A client needs an address such as https:/, url)
})
