// Signing in under attack: nobody learns from the time it takes, a storm of it leaves the service awake, and damage stays where
// it is.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createPasswords } from '../../src/authentication/account/password.ts'
import { defaultLimits } from '../../src/limits.ts'
import { silentLog } from '../../src/observation/log.ts'
import { bind, command } from '../../src/store/store.ts'
import { processMs } from '../support/check/processor-time.ts'
import { type Answer, createClient } from '../support/client/http-client.ts'
import { rankDistance } from '../support/oracle/statistics.ts'
import { clauses } from '../support/rows/clauses.ts'
import { password, startTestService, type TestService, withService } from '../support/server/service.ts'

// What checking a password takes has nothing to do with the database.
describe('4.12 Sign-in, in time', () => {
  let running: TestService | undefined
  const service = () => running!
  before(async () => {
    const passwords = await createPasswords(defaultLimits, silentLog)
    running = await startTestService('sqlite', { passwordHash: await passwords.hash(password) })
  })
  after(() => running?.stop())
  test('4.12.9 an unknown address, a wrong password and a user not active take the same time', async () => {
    const fixtures = service().fixtures({
      person: { User: { name: 'P', email: '{word}@example.com', status: 'SUSPENDED' } },
    })
    await fixtures.idOf('person')
    const suspended = await fixtures.fill('{word}@example.com')
    const attempts: readonly (readonly [email: string, secret: string])[] = [
      ['viewer@example.com', 'wrong password'],
      ['nobody.at.all@example.com', password],
      [suspended, password],
    ]
    const times = attempts.map((): number[] => [])
    // In processor time, and beginning with each of them in turn, so that other work of the machine changes nothing. The first warm up.
    for (let round = -5; round < 60; round += 1) {
      for (const at of attempts.keys()) {
        const index = (at + round + 5) % attempts.length
        const [email, secret] = attempts[index]!
        const startMs = processMs()
        const { status } = await service().client.send('POST /auth/login', { body: { email, password: secret } })
        assert.equal(status, 401)
        if (round >= 0) times[index]!.push(processMs() - startMs)
      }
    }
    const [wrong, unknown, inactive] = times as [number[], number[], number[]]
    for (const [name, others] of [
      ['unknown', unknown],
      ['not active', inactive],
    ] as const) {
      // Beyond 4, chance would say so once in 16,000 runs.
      const distance = rankDistance(wrong, others)
      assert(Math.abs(distance) < 4, `${name} takes another time: ${distance.toFixed(1)} standard deviations`)
    }
  })

  test('4.12.10 more logins than can be checked wait for a while, or get Retry-After; the service stays responsive', async () => {
    // One client has 64 connections.
    const clients = [0, 1, 2].map(() => createClient(service().url))
    let checkedCount = 0
    const logins = Array.from({ length: 180 }, async (_, at) => {
      const body = { email: 'nobody@example.com', password }
      const answer = await clients[at % 3]!.send('POST /auth/login', { body })
      if (answer.status === 401) checkedCount++
      return answer
    })
    await Promise.race(logins)
    for (let at = 0; at < 5; at++) assert.equal((await service().client.send('GET /api/v2/posts')).status, 200)
    assert(checkedCount < 66, 'others are answered while passwords are checked')
    const answers = await Promise.all(logins)
    for (const each of clients) each.close()
    const statuses = Map.groupBy(answers, ({ status }) => status)
    assert.deepEqual([...statuses.keys()].sort(), [401, 503])
    for (const { headers, body } of statuses.get(503)!)
      assert.deepEqual([headers['retry-after'], body.error.code], ['1', 'SERVICE_UNAVAILABLE'])
    // Two are checked at once and 64 wait.
    assert(statuses.get(401)!.length >= 66)
  })
})

withService('4.12 Sign-in, refused', (service) => {
  test('4.12.4 a damaged hash is a wrong password, and a line in the log without it', async () => {
    const { email } = await withHash('$argon2id$damaged', service())
    const { status, body } = await service().send('POST /auth/login', { body: { email, password } })
    assert.deepEqual([status, body.error.code], [401, 'INVALID_CREDENTIALS'])
    const logText = JSON.stringify(service().logged())
    assert.match(logText, /A stored password hash is damaged/)
    assert(!logText.includes('$argon2id$damaged'))
    service().forgetLog()
  })

  test('4.12.4 a refused login is a line in the log, with no address and no password', async () => {
    service().forgetLog()
    await service().send('POST /auth/login', { body: { email: 'viewer@example.com', password: 'my other password' } })
    const [line] = service().logged('sign_in_refused')
    assert.match(String(line?.['userId']), /^usr_/)
    assert.doesNotMatch(JSON.stringify(line), /viewer@|my other password/)
  })
})

clauses('4.12 Sign-in, whatever is sent', [
  ...[
    'viewer@example.com ',
    ' viewer@example.com',
    'viewer@exámple.com',
    'vıewer@example.com',
    'viewer+x@example.com',
    "' or 1=1--",
  ].map((email) => ({
    clause: '4.12.4' as const,
    it: `${JSON.stringify(email)} is nobody`,
    send: 'POST /auth/login',
    body: { email, password },
    answer: { status: 401, code: 'INVALID_CREDENTIALS' as const },
  })),
  ...[`${password} `, password.toUpperCase(), password.slice(0, -1), `${password}\u0301`, 'x'.repeat(4_096)].map(
    (secret) => ({
      clause: '4.12.4' as const,
      it: `${JSON.stringify(secret).slice(0, 40)} is no password of theirs`,
      send: 'POST /auth/login',
      body: { email: 'viewer@example.com', password: secret },
      answer: { status: 401, code: 'INVALID_CREDENTIALS' as const },
    }),
  ),
  {
    clause: '4.12.6',
    it: 'a password has an end',
    send: 'POST /auth/login',
    body: { email: 'viewer@example.com', password: 'x'.repeat(4_097) },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'password' },
  },
  {
    clause: '4.12.6',
    it: 'credentials in the address are none',
    send: `POST /auth/login?email=viewer@example.com&password=${encodeURIComponent(password)}`,
    body: {},
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['email', 'password'] },
  },
])

withService('4.12 Sign-in, long passwords', (service) => {
  test('4.12.5 every byte of a password counts, beyond the 72nd too', async () => {
    const long = 'ä'.repeat(100)
    const email = await service().fixtures().fill('{unique}@example.com')
    const signUp = await service().send('POST /api/v2/users', { body: { name: 'N', email, password: `${long}1` } })
    assert.equal(signUp.status, 201, signUp.text)
    for (const [secret, status] of [
      [`${long}1`, 200],
      [`${long}2`, 401],
      [long, 401],
    ] as const)
      assert.equal((await service().send('POST /auth/login', { body: { email, password: secret } })).status, status)
  })

  test('4.12.10 a password fits however its characters are composed, from either face', async () => {
    const [composed, decomposed] = ['caf\u00e9 au lait \u2163', 'cafe\u0301 au lait IV']
    const [first, second] = [
      await service().fixtures().fill('{unique}@example.com'),
      await service().fixtures().fill('{unique}@example.com'),
    ]
    const rest = await service().send('POST /api/v2/users', { body: { name: 'N', email: first, password: decomposed } })
    assert.equal(rest.status, 201, rest.text)
    const query = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
    const variables = { input: { name: 'N', email: second, password: composed } }
    const graphql = await service().send('POST /graphql', { body: { query, variables } })
    assert.equal(graphql.body.errors, undefined, graphql.text)
    for (const email of [first, second]) {
      for (const secret of [composed, decomposed]) {
        assert.equal((await service().send('POST /auth/login', { body: { email, password: secret } })).status, 200)
      }
    }
  })

  test('4.12.10 the length of a password counts the code points that were sent', async () => {
    // Seven of them in the form that is hashed, and a ligature that becomes eighteen.
    for (const [secret, status] of [
      ['e\u0301lastic', 201],
      ['elastic', 400],
      ['\ufdfa'.repeat(200), 201],
      ['x'.repeat(201), 400],
    ] as const) {
      const email = await service().fixtures().fill('{unique}@example.com')
      const answer = await service().send('POST /api/v2/users', { body: { name: 'N', email, password: secret } })
      assert.equal(answer.status, status, answer.text)
    }
  })
})

withService(
  '4.12 Sign-in, counted',
  (service) => {
    test('4.12.11 five logins a minute for each address, for any account and anywhere', async () => {
      const limited = ({ headers }: Answer) =>
        ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => Number(headers[name]))
      const login = (email: string, secret: string, prefix = '') =>
        service().send(`POST ${prefix}/auth/login`, { body: { email, password: secret } })
      const answers = [
        await login('viewer@example.com', password),
        await login('viewer@example.com', 'wrong password', '/api'),
        await login('nobody@example.com', password),
        await service().send('POST /auth/login', { body: { email: 5 } }),
        await login('editor@example.com', password, '/api'),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 401, 401, 400, 200],
      )
      assert.deepEqual(
        answers.map(limited),
        [4, 3, 2, 1, 0].map((left) => [5, left]),
      )
      for (const refused of [
        await login('admin@example.com', password),
        await login('admin@example.com', 'x', '/api'),
      ]) {
        assert.deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMIT_EXCEEDED'])
        assert.deepEqual(limited(refused), [5, 0])
        const [retryAfter, reset] = ['retry-after', 'x-ratelimit-reset'].map((name) => Number(refused.headers[name]))
        assert(retryAfter! >= 1 && retryAfter! <= 60)
        assert(reset! * 1000 >= service().now().getTime())
      }
      assert.equal((await service().client.send('GET /api/v2/posts')).status, 200, 'everything else goes on')
      service().advance(60_000)
      assert.equal((await login('admin@example.com', password)).status, 200)
    })
  },
  { environment: { LIMIT_LOGIN_PER_MINUTE: '5' } },
)

async function withHash(value: string, service: TestService): Promise<{ readonly email: string }> {
  const fixtures = service.fixtures({ person: { User: { name: 'P', email: '{word}@example.com' } } })
  const id = await fixtures.idOf('person')
  const [one, two] = service.engine === 'sqlite' ? ['?1', '?2'] : ['$1', '$2']
  await service.store.write(function* () {
    yield bind(command(`update users set password_hash = ${one} where id = ${two}`), value, id)
  })
  return { email: await fixtures.fill('{word}@example.com') }
}
