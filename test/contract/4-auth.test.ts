// Signing in, renewing, signing out, and who a credential makes of somebody.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clauses, type Expected, type Preparation, type Row } from '../support/rows/clauses.ts'
import { password, withService } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

const login = (email: string, secret: string = password): Preparation => ({
  send: 'POST /auth/login',
  body: { email, password: secret },
})
const person = { person: { User: { name: 'Person', email: '{word}@example.com' } } }
const signedIn: Preparation = {
  ...login('{word}@example.com'),
  keep: { access: 'body.access_token', r0: 'body.refresh_token' },
}
const renew = (token: string): Preparation => ({ send: 'POST /auth/refresh', body: { refresh_token: token } })
const signOut = (token: string): Preparation => ({ send: 'POST /auth/logout', body: { refresh_token: token } })
const refused = (code: NonNullable<Expected['code']>): Expected => ({ status: 401, code })
const row = (clause: Clause, it: string, more: Omit<Row, 'clause' | 'it'>): Row => ({ clause, it, ...more })
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/
const pair: Expected = {
  status: 200,
  headers: { 'Cache-Control': 'no-store' },
  body: (body: object) =>
    Object.keys(body).join() === 'access_token,refresh_token,token_type,expires_in' &&
    JSON.stringify(body).endsWith(',"token_type":"Bearer","expires_in":900}'),
}
const invalid = (...fields: readonly string[]): Expected => ({ status: 400, code: 'VALIDATION_ERROR', fields })

clauses('4.12 Sign-in', [
  row('4.12.1', 'login answers both tokens, bare', { ...login('editor@example.com'), answer: pair }),
  row('4.12.1', 'an email is read in any case', {
    ...login('EDITOR@Example.COM'),
    answer: { status: 200, body: { access_token: jwt, refresh_token: /^rt_/ } },
  }),
  row('4.12.2', '/api/auth/login is the same', {
    ...login('editor@example.com'),
    send: 'POST /api/auth/login',
    answer: pair,
  }),
  row('4.12.2', '/api/auth/refresh is the same', {
    given: person,
    first: [signedIn],
    ...renew('{r0}'),
    send: 'POST /api/auth/refresh',
    answer: pair,
  }),
  row('4.12.1', 'refresh answers a new pair', { given: person, first: [signedIn], ...renew('{r0}'), answer: pair }),
  row('4.12.1', 'the new pair is another', {
    given: person,
    first: [signedIn, { ...renew('{r0}'), keep: { r1: 'body.refresh_token', 'other access': 'body.access_token' } }],
    ...renew('{r1}'),
    answer: { status: 200, body: { access_token: jwt } },
  }),
  row('4.12.3', 'logout is 200 {}', {
    given: person,
    first: [signedIn],
    ...signOut('{r0}'),
    answer: { status: 200, body: (body: object) => JSON.stringify(body) === '{}' },
  }),
  row('4.12.3', 'logout twice is 200', {
    given: person,
    first: [signedIn, signOut('{r0}')],
    ...signOut('{r0}'),
    answer: { status: 200, body: (body: object) => JSON.stringify(body) === '{}' },
  }),
  row('4.12.3', 'logout of a token that no account had is the same', {
    ...signOut(`rt_${'A'.repeat(43)}`),
    answer: { status: 200, body: (body: object) => JSON.stringify(body) === '{}' },
  }),
  row('4.12.3', 'logout of a used token ends its family', {
    given: person,
    first: [signedIn, { ...renew('{r0}'), keep: { r1: 'body.refresh_token' } }, signOut('{r0}')],
    ...renew('{r1}'),
    answer: refused('INVALID_TOKEN'),
  }),
  row('4.12.3', 'an access token lives on after logout', {
    given: person,
    first: [signedIn, signOut('{r0}')],
    send: 'GET /api/v2/users/me',
    headers: { Authorization: 'Bearer {access}' },
    answer: { status: 200, data: { id: '{person}' } },
  }),
  ...(
    [
      ['an unknown email', 'nobody@example.com', password],
      ['a wrong password', 'editor@example.com', 'wrong password'],
      ['a text that is no email', 'x', password],
    ] as const
  ).map(([it, email, secret]) =>
    row('4.12.4', `${it} is INVALID_CREDENTIALS`, {
      ...login(email, secret),
      answer: {
        ...refused('INVALID_CREDENTIALS'),
        message: 'The credentials are not valid.',
        headers: { 'Cache-Control': 'no-store' },
      },
    }),
  ),
  ...['/auth', '/api/auth'].map((prefix) =>
    row('4.10.8', `a 401 of ${prefix}/login says nothing of a credential that nobody looked at`, {
      ...login('editor@example.com', 'wrong password'),
      send: `POST ${prefix}/login`,
      answer: { ...refused('INVALID_CREDENTIALS'), headers: { 'WWW-Authenticate': 'Bearer' } },
    }),
  ),
  ...(['SUSPENDED', 'DEACTIVATED'] as const).map((status) =>
    row('4.12.4', `a user who is ${status} is INVALID_CREDENTIALS`, {
      given: { person: { User: { name: 'P', email: '{word}@example.com', status } } },
      ...login('{word}@example.com'),
      answer: { ...refused('INVALID_CREDENTIALS'), message: 'The credentials are not valid.' },
    }),
  ),
  row('4.12.4', 'a user who was deleted is INVALID_CREDENTIALS', {
    given: person,
    first: [{ as: 'admin', send: 'DELETE /api/v2/users/{person}' }],
    ...login('{word}@example.com'),
    answer: refused('INVALID_CREDENTIALS'),
  }),
  row('4.12.5', 'a new user signs in with the password of the sign-up', {
    first: [{ send: 'POST /api/v2/users', body: { name: 'N', email: '{word}@example.com', password: 'pässwörd 👍' } }],
    ...login('{word}@example.com', 'pässwörd 👍'),
    answer: pair,
  }),
  row('5.7.1', 'an email that is taken is 409 at sign-up', {
    send: 'POST /api/v2/users',
    body: { name: 'N', email: 'editor@example.com', password },
    answer: { status: 409, code: 'CONFLICT', field: 'email' },
  }),

  ...(['login', 'refresh', 'logout'] as const).flatMap((name): Row[] => {
    const fields = name === 'login' ? ['email', 'password'] : ['refresh_token']
    const body = Object.fromEntries(fields.map((field) => [field, 'x']))
    return [
      row('4.12.6', `${name} without its fields`, {
        send: `POST /auth/${name}`,
        body: {},
        answer: invalid(...fields),
      }),
      row('4.12.6', `${name} with one more`, {
        send: `POST /auth/${name}`,
        body: { ...body, colour: 'red' },
        answer: invalid('colour'),
      }),
      ...[null, 5, ['x'], { $ne: null }, true, ''].map((value) =>
        row('4.12.6', `${name} with ${JSON.stringify(value)}`, {
          send: `POST /auth/${name}`,
          body: Object.fromEntries(fields.map((field) => [field, value])),
          answer: invalid(...fields),
        }),
      ),
      row('4.12.6', `${name} without a body`, {
        send: `POST /auth/${name}`,
        answer: { status: 400, code: 'VALIDATION_ERROR' },
      }),
      row('4.12.6', `${name} with a form`, {
        send: `POST /auth/${name}`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'email=a&password=b',
        answer: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
      }),
      row('4.12.6', `${name} with more than 16 KiB`, {
        send: `POST /auth/${name}`,
        body: { ...body, [fields[0]!]: 'x'.repeat(16_384) },
        answer: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
      }),
      ...['GET', 'PUT', 'DELETE'].map((method) =>
        row('4.12.7', `${method} of ${name} is 405`, {
          send: `${method} /auth/${name}`,
          answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: 'POST, OPTIONS' } },
        }),
      ),
    ]
  }),
  row('4.12.7', 'there is nothing else under /auth', {
    send: 'POST /auth/register',
    body: {},
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  ...['login', 'signIn', 'authenticate', 'refresh', 'logout', 'resetPassword'].map((name) =>
    row('4.12.7', `GraphQL has no mutation ${name}`, {
      also: {
        query: `mutation { ${name}(input: { email: "editor@example.com", password: "${password}" }) }`,
        answer: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
      answer: { status: 400 },
    }),
  ),
  row('4.12.8', 'an access token in the query does not count', {
    send: 'GET /api/v2/users/me?access_token=x',
    answer: refused('UNAUTHENTICATED'),
  }),
  row('4.12.8', 'the scheme is read in any case', {
    given: person,
    first: [signedIn],
    send: 'GET /api/v2/users/me',
    headers: { Authorization: 'bEARER {access}' },
    answer: { status: 200, data: { id: '{person}' } },
  }),
  row('4.12.8', 'a refresh token is no access token', {
    given: person,
    first: [signedIn],
    send: 'GET /api/v2/users/me',
    headers: { Authorization: 'Bearer {r0}' },
    answer: refused('INVALID_TOKEN'),
  }),
  row('4.12.8', 'an access token is no refresh token', {
    given: person,
    first: [signedIn],
    ...renew('{access}'),
    answer: refused('INVALID_TOKEN'),
  }),
])

clauses('3.5 Refresh tokens', [
  row('3.5.1', 'a used token is TOKEN_REUSED', {
    given: person,
    first: [signedIn, renew('{r0}')],
    ...renew('{r0}'),
    answer: refused('TOKEN_REUSED'),
  }),
  row('3.5.2', 'reuse kills the successor', {
    given: person,
    first: [
      signedIn,
      { ...renew('{r0}'), keep: { r1: 'body.refresh_token' } },
      { ...renew('{r0}'), answer: refused('TOKEN_REUSED') },
    ],
    ...renew('{r1}'),
    answer: refused('INVALID_TOKEN'),
  }),
  row('3.5.2', "reuse kills the user's tokens on every device", {
    given: person,
    first: [
      signedIn,
      { ...login('{word}@example.com'), keep: { device: 'body.refresh_token' } },
      renew('{r0}'),
      { ...renew('{r0}'), answer: refused('TOKEN_REUSED') },
    ],
    ...renew('{device}'),
    answer: refused('INVALID_TOKEN'),
  }),
  row('3.5.2', 'reuse leaves those of others alone', {
    given: { ...person, other: { User: { name: 'Other', email: 'x{word}@example.com' } } },
    first: [
      signedIn,
      { ...login('x{word}@example.com'), keep: { theirs: 'body.refresh_token' } },
      renew('{r0}'),
      { ...renew('{r0}'), answer: refused('TOKEN_REUSED') },
    ],
    ...renew('{theirs}'),
    answer: pair,
  }),
  row('3.5.3', 'a token that was reused is INVALID_TOKEN ever after, and revokes nothing more', {
    given: person,
    first: [
      signedIn,
      renew('{r0}'),
      { ...renew('{r0}'), answer: refused('TOKEN_REUSED') },
      { ...login('{word}@example.com'), keep: { later: 'body.refresh_token' } },
      { ...renew('{r0}'), answer: refused('INVALID_TOKEN') },
    ],
    ...renew('{later}'),
    answer: pair,
  }),
  row('3.5.3', 'a token that was logged out is INVALID_TOKEN, and revokes nothing', {
    given: person,
    first: [
      signedIn,
      { ...login('{word}@example.com'), keep: { device: 'body.refresh_token' } },
      signOut('{r0}'),
      { ...renew('{r0}'), answer: refused('INVALID_TOKEN') },
    ],
    ...renew('{device}'),
    answer: pair,
  }),
  row('3.5.4', 'access tokens live on after reuse', {
    given: person,
    first: [signedIn, renew('{r0}'), { ...renew('{r0}'), answer: refused('TOKEN_REUSED') }],
    send: 'GET /api/v2/users/me',
    headers: { Authorization: 'Bearer {access}' },
    answer: { status: 200 },
  }),
  ...['x', 'rt_', 'rt_x', `rt_${'A'.repeat(43)}`, `rt_${'A'.repeat(44)}`, '{r0}x', '{r0} ', '{r0}\n'].map((token) =>
    row('3.5.5', `${JSON.stringify(token)} is INVALID_TOKEN`, {
      given: person,
      first: [signedIn],
      ...renew(token),
      answer: refused('INVALID_TOKEN'),
      then: [{ ...renew('{r0}'), answer: pair }],
    }),
  ),
])

withService('3.5 Refresh tokens, in time and all at once', (service) => {
  const sign = async () => {
    const fixtures = service().fixtures(person)
    await fixtures.idOf('person')
    const email = await fixtures.fill('{word}@example.com')
    return (await service().send('POST /auth/login', { body: { email, password } })).body.refresh_token as string
  }
  const refresh = (token: string) => service().send('POST /auth/refresh', { body: { refresh_token: token } })
  const outcome = ({ status, body }: Awaited<ReturnType<typeof refresh>>) =>
    status === 200 ? 'granted' : body.error.code
  const dayMs = 86_400_000

  test('3.5.6 a token is good for seven days, and expired then', async () => {
    const [early, late] = [await sign(), await sign()]
    service().advance(7 * dayMs - 1_000)
    assert.equal(outcome(await refresh(early)), 'granted')
    service().advance(2_000)
    assert.equal(outcome(await refresh(late)), 'TOKEN_EXPIRED')
    assert.equal(outcome(await refresh(early)), 'TOKEN_REUSED', 'used, also when expired since')
  })

  test('3.5.7 of fifty refreshes of one token one is granted, and its successor is dead', async () => {
    const token = await sign()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(token)))
    const granted = answers.filter(({ status }) => status === 200)
    assert.equal(granted.length, 1)
    assert(answers.some((each) => outcome(each) === 'TOKEN_REUSED'))
    assert.equal(outcome(await refresh(granted[0]!.body.refresh_token)), 'INVALID_TOKEN')
    service().assertLog()
  })

  test('4.12.7 the only input of GraphQL that takes a password makes an account, and no type has a token', async () => {
    const { body } = await service().graphql('{ __schema { types { name inputFields { name } fields { name } } } }')
    const types: readonly { name: string; inputFields: Named; fields: Named }[] = body.data.__schema.types
    const having = (field: RegExp) =>
      types.filter((type) => [...(type.inputFields ?? []), ...(type.fields ?? [])].some(({ name }) => field.test(name)))
    assert.deepEqual(
      having(/password/i).map(({ name }) => name),
      ['CreateUserInput'],
    )
    assert.deepEqual(having(/token|jwt|log_?in/i), [])
  })

  test('4.12.4 every refusal of a login is the same, to the byte', async () => {
    const ask = async (email: string, secret: string) => {
      const { status, text, headers } = await service().send('POST /auth/login', { body: { email, password: secret } })
      const { 'x-request-id': _, date: __, ...others } = headers
      return { status, text, others }
    }
    const wrong = await ask('editor@example.com', 'wrong password')
    assert.deepEqual(await ask('nobody@example.com', password), wrong)
  })
})

type Named = readonly { readonly name: string }[] | null
