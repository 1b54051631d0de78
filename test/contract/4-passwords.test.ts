// Forgotten passwords: who is sent a token, what it is good for, and what nobody learns from asking.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { clauses } from '../support/rows/clauses.ts'
import { password, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())
const limit = { LIMIT_FORGOT_PASSWORD_PER_MINUTE: '3' }
const environment = { SMTP_URL: smtp.url, PASSWORD_RESET_URL: 'https://app.example.com/reset?token={token}&x=1' }
const minuteMs = 60_000
const another = 'a password that is quite another'

const forgot = (email: unknown) => ({ send: 'POST /auth/forgot-password', body: { email } })
const bad = (...fields: readonly string[]) => ({ status: 400, code: 'VALIDATION_ERROR' as const, fields })

clauses(
  '4.13 Passwords',
  [
    {
      clause: '4.13.1',
      it: 'a request is 202',
      ...forgot('viewer@example.com'),
      answer: { status: 202, body: {} },
    },
    { clause: '4.13.1', it: 'for anybody', ...forgot('nobody@example.com'), answer: { status: 202, body: {} } },
    {
      clause: '4.13.1',
      it: 'under /api/auth, too',
      ...forgot('x'),
      send: 'POST /api/auth/forgot-password',
      answer: { status: 202, body: {} },
    },
    ...[null, 5, ['x'], {}, ''].map((value) => ({
      clause: '4.13.1' as const,
      it: `a request for ${JSON.stringify(value)} is refused by its form`,
      ...forgot(value),
      answer: bad('email'),
    })),
    {
      clause: '4.13.2',
      it: 'a password must be one',
      send: 'POST /auth/reset-password',
      body: { token: `prt_${'A'.repeat(43)}`, password: 'short' },
      answer: { ...bad('password'), message: 'password: At least 8 characters.' },
    },
    {
      clause: '4.13.2',
      it: 'a password has an end',
      send: 'POST /auth/reset-password',
      body: { token: 'x', password: 'x'.repeat(201) },
      answer: bad('password'),
    },
    {
      clause: '4.13.2',
      it: 'all problems are reported at once',
      send: 'POST /auth/reset-password',
      body: { password: 5, colour: 'red' },
      answer: bad('token', 'password', 'colour'),
    },
    ...['x', `prt_${'A'.repeat(43)}`, `rt_${'A'.repeat(43)}`, `prt_${'A'.repeat(43)}\n`].map((token) => ({
      clause: '4.13.3' as const,
      it: `${JSON.stringify(token)} resets nothing`,
      send: 'POST /auth/reset-password',
      body: { token, password: another },
      answer: { status: 401, code: 'INVALID_TOKEN' as const },
    })),
  ],
  { environment },
)

withService(
  '4.13 Passwords, by mail',
  (service) => {
    test('4.13.3 a token of the mail sets the password, once, and ends every session', async () => {
      const { email, userId, tokens } = await signUp(service())
      const token = await tokenFor(email, service())
      assert.equal((await reset(token, service())).status, 204)
      await assertRefused(tokens, service())
      await assertSignsIn(email, password, false, service())
      await assertSignsIn(email, another, true, service())
      assert.deepEqual(code(await reset(token, service())), [401, 'INVALID_TOKEN'])
      const events = await service().send(`GET /api/v2/security-events?user_id=${userId}`, { as: 'admin' })
      assert.deepEqual(
        events.body.data.map((each: { type: string; ip: string }) => [each.type, each.ip]),
        [['password_reset', '127.0.0.1']],
      )
      service().assertLog()
    })

    test('4.12.10 a new password fits however its characters are composed', async () => {
      const { email } = await signUp(service())
      assert.equal((await reset(await tokenFor(email, service()), service(), 'cafe\u0301 au lait IV')).status, 204)
      await assertSignsIn(email, 'caf\u00e9 au lait \u2163', true, service())
    })

    test('4.13.3 a reset uses up every token of its user', async () => {
      const { email } = await signUp(service())
      const first = await tokenFor(email, service())
      const second = await tokenFor(email, service())
      assert.notEqual(first, second)
      assert.equal((await reset(first, service())).status, 204, 'an earlier token is good, too')
      assert.deepEqual(code(await reset(second, service())), [401, 'INVALID_TOKEN'])
    })

    test('4.13.3 a token is good for half an hour', async () => {
      const { email } = await signUp(service())
      const [early, late] = [await tokenFor(email, service()), await tokenFor(email, service())]
      service().advance(30 * minuteMs - 2_000)
      assert.equal((await reset(early, service())).status, 204)
      service().advance(2_000)
      // Used up by the other one; an expired token that is left says so.
      assert.deepEqual(code(await reset(late, service())), [401, 'INVALID_TOKEN'])
      const { email: other } = await signUp(service())
      const left = await tokenFor(other, service())
      service().advance(30 * minuteMs)
      assert.deepEqual(code(await reset(left, service())), [401, 'TOKEN_EXPIRED'])
      service().forgetTokens()
    })

    test('4.13.3 of twenty at once with one token, one sets the password', async () => {
      const { email } = await signUp(service())
      const token = await tokenFor(email, service())
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => reset(token, service(), `${another} ${at}`)),
      )
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [204, ...Array.from({ length: 19 }, () => 401)])
      await assertSignsIn(email, `${another} ${statuses.indexOf(204)}`, true, service())
    })

    test('4.13.4 only the hash of a token is kept', async () => {
      const { email } = await signUp(service())
      const token = await tokenFor(email, service())
      const rows = await service().store.read(all('select hash from duet_password_reset'))
      assert(rows.some(([kept]) => kept === hash('sha256', token, 'base64url')))
      assert(!JSON.stringify(rows).includes(token))
    })

    test('4.13.1 the mail goes to the account alone, from the service', async () => {
      const { email } = await signUp(service())
      await tokenFor(email.toUpperCase(), service(), email)
      const [mail] = smtp.to(email)
      assert(mail !== undefined)
      assert.deepEqual(mail.to, [email])
      assert.equal(mail.from, 'no-reply@127.0.0.1')
      assert.match(mail.text, /^Subject: Your new password$/m)
      assert.match(mail.text, /once, and for 30 minutes/)
    })

    test('4.13.1 no other address is sent anything', async () => {
      const { email, userId } = await signUp(service())
      await move('suspend', userId, service())
      await service().send('POST /auth/forgot-password', { body: { email } })
      await service().send('POST /auth/forgot-password', { body: { email: 'nobody@example.com' } })
      await service().send('POST /auth/forgot-password', { body: { email: 'no address' } })
      // Mails are sent in the order in which they were asked for: what comes after these has come.
      const { email: other } = await signUp(service())
      await tokenFor(other, service())
      assert.equal(smtp.to(email).length, 0)
      assert.equal(smtp.to('nobody@example.com').length, 0)
    })

    test('4.13.1 a token of a user suspended since is INVALID_TOKEN', async () => {
      const { email, userId } = await signUp(service())
      const token = await tokenFor(email, service())
      await move('suspend', userId, service())
      assert.deepEqual(code(await reset(token, service())), [401, 'INVALID_TOKEN'])
      await move('reactivate', userId, service())
      await assertSignsIn(email, password, true, service())
    })

    test('4.13.1 no request waits for a mail server that does not answer', async () => {
      const { email } = await signUp(service())
      smtp.behave('silent')
      const connected = smtp.connected()
      const answer = await service().send('POST /auth/forgot-password', { body: { email } })
      await connected
      assert.equal(answer.status, 202)
      smtp.behave('well')
    })

    test('4.13.1 a mail server that refuses is a matter for the log', async () => {
      const { email } = await signUp(service())
      service().forgetLog()
      smtp.behave('refusing')
      const answer = await service().send('POST /auth/forgot-password', { body: { email } })
      assert.equal(answer.status, 202)
      smtp.behave('well')
      await tokenFor(email, service())
      service().forgetLog()
    })

    test('4.13.7 a mail that was refused is a row without a token, and another attempt has another token', async () => {
      // Mails of earlier tests that were refused are sent first, so that the log is about this one.
      service().advance(10 * minuteMs)
      await tokenFor((await signUp(service())).email, service())
      while ((await service().tables('duet_mail')).length > 0) await new Promise(setImmediate)
      const { email, userId } = await signUp(service())
      service().forgetLog()
      smtp.behave('refusing')
      await service().send('POST /auth/forgot-password', { body: { email } })
      while (
        service()
          .log()
          .every((line) => !line.includes('could not be sent'))
      )
        await new Promise(setImmediate)
      const waiting = async () => (await service().tables('duet_mail')).filter((row) => row.includes(email))
      const tokens = async () => (await service().tables('duet_password_reset')).filter((row) => row.includes(userId))
      const [[mail], [first]] = [await waiting(), await tokens()]
      assert.ok(mail !== undefined && !JSON.stringify(mail).includes('prt_'))
      smtp.behave('well')
      service().advance(minuteMs)
      const other = await signUp(service())
      await tokenFor(other.email, service())
      while (smtp.to(email).length === 0) await smtp.arrival()
      while ((await waiting()).length > 0) await new Promise(setImmediate)
      const [second, ...more] = await tokens()
      assert.notEqual(second![0], first![0])
      assert.deepEqual(more, [], 'the token of the attempt before is void')
      service().forgetLog()
    })
  },
  { environment },
)

withService(
  '4.13 Passwords, counted',
  (service) => {
    test('4.13.5 three requests a minute for each address, known or not', async () => {
      for (const email of ['viewer@example.com', 'nobody@example.com']) {
        const ask = (spelt: string) => service().send('POST /auth/forgot-password', { body: { email: spelt } })
        for (let remaining = 2; remaining >= 0; remaining -= 1) {
          const { status, headers } = await ask(email)
          assert.deepEqual([status, headers['x-ratelimit-remaining']], [202, String(remaining)])
        }
        const refused = await ask(email.toUpperCase())
        assert.deepEqual(code(refused), [429, 'RATE_LIMIT_EXCEEDED'])
        assert.equal(refused.headers['x-ratelimit-limit'], '3')
        assert.equal((await ask(`another.${email}`)).status, 202)
      }
      service().advance(minuteMs)
      assert.equal(
        (await service().send('POST /auth/forgot-password', { body: { email: 'viewer@example.com' } })).status,
        202,
      )
    })
  },
  { environment: { ...environment, ...limit } },
)

for (const [title, template] of [
  ['a bare token', undefined],
  ['a link', 'https://app.example.com/reset?token={token}&x=1'],
] as const)
  withService(
    `0.1.5 Passwords without a mail server, by ${title}`,
    (service) => {
      test('0.1.5 development reads the token in its log, and resets the password with it', async () => {
        const { email } = await signUp(service())
        await service().send('POST /auth/forgot-password', { body: { email } })
        const lines = () =>
          service()
            .log()
            .filter((line) => line.includes(email))
        while (lines().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        const [token] = /prt_[\w-]{43}/.exec(lines().join('')) ?? assert.fail(lines().join(''))
        if (template !== undefined) assert.ok(lines().join('').includes(template.replace('{token}', token)))
        assert.equal((await reset(token, service())).status, 204)
        await assertSignsIn(email, another, true, service())
      })
    },
    { environment: template === undefined ? {} : { PASSWORD_RESET_URL: template } },
  )

interface SignedUp {
  readonly email: string
  readonly userId: string
  readonly tokens: { readonly access_token: string; readonly refresh_token: string }
}
async function signUp(service: TestService): Promise<SignedUp> {
  // Both databases share the mail server.
  const address = `{word}@${service.engine.length}.example.com`
  const fixtures = service.fixtures({ person: { User: { name: 'Person', email: address } } })
  const userId = await fixtures.idOf('person')
  const email = await fixtures.fill(address)
  const { body } = await service.send('POST /auth/login', { body: { email, password } })
  return { email, userId, tokens: body }
}

/** Asks for a new password, and reads the token in the mail that comes. */
async function tokenFor(email: string, service: TestService, to = email): Promise<string> {
  const before = smtp.to(to).length
  const { status } = await service.send('POST /auth/forgot-password', { body: { email } })
  assert.equal(status, 202)
  while (smtp.to(to).length === before) await smtp.arrival()
  const { text } = smtp.to(to).at(-1)!
  return /https:\/\/app\.example\.com\/reset\?token=(prt_[\w-]{43})&x=1/.exec(text)?.[1] ?? assert.fail(text)
}

async function move(action: string, userId: string, service: TestService): Promise<void> {
  const { status, text } = await service.send(`POST /api/v2/users/${userId}/${action}`, { as: 'admin' })
  assert.equal(status, 200, text)
}
const reset = (token: string, service: TestService, to = another) =>
  service.send('POST /auth/reset-password', { body: { token, password: to } })
const code = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body?.error?.code]

async function assertRefused({ access_token, refresh_token }: SignedUp['tokens'], service: TestService): Promise<void> {
  const headers = { Authorization: `Bearer ${access_token}` }
  assert.deepEqual(code(await service.send('GET /api/v2/users/me', { headers })), [401, 'INVALID_TOKEN'])
  assert.deepEqual(code(await service.send('POST /auth/refresh', { body: { refresh_token } })), [401, 'INVALID_TOKEN'])
}
async function assertSignsIn(email: string, secret: string, may: boolean, service: TestService): Promise<void> {
  const { status } = await service.send('POST /auth/login', { body: { email, password: secret } })
  assert.equal(status, may ? 200 : 401)
}
function* all(sql: string): Program<readonly StoredRow[]> {
  return yield bind(query(sql))
}
