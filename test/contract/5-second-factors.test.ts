// Second factors: what a challenge is bound to, what codes are worth, and what adding and removing a method ends.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import {
  ApiKey,
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  may,
  password as passwordField,
  resource,
  SecurityEvent,
  Session,
  SignInMethod,
  self,
  service,
  state,
} from 'duet-api'
import type { Answer } from '../support/client/http-client.ts'
import {
  bearer,
  begin,
  claimsOf,
  codeAt,
  type Person,
  setUpIn,
  stepMs,
  wrongCode,
} from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    isSure: boolean({ default: false }),
    password: passwordField({ min: 8, max: 200 }),
    role: choice(['MEMBER', 'ADMIN', 'TREASURER'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
  },
  protect: { isSure: { write: may('manage') }, role: { write: may('manage') } },
  actions: {
    read: { allow: anyOf(self, may('manage')) },
    create: { allow: anyone, accept: ['email', 'password'] },
    update: { allow: may('manage'), accept: ['role'] },
    delete: { allow: may('manage') },
    suspend: { allow: may('manage'), from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: may('manage'), from: 'SUSPENDED', to: 'ACTIVE' },
  },
})
const definition = service({
  resources: { User, Session, ApiKey, SecurityEvent, SignInMethod },
  accounts: {
    login: 'email',
    verified: 'isSure',
    password: 'password',
    role: 'role',
    activeState: 'ACTIVE',
    methods: { magicLink: true, totp: true },
    secondFactorFor: ['TREASURER'],
  },
  roles: { MEMBER: {}, ADMIN: 'everything', TREASURER: {} },
})
const minuteMs = 60_000
const refusalOf = ({ status, body }: Answer) => [status, body.error?.code]

/** Resolves when such a mail has come. */
async function mailTo({ address }: Person, sentence: RegExp): Promise<void> {
  while (!smtp.to(address).some(({ text }) => sentence.test(text.replaceAll('\n', ' ')))) await smtp.arrival()
}
const dataKey = Buffer.alloc(32, 7).toString('base64')

withService(
  '5.13 Second factors',
  (service) => {
    const now = () => service().now().getTime()
    const complete = (challenge: string, code: string) =>
      service().send('POST /auth/login', { body: { challenge, code } })
    const codeNow = (secret: string) => codeAt(secret, now())
    async function boss() {
      const admin = await begin(service(), 'ADMIN')
      return bearer((await admin.signIn()).access_token)
    }
    const read = (token: string) => service().send('GET /api/v1/users/me', bearer(token))

    test('5.13.1 an account with an app owes a code, which opens a session with mfa', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const { status, body, headers } = await person.login()
      assert.equal(status, 401)
      assert.deepEqual(Object.keys(body.error), ['code', 'message', 'challenge'])
      const { challenge } = body.error
      assert.deepEqual(Object.keys(challenge), ['token', 'methods', 'expires_in'])
      assert.deepEqual([challenge.methods, challenge.expires_in], [['totp', 'recovery_code'], 300])
      assert.equal(headers['cache-control'], 'no-store')
      const answer = await complete(challenge.token, codeNow(secret))
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(claimsOf(answer.body.access_token).amr, ['pwd', 'otp', 'mfa'])
      assert.equal((await read(answer.body.access_token)).status, 200)
    })

    test('5.13.1 a wrong password is not told apart, with an app or without', async () => {
      const person = await begin(service())
      await person.setUp()
      const plain = await begin(service())
      const [one, two] = [await person.login('a wrong password'), await plain.login('a wrong password')]
      assert.deepEqual([one.status, one.text], [two.status, two.text])
    })

    for (const body of [
      {},
      { code: '123456' },
      { challenge: 'x' },
      { email: 'a@example.com', password, code: '123456' },
      { email: 'a@example.com', challenge: 'x', code: '123456' },
      { challenge: 'x', code: 123456 },
      { challenge: ['x'], code: '123456' },
      { challenge: 'x', code: '' },
      { challenge: 'x', code: '123456', code_verifier: 'x' },
    ])
      test(`5.13.1 ${JSON.stringify(body)} has no form of login`, async () => {
        const { status, body: answer } = await service().send('POST /auth/login', { body })
        assert.deepEqual([status, answer.error.code], [400, 'VALIDATION_ERROR'])
      })

    test('5.13.1 reauthentication owes the same, for the session that began it', async () => {
      const person = await begin(service())
      const { secret, tokens } = await person.setUp()
      service().advance(6 * minuteMs)
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      const as = bearer(renewed.body.access_token)
      const proof = { email: person.address, password }
      const owed = await service().send('POST /auth/reauthenticate', { ...as, body: proof })
      assert.deepEqual(refusalOf(owed), [401, 'SECOND_FACTOR_REQUIRED'])
      const { token } = owed.body.error.challenge
      assert.deepEqual(refusalOf(await complete(token, codeNow(secret))), [401, 'INVALID_TOKEN'])
      const body = { challenge: token, code: codeNow(secret) }
      const done = await service().send('POST /auth/reauthenticate', { ...as, body })
      assert.equal(done.status, 200, done.text)
      const { amr, sid } = claimsOf(done.body.access_token)
      assert.deepEqual([amr, sid], [['pwd', 'otp', 'mfa'], claimsOf(renewed.body.access_token).sid])
      assert.equal(
        (await service().send('POST /auth/recovery-codes', { ...bearer(done.body.access_token), body: {} })).status,
        200,
      )
    })

    test('5.13.2 a challenge of a sign-in reauthenticates no session, of this account or another', async () => {
      const person = await begin(service())
      const { secret, tokens } = await person.setUp()
      const other = await (await begin(service())).signIn()
      const challenge = await person.challenge()
      for (const token of [tokens.access_token, other.access_token]) {
        const body = { challenge, code: codeNow(secret) }
        const answer = await service().send('POST /auth/reauthenticate', { ...bearer(token), body })
        assert.deepEqual(refusalOf(answer), [401, 'INVALID_TOKEN'])
      }
    })

    test('5.13.2 a challenge works once', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      assert.equal((await complete(challenge, codeNow(secret))).status, 200)
      service().advance(stepMs)
      assert.deepEqual(refusalOf(await complete(challenge, codeNow(secret))), [401, 'INVALID_TOKEN'])
    })

    test('5.13.2 a challenge lasts for five minutes', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      service().advance(5 * minuteMs)
      assert.deepEqual(refusalOf(await complete(challenge, codeNow(secret))), [401, 'INVALID_TOKEN'])
      const next = await person.challenge()
      service().advance(5 * minuteMs - 1_000)
      assert.equal((await complete(next, codeNow(secret))).status, 200)
    })

    test('5.13.2 the fifth wrong code ends a challenge', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      for (let index = 0; index < 5; index++)
        assert.deepEqual(refusalOf(await complete(challenge, wrongCode(secret, now()))), [401, 'INVALID_CREDENTIALS'])
      assert.deepEqual(refusalOf(await complete(challenge, codeNow(secret))), [401, 'INVALID_TOKEN'])
    })

    test('5.13.2 of twenty wrong codes at once, five are judged', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      const wrong = wrongCode(secret, now())
      const answers = await Promise.all(Array.from({ length: 20 }, () => complete(challenge, wrong)))
      const codes = answers.map(({ body }) => body.error.code)
      assert.equal(codes.filter((code) => code === 'INVALID_CREDENTIALS').length, 5)
      assert.equal(codes.filter((code) => code === 'INVALID_TOKEN').length, 15)
    })

    for (const [what, token] of [
      ['an unknown token', `chl_${'A'.repeat(43)}`],
      ['a malformed one', 'chl_short'],
      ['one of another kind', `rt_${'A'.repeat(43)}`],
    ] as const)
      test(`5.13.2 ${what} is no challenge`, async () => {
        assert.deepEqual(refusalOf(await complete(token, '123456')), [401, 'INVALID_TOKEN'])
      })

    test("5.13.2 another account's code does not complete a challenge", async () => {
      const [one, two] = [await begin(service()), await begin(service())]
      await one.setUp()
      const { secret } = await two.setUp()
      assert.deepEqual(refusalOf(await complete(await one.challenge(), codeNow(secret))), [401, 'INVALID_CREDENTIALS'])
    })

    const endings: readonly (readonly [string, (person: Person, as: object) => Promise<unknown>])[] = [
      [
        'another role',
        (person, as) => service().send(`PATCH /api/v1/users/${person.id}`, { ...as, body: { role: 'ADMIN' } }),
      ],
      ['a suspension', (person, as) => service().send(`POST /api/v1/users/${person.id}/suspend`, as)],
      [
        'a suspension that is over',
        async (person, as) => {
          await service().send(`POST /api/v1/users/${person.id}/suspend`, as)
          return service().send(`POST /api/v1/users/${person.id}/reactivate`, as)
        },
      ],
      ['deletion', (person, as) => service().send(`DELETE /api/v1/users/${person.id}`, as)],
    ]
    for (const [what, end] of endings)
      test(`5.13.2 ${what} of the account ends a challenge`, async () => {
        const person = await begin(service())
        const { secret } = await person.setUp()
        const challenge = await person.challenge()
        const answer = (await end(person, await boss())) as { status: number; text: string }
        assert.ok(answer.status < 300, answer.text)
        assert.deepEqual(refusalOf(await complete(challenge, codeNow(secret))), [401, 'INVALID_TOKEN'])
      })

    test('5.13.2 another password ends a challenge', async () => {
      const person = await begin(service())
      const { secret, tokens } = await person.setUp()
      const challenge = await person.challenge()
      const body = { password: 'a password that is quite another' }
      assert.equal(
        (await service().send('POST /auth/change-password', { ...bearer(tokens.access_token), body })).status,
        200,
      )
      assert.deepEqual(refusalOf(await complete(challenge, codeNow(secret))), [401, 'INVALID_TOKEN'])
    })

    /** The tokens, or the failure, of a link that was mailed to the address. */
    async function byLink({ address }: Person) {
      const verifier = randomBytes(32).toString('base64url')
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const before = smtp.to(address).length
      await service().send('POST /auth/magic-link', { body: { email: address, code_challenge: challenge } })
      const tokenIn = () =>
        smtp
          .to(address)
          .slice(before)
          .flatMap(({ text }) => /^mgl_[\w-]{43}$/m.exec(text) ?? [])
          .at(-1)
      while (tokenIn() === undefined) await smtp.arrival()
      return service().send('POST /auth/login', { body: { token: tokenIn(), code_verifier: verifier } })
    }

    test('5.13.3 a magic link owes the code as well, so that a mailbox alone is not enough', async () => {
      const person = await begin(service(), 'MEMBER', true)
      const { secret } = await person.setUp()
      const owed = await byLink(person)
      assert.deepEqual(refusalOf(owed), [401, 'SECOND_FACTOR_REQUIRED'])
      const answer = await complete(owed.body.error.challenge.token, codeNow(secret))
      assert.deepEqual(claimsOf(answer.body.access_token).amr, ['mail', 'otp', 'mfa'])
    })

    test('5.13.9 a link to an account without proof removes the app and the recovery codes of a stranger', async () => {
      const person = await begin(service())
      const { tokens } = await person.setUp()
      const opened = await byLink(person)
      assert.equal(opened.status, 200, opened.text)
      const { body } = await service().send('GET /api/v1/sign-in-methods', bearer(opened.body.access_token))
      assert.deepEqual(body.data, [])
      assert.equal((await read(tokens.access_token)).body.error.code, 'INVALID_TOKEN')
      const left = JSON.stringify(await service().tables('duet_totp', 'duet_recovery_code'))
      assert.ok(!left.includes(person.id))
    })

    test('5.13.5 an owner lists the methods without secrets; for others and for keys there is none', async () => {
      const person = await begin(service())
      const key = await service().send('POST /api/v1/api-keys', {
        ...bearer((await person.signIn()).access_token),
        body: { name: 'k', scopes: ['*'] },
      })
      const { tokens } = await person.setUp()
      const { body } = await service().send('GET /api/v1/sign-in-methods', bearer(tokens.access_token))
      assert.equal(body.data.length, 1)
      const [{ id, kind, name, user_id: userId }] = body.data
      assert.deepEqual([kind, name, userId], ['totp', 'Authenticator app', person.id])
      assert.doesNotMatch(JSON.stringify(body), /secret/)
      assert.match(id, /^sim_/)
      const other = await (await begin(service())).signIn()
      assert.equal((await service().send(`GET /api/v1/sign-in-methods/${id}`, bearer(other.access_token))).status, 404)
      assert.equal(
        (await service().send(`DELETE /api/v1/sign-in-methods/${id}`, bearer(other.access_token))).status,
        404,
      )
      const byKey = { headers: { 'X-API-Key': key.body.data.key } }
      assert.equal((await service().send('GET /api/v1/sign-in-methods', byKey)).status, 403)
      assert.equal((await service().send(`DELETE /api/v1/sign-in-methods/${id}`, byKey)).status, 403)
    })

    test('5.13.6 adding a method ends all other sessions, is an event and a mail; the session goes on with mfa', async () => {
      const person = await begin(service())
      const other = await person.signIn()
      const { tokens } = await person.setUp()
      assert.equal((await read(other.access_token)).body.error.code, 'INVALID_TOKEN')
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.equal(renewed.status, 200)
      assert.deepEqual(claimsOf(renewed.body.access_token).amr, ['pwd', 'otp', 'mfa'])
      const renewedOther = await service().send('POST /auth/refresh', { body: { refresh_token: other.refresh_token } })
      assert.equal(renewedOther.body.error.code, 'INVALID_TOKEN')
      assert.equal(
        service()
          .logged('method_added')
          .filter(({ userId }) => userId === person.id).length,
        1,
      )
      await mailTo(person, /Your account got an authenticator app/)
    })

    test('5.13.6 it requires a sign-in within the last five minutes', async () => {
      const tokens = await (await begin(service())).signIn()
      service().advance(5 * minuteMs + 1_000)
      const begun = await service().send('POST /auth/totp', { ...bearer(tokens.access_token), body: {} })
      assert.deepEqual(refusalOf(begun), [401, 'REAUTHENTICATION_REQUIRED'])
      assert.deepEqual(refusalOf(await service().send('POST /auth/totp', { body: {} })), [401, 'UNAUTHENTICATED'])
    })

    test('5.13.6 sign-ins by password beside a setup owe the code, or have ended with it', async () => {
      const person = await begin(service())
      const { access_token: token } = await person.signIn()
      const { body } = await service().send('POST /auth/totp', { ...bearer(token), body: {} })
      const setup = service().send('POST /auth/totp', { ...bearer(token), body: { code: codeNow(body.secret) } })
      const logins = Array.from({ length: 20 }, () => person.login())
      const [confirmed, ...answers] = await Promise.all([setup, ...logins])
      assert.equal(confirmed!.status, 200)
      for (const { status, body: opened } of answers) {
        if (status === 401) assert.equal(opened.error.code, 'SECOND_FACTOR_REQUIRED')
        else {
          const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: opened.refresh_token } })
          assert.equal(renewed.status, 401)
        }
      }
    })

    test('5.13.7 removing the app ends other sessions and recovery codes, is an event and a mail', async () => {
      const person = await begin(service())
      const { secret, recoveryCodes, tokens } = await person.setUp()
      const other = (await complete(await person.challenge(), codeNow(secret))).body
      const pending = await person.challenge()
      const { body } = await service().send('GET /api/v1/sign-in-methods', bearer(tokens.access_token))
      const removed = await service().send(
        `DELETE /api/v1/sign-in-methods/${body.data[0].id}`,
        bearer(tokens.access_token),
      )
      assert.equal(removed.status, 204, removed.text)
      assert.equal((await read(other.access_token)).body.error.code, 'INVALID_TOKEN')
      assert.equal((await read(tokens.access_token)).status, 200)
      assert.deepEqual(refusalOf(await complete(pending, recoveryCodes[0]!)), [401, 'INVALID_TOKEN'])
      assert.equal(
        service()
          .logged('method_removed')
          .filter(({ userId }) => userId === person.id).length,
        1,
      )
      await mailTo(person, /lost an authenticator app/)
      await person.signIn()
      const again = await setUpIn(service(), tokens.access_token)
      assert.notEqual(again.secret, secret)
    })

    test('5.13.5 removing it requires a recent sign-in', async () => {
      const person = await begin(service())
      const { tokens } = await person.setUp()
      const { body } = await service().send('GET /api/v1/sign-in-methods', bearer(tokens.access_token))
      service().advance(5 * minuteMs)
      const removed = await service().send(
        `DELETE /api/v1/sign-in-methods/${body.data[0].id}`,
        bearer(tokens.access_token),
      )
      assert.deepEqual(refusalOf(removed), [401, 'REAUTHENTICATION_REQUIRED'])
    })

    test('5.13.8 a role that requires a second factor sets it up with the challenge, and is then signed in', async () => {
      const person = await begin(service(), 'TREASURER')
      const owed = await person.login()
      assert.deepEqual(owed.body.error.challenge.methods, ['setup'])
      const { token: challenge } = owed.body.error.challenge
      assert.deepEqual(refusalOf(await complete(challenge, '123456')), [401, 'INVALID_CREDENTIALS'])
      const begun = await service().send('POST /auth/totp', { body: { challenge } })
      assert.equal(begun.status, 200, begun.text)
      const done = await service().send('POST /auth/totp', { body: { challenge, code: codeNow(begun.body.secret) } })
      assert.equal(done.status, 200, done.text)
      assert.equal(done.body.recovery_codes.length, 10)
      assert.deepEqual(claimsOf(done.body.access_token).amr, ['pwd', 'otp', 'mfa'])
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: done.body.refresh_token } })
      assert.equal(renewed.status, 200)
      assert.deepEqual((await person.login()).body.error.challenge.methods, ['totp', 'recovery_code'])
    })

    test('5.13.8 who has a second factor cannot add one in its place with a challenge', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      assert.deepEqual(refusalOf(await service().send('POST /auth/totp', { body: { challenge } })), [409, 'CONFLICT'])
      assert.equal((await complete(challenge, codeNow(secret))).status, 200)
    })

    test('5.13.8 of twenty setups at once with one challenge, one signs in', async () => {
      const person = await begin(service(), 'TREASURER')
      const { token: challenge } = (await person.login()).body.error.challenge
      const begun = await service().send('POST /auth/totp', { body: { challenge } })
      const body = { challenge, code: codeNow(begun.body.secret) }
      const answers = await Promise.all(Array.from({ length: 20 }, () => service().send('POST /auth/totp', { body })))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.ok(answers.every(({ status }) => [200, 401, 409].includes(status)))
    })

    test('5.13.8 a session without a second factor is not renewed once its role requires one', async () => {
      const person = await begin(service())
      const tokens = await person.signIn()
      const as = await boss()
      await service().send(`PATCH /api/v1/users/${person.id}`, { ...as, body: { role: 'TREASURER' } })
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.deepEqual(refusalOf(renewed), [401, 'INVALID_TOKEN'])
    })
  },
  { definition, environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey } },
)

withService(
  '5.14 Authenticator apps',
  (service) => {
    const now = () => service().now().getTime()
    const complete = (challenge: string, code: string) =>
      service().send('POST /auth/login', { body: { challenge, code } })
    const prove = async (person: Person, code: string) => complete(await person.challenge(), code)

    test('5.14.1 a setup returns a secret of 160 bits and its address, then ten codes of 80 bits', async () => {
      const person = await begin(service())
      const { access_token: token } = await person.signIn()
      const begun = await service().send('POST /auth/totp', { ...bearer(token), body: {} })
      assert.match(begun.body.secret, /^[A-Z2-7]{32}$/)
      const url = new URL(begun.body.url)
      assert.equal(url.searchParams.get('secret'), begun.body.secret)
      assert.match(decodeURIComponent(url.pathname), new RegExp(`${person.address}$`))
      const body = { code: codeAt(begun.body.secret, now()) }
      const confirmed = await service().send('POST /auth/totp', { ...bearer(token), body })
      assert.deepEqual(Object.keys(confirmed.body), ['recovery_codes'])
      assert.equal(new Set(confirmed.body.recovery_codes).size, 10)
      for (const code of confirmed.body.recovery_codes) assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    })

    test('5.14.1 a wrong code confirms nothing; a second secret replaces the first; a setup lasts for ten minutes', async () => {
      const person = await begin(service())
      const { access_token: token } = await person.signIn()
      const send = (body: object) => service().send('POST /auth/totp', { ...bearer(token), body })
      assert.deepEqual(refusalOf(await send({ code: '123456' })), [409, 'CONFLICT'])
      const first = await send({})
      assert.deepEqual(refusalOf(await send({ code: wrongCode(first.body.secret, now()) })), [
        401,
        'INVALID_CREDENTIALS',
      ])
      const second = await send({})
      assert.deepEqual(refusalOf(await send({ code: codeAt(first.body.secret, now()) })), [401, 'INVALID_CREDENTIALS'])
      await person.signIn()
      assert.equal((await send({ code: codeAt(second.body.secret, now()) })).status, 200)
      assert.deepEqual(refusalOf(await send({})), [409, 'CONFLICT'])
    })

    test('5.14.1 secrets and codes are stored encrypted or hashed, and are in no line of the log', async () => {
      const person = await begin(service())
      const { secret, recoveryCodes } = await person.setUp()
      const rows = JSON.stringify(await service().tables('duet_totp', 'duet_recovery_code', 'sign_in_methods'))
      const bare = recoveryCodes.map((code) => code.replaceAll('-', ''))
      for (const text of [secret, ...recoveryCodes, ...bare]) {
        assert.ok(!rows.includes(text))
        assert.ok(
          !service()
            .log()
            .some((line) => line.includes(text)),
        )
      }
    })

    test('5.14.2 a code is accepted one step early and one step late, and no further', async () => {
      for (const [steps, status] of [
        [-2, 401],
        [-1, 200],
        [0, 200],
        [1, 200],
        [2, 401],
      ] as const) {
        const person = await begin(service())
        const { secret } = await person.setUp()
        service().advance(stepMs)
        assert.equal((await prove(person, codeAt(secret, now() + steps * stepMs))).status, status, `${steps}`)
      }
    })

    test('5.14.2 a code is accepted once, and none of an earlier step after it', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      service().advance(stepMs)
      const [earlier, current] = [codeAt(secret, now() - stepMs), codeAt(secret, now())]
      assert.equal((await prove(person, current)).status, 200)
      for (const code of [current, earlier])
        assert.deepEqual(refusalOf(await prove(person, code)), [401, 'INVALID_CREDENTIALS'])
    })

    test('5.14.2 the code that confirmed the setup signs nobody in', async () => {
      const person = await begin(service())
      const { access_token: token } = await person.signIn()
      const { secret } = await setUpIn(service(), token)
      assert.deepEqual(refusalOf(await prove(person, codeAt(secret, now()))), [401, 'INVALID_CREDENTIALS'])
    })

    test('5.14.2 of twenty challenges with one code at once, one signs in', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenges: string[] = []
      for (let index = 0; index < 9; index++) challenges.push(await person.challenge())
      const code = codeAt(secret, now())
      const answers = await Promise.all(challenges.map((challenge) => complete(challenge, code)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    test('5.14.2 of twenty at once with one challenge and code, one signs in', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenge = await person.challenge()
      const code = codeAt(secret, now())
      const answers = await Promise.all(Array.from({ length: 20 }, () => complete(challenge, code)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    for (const code of ['１２３４５６', '12345', '1234567', ' 123456', '123456 ', '+12345', '1e5', '12345\u0000'])
      test(`5.14.2 ${JSON.stringify(code)} is no code`, async () => {
        const person = await begin(service())
        await person.setUp()
        const { status } = await prove(person, code)
        assert.ok(status === 401 || status === 400, `${status}`)
      })

    test('5.14.3 after ten wrong codes within an hour every code is 429; recovery codes still work', async () => {
      const person = await begin(service())
      const { secret, recoveryCodes } = await person.setUp()
      for (let index = 0; index < 10; index++)
        assert.equal((await prove(person, wrongCode(secret, now()))).body.error.code, 'INVALID_CREDENTIALS')
      const blocked = await prove(person, codeAt(secret, now()))
      assert.deepEqual(refusalOf(blocked), [429, 'RATE_LIMIT_EXCEEDED'])
      assert.ok(Number(blocked.headers['retry-after']) > 0)
      const answer = await prove(person, recoveryCodes[0]!)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(
        service()
          .logged('second_factor_blocked')
          .filter(({ userId }) => userId === person.id).length,
        1,
      )
      await mailTo(person, /ten wrong codes/)
      service().advance(60 * minuteMs)
      assert.equal((await prove(person, codeAt(secret, now()))).status, 200)
    })

    test('5.14.3 right codes do not count', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      for (let index = 0; index < 12; index++) {
        assert.equal((await prove(person, codeAt(secret, now()))).status, 200)
        service().advance(stepMs)
      }
    })

    test('5.14.3 of twenty wrong codes at once over many challenges, ten are judged', async () => {
      const person = await begin(service())
      const { secret } = await person.setUp()
      const challenges: string[] = []
      for (let index = 0; index < 15; index++) challenges.push(await person.challenge())
      const wrong = wrongCode(secret, now())
      const answers = await Promise.all(challenges.map((challenge) => complete(challenge, wrong)))
      assert.equal(answers.filter(({ status }) => status === 401).length, 10)
      assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    })

    test('5.14.4 a recovery code is accepted once, in any case and spacing, is an event and a mail', async () => {
      const person = await begin(service())
      const { recoveryCodes } = await person.setUp()
      const [first, second] = recoveryCodes as [string, string]
      const answer = await prove(person, ` ${first.toUpperCase().replaceAll('-', ' ')} `)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(claimsOf(answer.body.access_token).amr, ['pwd', 'otp', 'mfa'])
      assert.deepEqual(refusalOf(await prove(person, first)), [401, 'INVALID_CREDENTIALS'])
      assert.equal((await prove(person, second)).status, 200)
      assert.equal(
        service()
          .logged('recovery_code_used')
          .filter(({ userId }) => userId === person.id).length,
        2,
      )
      await mailTo(person, /recovery codes of your account was used/)
    })

    test('5.14.4 of twenty at once with one recovery code, one signs in', async () => {
      const person = await begin(service())
      const { recoveryCodes } = await person.setUp()
      const challenges: string[] = []
      for (let index = 0; index < 20; index++) challenges.push(await person.challenge())
      const answers = await Promise.all(challenges.map((challenge) => complete(challenge, recoveryCodes[0]!)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    })

    test("5.14.4 another account's recovery code is wrong, and stays good for its owner", async () => {
      const [one, two] = [await begin(service()), await begin(service())]
      await one.setUp()
      const { recoveryCodes } = await two.setUp()
      assert.deepEqual(refusalOf(await prove(one, recoveryCodes[0]!)), [401, 'INVALID_CREDENTIALS'])
      assert.equal((await prove(two, recoveryCodes[0]!)).status, 200)
    })

    test('5.14.5 new recovery codes end the former ones, and no session', async () => {
      const person = await begin(service())
      const { secret, recoveryCodes, tokens } = await person.setUp()
      const other = (await prove(person, codeAt(secret, now()))).body
      const renewed = await service().send('POST /auth/recovery-codes', { ...bearer(tokens.access_token), body: {} })
      assert.equal(renewed.status, 200, renewed.text)
      assert.equal(renewed.body.recovery_codes.length, 10)
      assert.equal((await service().send('GET /api/v1/users/me', bearer(other.access_token))).status, 200)
      assert.deepEqual(refusalOf(await prove(person, recoveryCodes[0]!)), [401, 'INVALID_CREDENTIALS'])
      assert.equal((await prove(person, renewed.body.recovery_codes[0])).status, 200)
    })

    test('5.14.5 without a second factor there are none; the sign-in must be recent', async () => {
      const { access_token: token } = await (await begin(service())).signIn()
      const make = () => service().send('POST /auth/recovery-codes', { ...bearer(token), body: {} })
      assert.deepEqual(refusalOf(await make()), [409, 'CONFLICT'])
      service().advance(5 * minuteMs + 1_000)
      assert.deepEqual(refusalOf(await make()), [401, 'REAUTHENTICATION_REQUIRED'])
    })
  },
  { definition, environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey } },
)

withService(
  '5.13 Second factors, counted',
  (service) => {
    test('5.13.4 second steps have a bucket of their own, of the same size', async () => {
      const person: Person = await begin(service())
      const login = (body: object) => service().send('POST /auth/login', { body })
      const wrong = { email: person.address, password: 'a wrong password' }
      for (let index = 0; index < 5; index++) assert.equal((await login(wrong)).status, 401)
      assert.equal((await login(wrong)).status, 429)
      const step = { challenge: `chl_${'A'.repeat(43)}`, code: '123456' }
      for (let index = 0; index < 5; index++) assert.equal((await login(step)).status, 401)
      assert.equal((await login(step)).status, 429)
      assert.equal((await service().send('POST /auth/totp', { body: step })).status, 429)
    })
  },
  { definition, environment: { DATA_KEY: dataKey, LIMIT_LOGIN_PER_MINUTE: '5' } },
)
