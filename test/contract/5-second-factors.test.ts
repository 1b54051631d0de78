// Second factors: what a challenge is bound to, what codes are worth, and what adding and removing a method ends.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { signInService } from '../support/domain/sign-in.ts'
import {
  bearer,
  begin,
  claimsOf,
  codeAt,
  dataKey,
  type Person,
  refusalOf,
  setUpIn,
  stepMs,
  wrongCode,
} from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const definition = signInService({ magicLink: true, totp: true, passkeys: true }, { secondFactorFor: ['TREASURER'] })
const minuteMs = 60_000

/** Resolves when such a mail has come. */
async function mailTo({ address }: Person, sentence: RegExp): Promise<void> {
  while (!smtp.to(address).some(({ text }) => sentence.test(text.replaceAll('\n', ' ')))) await smtp.arrival()
}

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
      const token = await smtp.find(address, /^mgl_[\w-]{43}$/m, () =>
        service().send('POST /auth/magic-link', { body: { email: address, code_challenge: challenge } }),
      )
      return service().send('POST /auth/login', { body: { token, code_verifier: verifier } })
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
  },
  { definition, environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey } },
)
