// Second factors that are required: set up with a challenge, by an app or a passkey.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { beginPasskeyUser } from '../support/client/passkeys.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { bearer, begin, claimsOf, codeAt, dataKey, type Person, refusalOf } from '../support/server/second-factor.ts'
import { password, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const origin = 'https://api.example.com'
const definition = signInService({ magicLink: true, totp: true, passkeys: true }, { secondFactorFor: ['TREASURER'] })

withService(
  '5.13 Required second factors',
  (service) => {
    const now = () => service().now().getTime()
    const complete = (challenge: string, code: string) =>
      service().send('POST /auth/login', { body: { challenge, code } })
    const codeNow = (secret: string) => codeAt(secret, now())

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
      for (const [path, body] of [
        ['totp', {}],
        ['passkeys/options', { for: 'register' }],
      ] as const) {
        const answer = await service().send(`POST /auth/${path}`, { body: { ...body, challenge } })
        assert.deepEqual(refusalOf(answer), [401, 'INVALID_TOKEN'])
      }
      assert.equal((await complete(challenge, codeNow(secret))).status, 200)
    })

    test('5.13.8 a session without a second factor is not renewed once its role requires one', async () => {
      const person = await begin(service())
      const tokens = await person.signIn()
      const as = bearer((await (await begin(service(), 'ADMIN')).signIn()).access_token)
      await service().send(`PATCH /api/v1/users/${person.id}`, { ...as, body: { role: 'TREASURER' } })
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.deepEqual(refusalOf(renewed), [401, 'INVALID_TOKEN'])
    })

    const send = (path: string, body: object, as = {}) => service().send(`POST /auth/${path}`, { ...as, body })
    /** What an authenticator makes of options for this challenge, and the challenge. */
    async function beginPasskey(person: Person) {
      const { token: challenge } = (await person.login()).body.error.challenge
      const authenticator = createAuthenticator(origin)
      const options = await send('passkeys/options', { for: 'register', challenge })
      assert.equal(options.status, 200, options.text)
      const registration = authenticator.register(options.body)
      return { challenge, authenticator, sent: { registration, name: 'Phone', challenge } }
    }
    async function byPasskey(authenticator: ReturnType<typeof createAuthenticator>, more = {}) {
      const { body: options } = await send('passkeys/options', { for: 'sign-in' })
      return send('login', { passkey: authenticator.signIn(options), ...more })
    }

    test('5.13.8 a passkey is set up with the challenge as well, and signs in', async () => {
      const person = await begin(service(), 'TREASURER')
      const { authenticator, sent } = await beginPasskey(person)
      const { status, body, text } = await send('passkeys', sent)
      assert.equal(status, 200, text)
      assert.match(body.id, /^sim_/)
      assert.deepEqual(claimsOf(body.access_token).amr, ['pwd', 'pop', 'user', 'mfa'])
      assert.equal((await send('refresh', { refresh_token: body.refresh_token })).status, 200)
      assert.deepEqual((await person.login()).body.error.challenge.methods, ['passkey'])
      assert.equal((await byPasskey(authenticator)).status, 200)
    })

    test('5.13.8 a challenge of an account whose role requires no second factor sets up none', async () => {
      const person = await begin(service(), 'TREASURER')
      const { sent } = await beginPasskey(person)
      const admin = bearer((await (await begin(service(), 'ADMIN')).signIn()).access_token)
      await service().send(`PATCH /api/v1/users/${person.id}`, { ...admin, body: { role: 'MEMBER' } })
      assert.deepEqual(refusalOf(await send('passkeys', sent)), [401, 'INVALID_TOKEN'])
    })

    test('5.15.5 a passkey makes the session that registers it one with a second factor', async () => {
      const person = await begin(service())
      const tokens = await person.signIn()
      const as = bearer(tokens.access_token)
      const options = await send('passkeys/options', { for: 'register' }, as)
      const registration = createAuthenticator(origin).register(options.body)
      assert.equal((await send('passkeys', { registration, name: 'Phone' }, as)).status, 200)
      const { body } = await send('refresh', { refresh_token: tokens.refresh_token })
      assert.deepEqual(claimsOf(body.access_token).amr, ['pwd', 'pop', 'user', 'mfa'])
    })

    for (const [what, path, body] of [
      ['an app', 'totp', {}],
      ['a passkey', 'passkeys/options', { for: 'register' }],
      ['recovery codes', 'recovery-codes', {}],
    ] as const)
      test(`5.13.6 a session that was signed out adds no more: ${what}`, async () => {
        const person = await begin(service())
        const tokens = await person.signIn()
        await send('logout', { refresh_token: tokens.refresh_token })
        assert.deepEqual(refusalOf(await send(path, body, bearer(tokens.access_token))), [401, 'INVALID_TOKEN'])
      })

    for (const [what, path, body] of [
      ['a challenge to sign in', 'passkeys/options', { for: 'sign-in', challenge: 'x' }],
      ['another purpose', 'passkeys/options', { for: 'any' }],
      ['a challenge that is no text', 'passkeys/options', { for: 'register', challenge: 1 }],
      ['a registration without name', 'passkeys', { registration: {}, challenge: 'x' }],
    ] as const)
      test(`5.15.5 ${what} is 400`, async () => {
        assert.deepEqual(refusalOf(await send(path, body)), [400, 'VALIDATION_ERROR'])
      })
  },
  {
    definition,
    environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: origin },
  },
)

withService(
  '5.14 Recovery codes of passkeys',
  (service) => {
    test('5.14.5 an account with a passkey alone has recovery codes, each in place of the lost passkey', async () => {
      const user = await beginPasskeyUser(service(), origin)
      assert.deepEqual(refusalOf(await service().send('POST /auth/recovery-codes', { ...user.as, body: {} })), [
        409,
        'CONFLICT',
      ])
      assert.equal((await user.register()).status, 200)
      const { body } = await service().send('POST /auth/recovery-codes', { ...user.as, body: {} })
      assert.equal(body.recovery_codes.length, 10)
      const login = () => service().send('POST /auth/login', { body: { email: user.address, password } })
      const { challenge } = (await login()).body.error
      assert.deepEqual(challenge.methods, ['passkey', 'recovery_code'])
      const complete = (code: string) =>
        service().send('POST /auth/login', { body: { challenge: challenge.token, code } })
      assert.deepEqual(refusalOf(await complete('123456')), [401, 'INVALID_CREDENTIALS'])
      const opened = await complete(body.recovery_codes[0])
      assert.equal(opened.status, 200, opened.text)
      const replaced = await user.register()
      assert.equal(replaced.status, 200, replaced.text)
    })

    test('5.14.1 a service without authenticator apps has no endpoint for them', async () => {
      assert.equal((await service().send('POST /auth/totp', { body: {} })).status, 404)
    })
  },
  { definition: signInService({ passkeys: true }), environment: { SMTP_URL: smtp.url, BASE_URL: origin } },
)

withService(
  '5.13 Limits of setups',
  (service) => {
    for (const [path, body] of [
      ['totp', {}],
      ['passkeys/options', { for: 'register' }],
    ] as const)
      test(`5.13.4 a challenge that is sent to ${path} counts as a second step`, async () => {
        service().advance(60_000)
        const attempt = () => service().send(`POST /auth/${path}`, { body: { ...body, challenge: 'x' } })
        for (let sent = 0; sent < 5; sent++) assert.deepEqual(refusalOf(await attempt()), [401, 'INVALID_TOKEN'])
        assert.equal((await attempt()).status, 429)
      })
  },
  { definition, environment: { DATA_KEY: dataKey, BASE_URL: origin, LIMIT_LOGIN_PER_MINUTE: '5' } },
)
