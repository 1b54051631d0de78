// Accounts without a password: how they come to be, sign in and recover, and that their last way stays.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  ApiKey,
  anyOf,
  anyone,
  boolean,
  choice,
  email,
  may,
  optional,
  password as passwordField,
  resource,
  SecurityEvent,
  Session,
  SignInMethod,
  self,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { bearer, refusalOf } from '../support/server/second-factor.ts'
import { password, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    note: optional(text({ max: 60 })),
    isSure: boolean({ default: false }),
    password: optional(passwordField({ min: 8, max: 200 })),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  protect: { isSure: { write: may('manage') } },
  actions: {
    read: { allow: signedIn },
    create: { allow: anyone, accept: ['email', 'password', 'isSure'] },
    update: { allow: anyOf(self, may('manage')), accept: ['note', 'password', 'isSure'] },
  },
})
const definitionWith = (methods: { readonly magicLink?: true; readonly passkeys: true }) =>
  service({
    resources: { User, Session, ApiKey, SignInMethod, SecurityEvent },
    accounts: {
      login: 'email',
      verified: 'isSure',
      password: 'password',
      role: 'role',
      activeState: 'ACTIVE',
      methods,
    },
    roles: { MEMBER: {}, ADMIN: 'everything' },
  })
const origin = 'https://api.example.com'
const environment = { SMTP_URL: smtp.url, BASE_URL: origin }
let people = 0

/** Signs up without a password, and in with the token that is mailed. */
const connect = (service: () => TestService) => {
  const send = (path: string, body: object, as = {}) => service().send(`POST /auth/${path}`, { ...as, body })
  async function mailTo(address: string, before = 0): Promise<string> {
    while (smtp.to(address).length <= before) await smtp.arrival()
    return smtp.to(address)[before]!.text
  }
  async function signUp(more = {}) {
    const address = `p${++people}@example.com`
    const created = await service().send('POST /api/v1/users', { body: { email: address, ...more } })
    assert.equal(created.status, 201, created.text)
    const [token] = /^vrf_[\w-]{43}$/m.exec(await mailTo(address))!
    const { status, body, text } = await send('verify', { token, start_over: true })
    assert.equal(status, 200, text)
    return { id: created.body.data.id as string, address, as: bearer(body.access_token) }
  }
  async function addPasskey(as: object) {
    const authenticator = createAuthenticator(origin)
    const { body: options } = await send('passkeys/options', { for: 'register' }, as)
    const registration = authenticator.register(options)
    const { status, body, text } = await send('passkeys', { registration, name: 'Laptop' }, as)
    assert.equal(status, 200, text)
    return { authenticator, remove: () => service().send(`DELETE /api/v1/sign-in-methods/${body.id}`, as) }
  }
  const signIn = (address: string, secret: unknown) => send('login', { email: address, password: secret })
  return { send, mailTo, signUp, addPasskey, signIn }
}

withService(
  '5.13 Accounts without a password',
  (service) => {
    const { send, mailTo, signUp, addPasskey, signIn } = connect(service)

    test('5.13.10 an account signs up without a password, and no password signs in to it', async () => {
      for (const more of [{}, { password: null }]) {
        const { address, as } = await signUp(more)
        for (const secret of [password, 'null'])
          assert.deepEqual(refusalOf(await signIn(address, secret)), [401, 'INVALID_CREDENTIALS'])
        assert.equal((await send('change-password', { password }, as)).status, 200)
        assert.equal((await signIn(address, password)).status, 200)
      }
    })

    test('5.13.10 a change that leaves the password out, or is null, keeps it and every session', async () => {
      const { id, address, as } = await signUp()
      await send('change-password', { password }, as)
      const { body: etag } = await service().send(`GET /api/v1/users/${id}`, as)
      for (const [method, body] of [
        ['PATCH', { note: 'x' }],
        ['PATCH', { note: 'y', password: null }],
        ['PUT', { note: 'z' }],
      ] as const) {
        const changed = await service().send(`${method} /api/v1/users/${id}`, { ...as, body })
        assert.equal(changed.status, 200, changed.text)
      }
      assert.equal(etag.data.id, id)
      assert.equal((await signIn(address, password)).status, 200)
      assert.equal((await service().send('GET /api/v1/users/me', as)).status, 200)
    })

    test('5.13.7 the last way to sign in is not removed, until there is a password', async () => {
      const { address, as } = await signUp()
      const { authenticator, remove } = await addPasskey(as)
      assert.deepEqual(refusalOf(await remove()), [409, 'CONFLICT'])
      const { body: options } = await send('passkeys/options', { for: 'sign-in' })
      assert.equal((await send('login', { passkey: authenticator.signIn(options) })).status, 200)
      assert.equal((await send('change-password', { password }, as)).status, 200)
      assert.equal((await remove()).status, 204)
      assert.equal((await signIn(address, password)).status, 200)
    })

    test('5.13.7 of two passkeys that are removed twenty times at once, one stays', async () => {
      const { as } = await signUp()
      const [one, two] = [await addPasskey(as), await addPasskey(as)]
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two).remove()))
      assert.equal(answers.filter(({ status }) => status === 204).length, 1)
      const { body } = await service().send('GET /api/v1/sign-in-methods', as)
      assert.equal(body.data.length, 1)
    })

    test('5.13.11 for a forgotten password that there is not, its ways are mailed, and no token', async () => {
      const { address, as } = await signUp()
      await addPasskey(as)
      while (!smtp.to(address).some(({ text }) => /a passkey/.test(text))) await smtp.arrival()
      const before = smtp.to(address).length
      const first = await send('forgot-password', { email: address })
      const unknown = await send('forgot-password', { email: 'unknown@example.com' })
      assert.deepEqual([first.status, first.text], [unknown.status, unknown.text])
      const mail = await mailTo(address, before)
      assert.match(mail, /Sign in by: the passkey "Laptop"\./)
      assert.doesNotMatch(mail, /prt_/)
      await send('change-password', { password }, as)
      while (!smtp.to(address).some(({ text }) => /password of your account was changed/.test(text)))
        await smtp.arrival()
      await send('forgot-password', { email: address })
      while (!smtp.to(address).some(({ text }) => /prt_/.test(text))) await smtp.arrival()
    })
  },
  { definition: definitionWith({ passkeys: true }), environment },
)

withService(
  '5.13 Accounts without a password and with magic links',
  (service) => {
    const { signUp, addPasskey, send, mailTo } = connect(service)

    test('5.13.7 a proved address is a way to sign in by magic link, and the last passkey can go', async () => {
      const { as } = await signUp()
      const { remove } = await addPasskey(as)
      assert.equal((await remove()).status, 204)
    })

    test('5.13.7 an address without proof is none', async () => {
      const fixtures = service().fixtures({
        boss: { User: { email: '{word}@example.com', role: 'ADMIN', isSure: true } },
      })
      await fixtures.idOf('boss')
      const login = await send('login', { email: `${await fixtures.fill('{word}')}@example.com`, password })
      const admin = bearer(login.body.access_token)
      const { id, as } = await signUp()
      const { remove } = await addPasskey(as)
      const changed = await service().send(`PATCH /api/v1/users/${id}`, { ...admin, body: { is_sure: false } })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(refusalOf(await remove()), [409, 'CONFLICT'])
    })

    test('5.13.11 magic links are among the ways that are mailed', async () => {
      const { address } = await signUp()
      const before = smtp.to(address).length
      await send('forgot-password', { email: address })
      assert.match(await mailTo(address, before), /Sign in by: a link that is mailed to you\./)
    })
  },
  { definition: definitionWith({ magicLink: true, passkeys: true }), environment },
)
