// What ends access tokens and sessions: suspension, deletion, roles, sessions that end; here at once, elsewhere within a
// second; and what the auditor reads of it. (contract 3.4.2, 3.6, 5.8)

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { makeKey } from '../support/client/api-key.ts'
import { readPart } from '../support/client/forged-token.ts'
import type { Answer, Client } from '../support/client/http-client.ts'
import { clauses } from '../support/rows/clauses.ts'
import { type Instance, startInstance } from '../support/server/instance.ts'
import { password, type TestService, withService } from '../support/server/service.ts'

const outcome = ({ status, body }: Answer): unknown => (status < 300 ? status : body.error.code)
const dayMs = 86_400_000

interface Person {
  readonly id: string
  readonly email: string
  readonly device: Device
}
interface Device {
  readonly access: string
  readonly refresh: string
  readonly sessionId: string
}

async function signIn(service: TestService, email: string): Promise<Device> {
  const { status, body, text } = await service.send('POST /auth/login', {
    body: { email, password },
    headers: { 'User-Agent': 'A browser' },
  })
  assert.equal(status, 200, text)
  const { access_token, refresh_token } = body
  return { access: access_token, refresh: refresh_token, sessionId: String(readPart(access_token, 'claims')['sid']) }
}
async function createPerson(service: TestService, role = 'VIEWER'): Promise<Person> {
  const fixtures = service.fixtures({ person: { User: { name: 'P', email: '{word}@example.com', role } } })
  const id = await fixtures.idOf('person')
  const email = await fixtures.fill('{word}@example.com')
  return { id, email, device: await signIn(service, email) }
}
const me = (client: Pick<Client, 'send'>, { access }: Device) =>
  client.send('GET /api/v2/users/me', { headers: { Authorization: `Bearer ${access}` } })
const refresh = (client: Pick<Client, 'send'>, { refresh: token }: Device) =>
  client.send('POST /auth/refresh', { body: { refresh_token: token } })

type Ending = readonly [it: string, end: (person: Person, service: TestService) => Promise<Answer>, refreshed: unknown]
const byAdmin = (line: (person: Person) => string, body?: object) => (person: Person, service: TestService) =>
  service.send(line(person), body === undefined ? { as: 'admin' } : { as: 'admin', body })
const bearer = ({ access }: Device) => ({ Authorization: `Bearer ${access}` })

/** What refuses every earlier access token of a user, and what a refresh says afterwards. */
const endings: readonly Ending[] = [
  ['suspension', byAdmin(({ id }) => `POST /api/v2/users/${id}/suspend`), 'INVALID_TOKEN'],
  ['deactivation', byAdmin(({ id }) => `POST /api/v2/users/${id}/deactivate`), 'INVALID_TOKEN'],
  [
    'deactivating oneself',
    ({ device }, service) => service.send('POST /api/v2/users/me/deactivate', { headers: bearer(device) }),
    'INVALID_TOKEN',
  ],
  ['deletion', byAdmin(({ id }) => `DELETE /api/v2/users/${id}`), 'INVALID_TOKEN'],
  ['another role', byAdmin(({ id }) => `PATCH /api/v2/users/${id}`, { role: 'EDITOR' }), 200],
]

withService('3.4 Revocation', (service) => {
  let other: Instance | undefined
  const elsewhere = async () => {
    other ??= await startInstance(service())
    return other.client
  }
  after(() => other?.stop())
  for (const [it, end, refreshed] of endings) {
    test(`3.4.2 ${it} refuses earlier access tokens: here at once, elsewhere within a second`, async () => {
      const person = await createPerson(service())
      const second = await signIn(service(), person.email)
      const there = await elsewhere()
      assert.equal(outcome(await me(there, second)), 200)
      assert.equal((await end(person, service())).status < 300, true)
      for (const device of [person.device, second]) assert.equal(outcome(await me(service(), device)), 'INVALID_TOKEN')
      await soon(async () => outcome(await me(there, second)) === 'INVALID_TOKEN')
      const answer = await refresh(service(), second)
      assert.equal(outcome(answer), refreshed)
      if (refreshed === 200) {
        // A token that was made since is as good as any, and says the new role.
        assert.equal(readPart(answer.body.access_token, 'claims')['role'], 'EDITOR')
        assert.equal(outcome(await me(there, { ...second, access: answer.body.access_token })), 200)
      }
    })
  }
  test('3.4.2 within a second, also if an instance polls as often as usual', async () => {
    const usual = await startInstance(service(), { limits: { noticesMs: defaultLimits.noticesMs } })
    try {
      const { id, device } = await createPerson(service())
      assert.equal(outcome(await me(usual.client, device)), 200)
      await service().send(`POST /api/v2/users/${id}/suspend`, { as: 'admin' })
      await soon(async () => outcome(await me(usual.client, device)) === 'INVALID_TOKEN')
    } finally {
      await usual.stop()
    }
  })
  test('3.4.2 an API key is refused elsewhere within a second, too', async () => {
    const fixtures = service().fixtures({ person: { User: { name: 'P', role: 'EDITOR' } } })
    const { id, headers } = await makeKey(service(), { as: '{person}', fixtures }, ['*'])
    const there = await elsewhere()
    const ask = () => there.send('GET /api/v2/users/me', { headers })
    assert.equal((await ask()).status, 200)
    assert.equal((await service().send(`DELETE /api/v2/api-keys/${id}`, { as: '{person}', fixtures })).status, 204)
    await soon(async () => outcome(await ask()) === 'INVALID_CREDENTIALS')
  })

  test('3.6.1 signing in makes one, renewing keeps it, signing out ends it', async () => {
    const { id, email, device } = await createPerson(service())
    const own = async (from: Device) =>
      (await service().send('GET /api/v2/sessions', { headers: bearer(from) })).body.data as { id: string }[]
    const [only, ...more] = (await own(device)) as unknown as [Record<string, unknown>]
    assert.equal(more.length, 0)
    const { id: sessionId, user_id, user_agent, ip } = only
    assert.deepEqual([sessionId, user_id, user_agent, ip], [device.sessionId, id, 'A browser', '127.0.0.1'])
    service().advance(60_000)
    const renewed = await refresh(service(), device)
    const [after] = (await own(device)) as unknown as [Record<string, unknown>]
    assert.equal(after['id'], sessionId)
    assert(String(after['last_used_at']) > String(only['last_used_at']))
    const second = await signIn(service(), email)
    assert.deepEqual((await own(device)).map((each) => each.id).sort(), [device.sessionId, second.sessionId].sort())
    await service().send('POST /auth/logout', { body: { refresh_token: renewed.body.refresh_token } })
    assert.deepEqual(
      (await own(second)).map((each) => each.id),
      [second.sessionId],
    )
    service().forgetTokens()
  })

  test('3.6.2 ending one refuses its tokens, access and refresh, and no other', async () => {
    const { email, device } = await createPerson(service())
    const stays = await signIn(service(), email)
    const there = await elsewhere()
    assert.equal(outcome(await me(there, device)), 200)
    const end = () => service().send(`DELETE /api/v2/sessions/${device.sessionId}`, { headers: bearer(stays) })
    assert.equal((await end()).status, 204)
    assert.equal((await end()).status, 404)
    assert.equal(outcome(await me(service(), device)), 'INVALID_TOKEN')
    await soon(async () => outcome(await me(there, device)) === 'INVALID_TOKEN')
    assert.equal(outcome(await refresh(service(), device)), 'INVALID_TOKEN')
    assert.equal(outcome(await me(service(), stays)), 200)
    assert.equal(outcome(await refresh(service(), stays)), 200)
  })

  test('3.6.2 ending each ends all, through GraphQL as well', async () => {
    const { email, device } = await createPerson(service())
    const devices = [device, await signIn(service(), email), await signIn(service(), email)]
    const last = devices.at(-1)!
    const query = '{ sessions { nodes { id userAgent ip lastUsedAt user { id } } } }'
    const { body } = await service().graphql(query, { headers: bearer(last) })
    const ids = body.data.sessions.nodes.map((each: { id: string }) => each.id)
    assert.deepEqual(ids.toSorted(), devices.map((each) => each.sessionId).toSorted())
    // One's own comes last, for it takes with it the token that is used here.
    for (const id of ids.toSorted((one: string) => (one === last.sessionId ? 1 : -1))) {
      const answer = await service().graphql(`mutation { deleteSession(id: "${id}") }`, { headers: bearer(last) })
      assert.deepEqual(answer.body, { data: { deleteSession: true } })
    }
    for (const each of devices) {
      assert.equal(outcome(await me(service(), each)), 'INVALID_TOKEN')
      assert.equal(outcome(await refresh(service(), each)), 'INVALID_TOKEN')
    }
  })

  test('3.6.2 no user ends those of another user', async () => {
    const { device } = await createPerson(service())
    for (const as of ['viewer', 'admin'] as const) {
      const answer = await service().send(`DELETE /api/v2/sessions/${device.sessionId}`, { as })
      assert.equal(outcome(answer), 'NOT_FOUND')
    }
    assert.equal(outcome(await me(service(), device)), 200)
  })

  test('5.8.1 reuse is an event, with where it came from, and a line in the log; never a token', async () => {
    const { id, device } = await createPerson(service())
    const { body } = await refresh(service(), device)
    const headers = { 'X-Request-ID': 'the-thief' }
    await service().send('POST /auth/refresh', { body: { refresh_token: device.refresh }, headers })
    const again = await service().send('POST /auth/refresh', { body: { refresh_token: device.refresh } })
    assert.equal(outcome(again), 'INVALID_TOKEN')
    const read = await service().send(`GET /api/v2/security-events?user_id=${id}`, { as: 'admin' })
    const [event, ...more] = read.body.data
    assert.deepEqual(more, [], 'the second replay says nothing new')
    const { type, user_id, ip, request_id, details } = event
    assert.deepEqual(
      { type, user_id, ip, request_id, details },
      {
        type: 'refresh_token_reused',
        user_id: id,
        ip: '127.0.0.1',
        request_id: 'the-thief',
        details: { session_id: device.sessionId, shown_to: 'refresh' },
      },
    )
    const [line] = service().logged('refresh_token_reused')
    assert.equal(line?.['requestId'], 'the-thief')
    for (const token of [device.refresh, body.refresh_token]) {
      assert(!read.text.includes(token))
      assert(!JSON.stringify(service().logged()).includes(token))
    }
  })

  test('5.8.1 signing out with a used token is an event as well', async () => {
    const { id, device } = await createPerson(service())
    await refresh(service(), device)
    await service().send('POST /auth/logout', { body: { refresh_token: device.refresh } })
    await service().send('POST /auth/logout', { body: { refresh_token: device.refresh } })
    const { body } = await service().send(`GET /api/v2/security-events?user_id=${id}&type=refresh_token_reused`, {
      as: 'admin',
    })
    assert.deepEqual(
      body.data.map((each: { details: object }) => each.details),
      [{ session_id: device.sessionId, shown_to: 'logout' }],
    )
  })

  test('5.8.1 an event outlives its user', async () => {
    const { id, device } = await createPerson(service())
    await refresh(service(), device)
    const answer = await service().send('POST /auth/refresh', {
      body: { refresh_token: device.refresh },
      headers: { 'X-Request-ID': `of-${id}` },
    })
    assert.equal(outcome(answer), 'TOKEN_REUSED')
    await service().send(`DELETE /api/v2/users/${id}`, { as: 'admin' })
    const { body } = await service().send('GET /api/v2/security-events?type=refresh_token_reused', { as: 'admin' })
    const event = body.data.find((each: { request_id: string }) => each.request_id === `of-${id}`)
    assert.equal(event.user_id, null)
  })

  test('3.6.3 a session ends thirty days after it began, however often it was renewed', async () => {
    const { device } = await createPerson(service())
    let token = device.refresh
    for (let day = 0; day < 30; day += 5) {
      const { body, text } = await refresh(service(), { ...device, refresh: token })
      token = body.refresh_token ?? assert.fail(text)
      service().advance(5 * dayMs - 1_000)
    }
    const { body } = await refresh(service(), { ...device, refresh: token })
    service().advance(10_000)
    assert.equal(outcome(await refresh(service(), { ...device, refresh: body.refresh_token })), 'TOKEN_EXPIRED')
    service().forgetTokens()
  })

  test('3.6.3 a session that is not renewed in time ends', async () => {
    const { email, device } = await createPerson(service())
    service().advance(7 * dayMs + 120_000)
    service().forgetTokens()
    const now = await signIn(service(), email)
    await soon(async () => {
      const { body } = await service().send('GET /api/v2/sessions', { headers: bearer(now) })
      return body.data.length === 1 && body.data[0].id === now.sessionId
    })
    assert.equal(outcome(await refresh(service(), device)), 'TOKEN_EXPIRED', 'it still says why')
  })

  test('3.6.1 only hashes of refresh tokens are kept', async () => {
    const { device } = await createPerson(service())
    const rows = JSON.stringify(await service().tables('duet_refresh_token', 'sessions', 'duet_account', 'duet_denial'))
    assert(rows.includes(device.sessionId))
    assert(!rows.includes(device.refresh))
  })
})

clauses('5.8 Security events', [
  ...(['viewer', 'editor'] as const).flatMap((as) => [
    {
      clause: '5.8.2' as const,
      it: `${as} reads none`,
      as,
      send: 'GET /api/v2/security-events',
      also: '{ securityEvents { nodes { id } } }',
      answer: { status: 403, code: 'FORBIDDEN' as const },
    },
  ]),
  {
    clause: '5.8.2',
    it: 'nobody makes one',
    as: 'admin',
    send: 'POST /api/v2/security-events',
    body: {},
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  },
  {
    clause: '5.8.2',
    it: 'or deletes one',
    as: 'admin',
    send: 'DELETE /api/v2/security-events/sev_1',
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  },
  {
    clause: '5.8.2',
    it: 'there are filters for type and user',
    as: 'admin',
    send: 'GET /api/v2/security-events?type=x&user_id={member}',
    answer: { status: 200, data: [] },
  },
])

/** Polls until it is so: how long that takes says more about the machine. */
async function soon(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
