// Recent sign-ins: what `fresh` requires, how a session proves its account again, and what another password ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiKey,
  actor,
  allOf,
  anyone,
  choice,
  email,
  fresh,
  many,
  one,
  own,
  password as passwordField,
  resource,
  route,
  SecurityEvent,
  Session,
  self,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { password, type TestService, withService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    name: text({ max: 60 }),
    password: passwordField({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'password', 'name'] },
    delete: { allow: allOf(fresh({ minutes: 5 }), self) },
    suspend: { allow: self, from: 'ACTIVE', to: 'SUSPENDED' },
  },
})
const Secret = resource('Secret', {
  prefix: 'sec',
  fields: {
    owner: one('User', { default: actor, cascade: 'regardless' }),
    title: text({ max: 60 }),
    notes: many('Note', 'secret'),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'notes'] },
    update: { allow: allOf(own('owner'), fresh({ minutes: 5 }), fresh({ minutes: 10 })), accept: ['title', 'notes'] },
    delete: { allow: fresh({ minutes: 1 }) },
  },
})
const Note = resource('Note', {
  prefix: 'not',
  fields: { secret: one('Secret', { cascade: 'regardless' }), text: text({ max: 60 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: allOf(signedIn, fresh({ minutes: 3 })), accept: ['secret', 'text'] },
    delete: { allow: allOf(signedIn, fresh({ minutes: 2 })) },
  },
})
const definition = service({
  resources: { User, Secret, Note, Session, ApiKey, SecurityEvent },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE', methods: {} },
  roles: { MEMBER: {}, ADMIN: 'everything' },
})
const routes = [
  route('POST', '/api/v1/payouts', {
    summary: 'Pays out',
    access: allOf(fresh({ minutes: 5 }), signedIn),
    answer: {},
    handle: async () => ({}),
  }),
]
const minuteMs = 60_000
const another = 'a password that is quite another'

async function begin(running: TestService) {
  const fixtures = running.fixtures({
    user: { User: { email: '{word}@example.com', name: 'One' } },
    other: { User: { email: 'other.{word}@example.com', name: 'Two' } },
  })
  const [id, word] = [await fixtures.idOf('user'), await fixtures.fill('{word}')]
  const address = `${word}@example.com`
  const signIn = async (secret = password) => {
    const { status, body } = await running.send('POST /auth/login', { body: { email: address, password: secret } })
    assert.equal(status, 200)
    return body as { readonly access_token: string; readonly refresh_token: string }
  }
  const tokens = await signIn()
  const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  return { fixtures, id, address, tokens, signIn, as }
}
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

withService(
  '5.10 Recent sign-ins',
  (service) => {
    test('5.10.1 an access token has auth_time and amr, which refreshing keeps', async () => {
      const { tokens } = await begin(service())
      const claims = claimsOf(tokens.access_token)
      assert.deepEqual([claims.auth_time, claims.amr], [claims.iat, ['pwd']])
      service().advance(7 * minuteMs)
      const { body } = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      const renewed = claimsOf(body.access_token)
      assert.deepEqual([renewed.auth_time, renewed.amr], [claims.auth_time, ['pwd']])
      assert.ok(renewed.iat > claims.iat)
    })

    test('5.10.3 an action with fresh is 401 once the sign-in is older, after 401 and before the record', async () => {
      const { tokens, as } = await begin(service())
      const created = await service().send('POST /api/v1/secrets', { ...as(tokens.access_token), body: { title: 'a' } })
      const path = `/api/v1/secrets/${created.body.data.id}`
      const change = (token: string, at = path) => service().send(`PATCH ${at}`, { ...as(token), body: { title: 'b' } })
      assert.equal((await change(tokens.access_token)).status, 200)
      service().advance(5 * minuteMs)
      for (const at of [path, '/api/v1/secrets/sec_missing', `${path}?dry_run=true`]) {
        const answer = await change(tokens.access_token, at)
        assert.deepEqual([answer.status, answer.body.error.code], [401, 'REAUTHENTICATION_REQUIRED'])
        const challenge = 'Bearer error="insufficient_user_authentication", max_age="300"'
        assert.equal(answer.headers['www-authenticate'], challenge)
      }
      assert.equal((await service().send(`PATCH ${path}`, { body: { title: 'b' } })).body.error.code, 'UNAUTHENTICATED')
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.equal((await change(renewed.body.access_token)).body.error.code, 'REAUTHENTICATION_REQUIRED')
    })

    test('5.10.3 children that are written with their parent require what their own actions do', async () => {
      const { tokens, as } = await begin(service())
      const sending = (body: object) => ({ ...as(tokens.access_token), body })
      const created = await service().send('POST /api/v1/secrets', sending({ title: 'a', notes: [{ text: 'one' }] }))
      const replace = (notes: readonly object[]) =>
        service().send(`PATCH /api/v1/secrets/${created.body.data.id}`, sending({ notes }))
      service().advance(2 * minuteMs)
      const left = await replace([])
      service().advance(1 * minuteMs)
      const added = await replace([{ text: 'two' }])
      for (const [{ status, body, headers }, seconds] of [
        [left, 120],
        [added, 180],
      ] as const) {
        assert.deepEqual([status, body.error.code], [401, 'REAUTHENTICATION_REQUIRED'])
        const challenge = `Bearer error="insufficient_user_authentication", max_age="${seconds}"`
        assert.equal(headers['www-authenticate'], challenge)
      }
    })

    test('5.10.3 GraphQL reports it with maxAgeSeconds', async () => {
      const { tokens, as } = await begin(service())
      service().advance(5 * minuteMs)
      const query = `mutation { updateSecret(id: "sec_missing", input: { title: "b" }) { id } }`
      const { body } = await service().graphql(query, as(tokens.access_token))
      assert.deepEqual(body.errors[0].extensions, { code: 'REAUTHENTICATION_REQUIRED', maxAgeSeconds: 300 })
    })

    test('5.10.3 a route with fresh is 401 once the sign-in is older', async () => {
      const { tokens, as } = await begin(service())
      assert.equal((await service().send('POST /api/v1/payouts', as(tokens.access_token))).status, 200)
      service().advance(5 * minuteMs)
      const { body } = await service().send('POST /api/v1/payouts', as(tokens.access_token))
      assert.equal(body.error.code, 'REAUTHENTICATION_REQUIRED')
    })

    test('5.10.3 an API key is 403, whatever its age', async () => {
      const { tokens, as } = await begin(service())
      const key = await service().send('POST /api/v1/api-keys', {
        ...as(tokens.access_token),
        body: { name: 'k', scopes: ['*'] },
      })
      const headers = { 'X-API-Key': key.body.data.key }
      const created = await service().send('POST /api/v1/secrets', { headers, body: { title: 'a' } })
      const path = `/api/v1/secrets/${created.body.data.id}`
      assert.equal(
        (await service().send(`PATCH ${path}`, { headers, body: { title: 'b' } })).body.error.code,
        'FORBIDDEN',
      )
      assert.equal((await service().send('POST /api/v1/payouts', { headers })).body.error.code, 'FORBIDDEN')
      for (const name of ['reauthenticate', 'change-password'])
        assert.equal((await service().send(`POST /auth/${name}`, { headers, body: {} })).body.error.code, 'FORBIDDEN')
    })

    test('5.10.6 an API key is created from a recent sign-in only', async () => {
      const { tokens, as } = await begin(service())
      const create = () =>
        service().send('POST /api/v1/api-keys', { ...as(tokens.access_token), body: { name: 'k', scopes: ['*'] } })
      assert.equal((await create()).status, 201)
      service().advance(5 * minuteMs)
      assert.equal((await create()).body.error.code, 'REAUTHENTICATION_REQUIRED')
    })

    test('5.10.4 reauthentication makes the session fresh again', async () => {
      const { address, tokens, as } = await begin(service())
      service().advance(6 * minuteMs)
      const proof = { email: address, password }
      const again = await service().send('POST /auth/reauthenticate', { ...as(tokens.access_token), body: proof })
      assert.equal(again.status, 200)
      assert.deepEqual(Object.keys(again.body), ['access_token', 'token_type', 'expires_in'])
      assert.equal((await service().send('POST /api/v1/payouts', as(again.body.access_token))).status, 200)
      assert.equal((await service().send('POST /api/v1/payouts', as(tokens.access_token))).status, 401)
      assert.equal(claimsOf(again.body.access_token).sid, claimsOf(tokens.access_token).sid)
      const { body } = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.equal(claimsOf(body.access_token).auth_time, claimsOf(again.body.access_token).auth_time)
    })

    for (const [title, proof] of [
      ['a wrong password', { password: 'a wrong password' }],
      ['the credentials of another account', { email: 'other' }],
    ] as const)
      test(`5.10.4 ${title} are 401 and change nothing`, async () => {
        const { fixtures, address, tokens, as } = await begin(service())
        await fixtures.idOf('other')
        service().advance(6 * minuteMs)
        const sent = {
          email: 'email' in proof ? `other.${address}` : address,
          password,
          ...('password' in proof ? proof : {}),
        }
        const { status, body } = await service().send('POST /auth/reauthenticate', {
          ...as(tokens.access_token),
          body: sent,
        })
        assert.deepEqual([status, body.error.code], [401, 'INVALID_CREDENTIALS'])
        assert.equal((await service().send('POST /api/v1/payouts', as(tokens.access_token))).status, 401)
      })

    test('5.10.2 both endpoints require an access token', async () => {
      for (const name of ['reauthenticate', 'change-password']) {
        assert.equal((await service().send(`POST /auth/${name}`, { body: {} })).body.error.code, 'UNAUTHENTICATED')
        const forged = { headers: { Authorization: 'Bearer x.y.z' }, body: {} }
        assert.equal((await service().send(`POST /api/auth/${name}`, forged)).body.error.code, 'INVALID_TOKEN')
      }
    })

    test('5.10.5 another password ends all other sessions, access tokens included, and is an event', async () => {
      const { id, tokens, signIn, as } = await begin(service())
      const other = await signIn()
      const changed = await service().send('POST /auth/change-password', {
        ...as(tokens.access_token),
        body: { password: another },
      })
      assert.deepEqual([changed.status, changed.text], [200, '{}'])
      const read = (token: string) => service().send('GET /api/v1/users/me', as(token))
      assert.equal((await read(tokens.access_token)).status, 200)
      assert.equal((await read(other.access_token)).body.error.code, 'INVALID_TOKEN')
      const renew = (token: string) => service().send('POST /auth/refresh', { body: { refresh_token: token } })
      assert.equal((await renew(tokens.refresh_token)).status, 200)
      assert.equal((await renew(other.refresh_token)).body.error.code, 'INVALID_TOKEN')
      await signIn(another)
      assert.deepEqual(
        service()
          .logged('password_changed')
          .filter(({ userId }) => userId === id).length,
        1,
      )
    })

    test('5.10.5 it requires a recent sign-in and a password that fits', async () => {
      const { tokens, as } = await begin(service())
      const change = (body: object) =>
        service().send('POST /auth/change-password', { ...as(tokens.access_token), body })
      assert.equal((await change({ password: 'short' })).body.error.code, 'VALIDATION_ERROR')
      service().advance(5 * minuteMs + 1_000)
      assert.equal((await change({ password: another })).body.error.code, 'REAUTHENTICATION_REQUIRED')
    })

    test('5.10.5 of twenty changes at once, and sign-ins with the former password beside them, one password is left', async () => {
      const { address, tokens, as } = await begin(service())
      const passwords = Array.from({ length: 20 }, (_, index) => `${another} ${index}`)
      const answers = await Promise.all(
        passwords.flatMap((each) => [
          service().send('POST /auth/change-password', { ...as(tokens.access_token), body: { password: each } }),
          service().send('POST /auth/login', { body: { email: address, password } }),
        ]),
      )
      assert.deepEqual(
        new Set(answers.filter((_, index) => index % 2 === 0).map(({ status }) => status)),
        new Set([200]),
      )
      const opened = answers.filter(({ status, body }, index) => index % 2 === 1 && status === 200 && body !== null)
      for (const { body } of opened) {
        const { status } = await service().send('POST /auth/refresh', { body: { refresh_token: body.refresh_token } })
        assert.equal(status, 401, 'a session of the former password has ended')
      }
      const tries = await Promise.all(
        passwords.map((each) => service().send('POST /auth/login', { body: { email: address, password: each } })),
      )
      assert.equal(tries.filter(({ status }) => status === 200).length, 1)
    })
  },
  { definition, routes },
)
