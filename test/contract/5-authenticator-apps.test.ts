// Authenticator apps: their setup, what codes are worth, and recovery codes.

import assert from 'node:assert/strict'
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
import { withService } from '../support/server/service.ts'
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
