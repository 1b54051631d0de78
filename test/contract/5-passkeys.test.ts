// Passkeys: registered by a recent session, used once per challenge, refused for everything that does not fit.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Changes, createAuthenticator } from '../support/client/authenticator.ts'
import { bearer, beginPasskeyUser } from '../support/client/passkeys.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { begin as beginPerson } from '../support/server/second-factor.ts'
import { password, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const definition = signInService({ passkeys: true })
const origin = 'https://app.example.com'
const environment = {
  SMTP_URL: smtp.url,
  BASE_URL: 'https://api.example.com',
  PASSKEY_DOMAIN: 'example.com',
  ALLOWED_ORIGINS: `${origin}, https://other.example`,
}
const minuteMs = 60_000
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
const begin = (running: TestService) => beginPasskeyUser(running, origin)
const codeOf = ({ body }: { readonly body: { readonly error?: { readonly code: string } } }) => body.error?.code

async function beginRegistered(running: TestService) {
  const user = await begin(running)
  const answer = await user.register()
  assert.equal(answer.status, 200, answer.text)
  return { ...user, methodId: answer.body.id as string }
}

withService(
  '5.15 Passkeys',
  (service) => {
    test('5.15.3 a passkey is registered, signs in alone, and counts as two factors', async () => {
      const user = await beginRegistered(service())
      assert.match(user.methodId, /^sim_/)
      const { status, body } = await user.signIn()
      assert.equal(status, 200)
      assert.deepEqual(claimsOf(body.access_token).amr, ['pop', 'mfa', 'user'])
      assert.equal(claimsOf(body.access_token).sub, user.id)
      const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: body.refresh_token } })
      assert.deepEqual(claimsOf(renewed.body.access_token).amr, ['pop', 'mfa', 'user'])
    })

    test('5.15.3 members of the credential that are not used are ignored, and those that are have a form', async () => {
      const user = await beginRegistered(service())
      const made = user.authenticator.signIn(await user.options('sign-in'))
      const send = (passkey: unknown, more = {}) => service().send('POST /auth/login', { body: { passkey, ...more } })
      for (const [passkey, field] of [
        [null, 'passkey'],
        [[], 'passkey'],
        [{}, 'passkey.id'],
        [{ ...made, id: 'not base64url!' }, 'passkey.id'],
        [{ ...made, id: `${made.id}=` }, 'passkey.id'],
        [{ ...made, rawId: 'AAAA' }, 'passkey.rawId'],
        [{ ...made, type: 'password' }, 'passkey.type'],
        [{ ...made, response: { ...made.response, signature: 1 } }, 'passkey.response.signature'],
        [{ ...made, response: { ...made.response, userHandle: null } }, 'passkey.response.userHandle'],
      ] as const) {
        const { status, body } = await send(passkey)
        assert.equal(status, 400)
        assert.ok(
          body.error.details.some((each: { readonly field: string }) => each.field === field),
          field,
        )
      }
      assert.equal((await send(made, { email: user.address })).status, 400)
      assert.equal((await send({ ...made, later: 1, response: { ...made.response, later: 'x' } })).status, 200)
    })

    test('5.15.1 options to sign in name no account, those to register a random name of it', async () => {
      const user = await beginRegistered(service())
      const signIn = (await user.options('sign-in')) as Readonly<Record<string, unknown>>
      assert.deepEqual(Object.keys(signIn), ['challenge', 'rpId', 'allowCredentials', 'userVerification', 'timeout'])
      assert.deepEqual([signIn['rpId'], signIn['allowCredentials']], ['example.com', []])
      const register = (await user.options('register')) as {
        readonly user: { readonly id: string }
        readonly excludeCredentials: readonly object[]
      }
      assert.equal(Buffer.from(register.user.id, 'base64url').length, 32)
      assert.equal(register.excludeCredentials.length, 1)
    })

    for (const [what, later] of [
      ['used', 0],
      ['expired', 5 * minuteMs],
    ] as const)
      test(`5.15.1 a challenge that was ${what} is INVALID_TOKEN`, async () => {
        const user = await beginRegistered(service())
        const options = await user.options('sign-in')
        if (later === 0) assert.equal((await user.signIn({}, options)).status, 200)
        service().advance(later)
        assert.equal(codeOf(await user.signIn({}, options)), 'INVALID_TOKEN')
      })

    test('5.15.1 a challenge is for one purpose and one account', async () => {
      const [user, other] = [await beginRegistered(service()), await beginRegistered(service())]
      const toRegister = (await user.options('register')) as { readonly challenge: string }
      assert.equal(
        codeOf(await user.signIn({}, { challenge: toRegister.challenge, rpId: 'example.com' } as never)),
        'INVALID_TOKEN',
      )
      const toSignIn = (await user.options('sign-in')) as { readonly challenge: string }
      assert.equal(
        codeOf(await user.register({}, { ...(toRegister as object), ...toSignIn } as never)),
        'INVALID_TOKEN',
      )
      assert.equal(codeOf(await other.register({}, toRegister as never)), 'INVALID_TOKEN')
      assert.equal((await user.register({}, toRegister as never)).status, 200, 'another account has not used it up')
    })

    test('5.15.1 options to register end with another role of the account', async () => {
      const user = await begin(service())
      const options = await user.options('register')
      const admin = bearer((await (await beginPerson(service(), 'ADMIN')).signIn()).access_token)
      const changed = await service().send(`PATCH /api/v1/users/${user.id}`, { ...admin, body: { role: 'TREASURER' } })
      assert.equal(changed.status, 200, changed.text)
      const { body } = await service().send('POST /auth/login', { body: { email: user.address, password } })
      const registration = user.authenticator.register(options)
      const sent = { ...bearer(body.access_token), body: { registration, name: 'Laptop' } }
      const answer = await service().send('POST /auth/passkeys', sent)
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'INVALID_TOKEN'])
    })

    const lies: Readonly<Record<string, Changes>> = {
      'another origin': { origin: 'https://evil.example' },
      'an allowed origin outside its domain': { origin: 'https://other.example' },
      'an origin that ends like its domain': { origin: 'https://evilexample.com' },
      'another domain': { domain: 'evil.example' },
      'a user who is not verified': { flags: 0x01 },
      'no user': { flags: 0x04 },
      'a frame of another origin': { crossOrigin: true },
      'the type of registration': { type: 'webauthn.create' },
      'the name of another account': { userHandle: 'AAAA' },
      'a changed signature': {
        signature: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)]),
      },
      'an unknown credential': { id: 'AAAA' },
    }
    for (const [name, changes] of Object.entries(lies))
      test(`5.15.2 a passkey with ${name} is INVALID_CREDENTIALS, and its challenge is used up`, async () => {
        const user = await beginRegistered(service())
        const options = await user.options('sign-in')
        const answer = await user.signIn(changes, options)
        assert.deepEqual([answer.status, codeOf(answer)], [401, 'INVALID_CREDENTIALS'])
        assert.equal(codeOf(await user.signIn({}, options)), 'INVALID_TOKEN')
        assert.equal((await user.signIn()).status, 200)
      })

    test('5.15.2 a passkey signed with the key of another account is INVALID_CREDENTIALS', async () => {
      const [user, other] = [await beginRegistered(service()), await beginRegistered(service())]
      const made = user.authenticator.signIn(await user.options('sign-in'))
      const stolen = other.authenticator.signIn(await user.options('sign-in'), { id: made.id })
      assert.equal(
        codeOf(await service().send('POST /auth/login', { body: { passkey: stolen } })),
        'INVALID_CREDENTIALS',
      )
    })

    const registrationLies: Readonly<Record<string, Changes>> = {
      'another origin': { origin: 'https://evil.example' },
      'another domain': { domain: 'evil.example' },
      'a user who is not verified': { flags: 0x41 },
      'the type of sign-in': { type: 'webauthn.get' },
      'another algorithm': { key: (key) => new Map([...key, [3, -37]]) },
      certificates: {
        attestation: { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(8), x5c: [Buffer.alloc(8)] } },
      },
    }
    for (const [name, changes] of Object.entries(registrationLies))
      test(`5.15.5 a registration with ${name} is 400 and registers nothing`, async () => {
        const user = await begin(service())
        const { status, body } = await user.register(changes)
        assert.deepEqual([status, body.error.details[0].field], [400, 'registration'])
        assert.equal(codeOf(await user.signIn()), 'INVALID_CREDENTIALS')
      })

    test('5.15.6 an attestation without certificates is verified', async () => {
      const user = await begin(service())
      const attestation = { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(8) } }
      assert.equal((await user.register({ attestation })).status, 400)
    })

    test('5.15.4 a counter that does not grow is refused, and an event', async () => {
      const user = await beginRegistered(service())
      assert.equal((await user.signIn({ counter: 9 })).status, 200)
      for (const counter of [9, 8, 0]) assert.equal(codeOf(await user.signIn({ counter })), 'INVALID_CREDENTIALS')
      assert.equal((await user.signIn({ counter: 10 })).status, 200)
      const events = service()
        .logged('counter_decreased')
        .filter(({ userId }) => userId === user.id)
      assert.equal(events.length, 3)
      const [rows] = [await service().tables('security_events')]
      assert.ok(JSON.stringify(rows).includes('counter_decreased'))
    })

    test('5.15.4 a forged signature moves no counter and is no event of one', async () => {
      const user = await beginRegistered(service())
      const forged: Changes = {
        counter: 4_000_000_000,
        signature: () => Buffer.from('300602010102010 1'.replace(' ', '0'), 'hex'),
      }
      assert.equal(codeOf(await user.signIn(forged)), 'INVALID_CREDENTIALS')
      assert.equal((await user.signIn()).status, 200)
      assert.equal(codeOf(await user.signIn({ ...forged, counter: 1 })), 'INVALID_CREDENTIALS')
      assert.equal(
        service()
          .logged('counter_decreased')
          .filter(({ userId }) => userId === user.id).length,
        0,
      )
    })

    test('5.15.4 an authenticator that counts nothing signs in again', async () => {
      const user = await begin(service())
      user.authenticator.counter = undefined
      assert.equal((await user.register()).status, 200)
      for (let time = 0; time < 2; time += 1) assert.equal((await user.signIn()).status, 200)
    })

    test('5.15.5 registration requires a recent sign-in of a session', async () => {
      const user = await begin(service())
      const made = await user.options('register')
      for (const [path, body] of [
        ['passkeys/options', { for: 'register' }],
        ['passkeys', { registration: user.authenticator.register(made), name: 'Laptop' }],
      ] as const) {
        assert.equal(codeOf(await service().send(`POST /auth/${path}`, { body })), 'UNAUTHENTICATED')
        assert.equal(codeOf(await service().send(`POST /auth/${path}`, { ...bearer('x.y.z'), body })), 'INVALID_TOKEN')
      }
      service().advance(5 * minuteMs)
      assert.equal(
        codeOf(await service().send('POST /auth/passkeys/options', { ...user.as, body: { for: 'register' } })),
        'REAUTHENTICATION_REQUIRED',
      )
    })

    test('5.15.5 registration ends all other sessions, is an event, and mails the account', async () => {
      const user = await begin(service())
      const login = await service().token(user.id)
      assert.equal((await user.register()).status, 200)
      const read = (token: string) => service().send('GET /api/v1/users/me', bearer(token))
      assert.equal((await read(user.tokens.access_token)).status, 200)
      assert.equal(codeOf(await read(login)), 'INVALID_TOKEN')
      service().forgetTokens()
      while (smtp.to(user.address).length === 0) await smtp.arrival()
      assert.match(smtp.to(user.address)[0]!.text, /sign-in method/)
      const events = service()
        .logged('method_added')
        .filter(({ userId }) => userId === user.id)
      assert.equal(events.length, 1)
    })

    test('5.15.5 a credential that is registered is 409, also for its own account', async () => {
      const [user, other] = [await beginRegistered(service()), await begin(service())]
      const { id } = user.authenticator.signIn(await user.options('sign-in'))
      for (const each of [user, other]) assert.equal(codeOf(await each.register({ id })), 'CONFLICT')
      assert.equal((await user.register()).status, 200)
    })

    test('5.15.5 of twenty accounts that register one credential, one has it', async () => {
      const users = await Promise.all(Array.from({ length: 20 }, () => begin(service())))
      const id = Buffer.from(users[0]!.id).toString('base64url')
      const answers = await Promise.all(users.map((each) => each.register({ id })))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter((each) => codeOf(each) === 'CONFLICT').length, 19)
    })

    test('5.15.5 an account has twenty passkeys, and a 21st is 422', async () => {
      const user = await begin(service())
      for (let index = 0; index < 20; index += 1) assert.equal((await user.register()).status, 200)
      assert.equal((await user.register()).status, 422)
    })

    test('5.15.7 a passkey makes a session fresh again, one of another account does not', async () => {
      const [user, other] = [await beginRegistered(service()), await beginRegistered(service())]
      service().advance(6 * minuteMs)
      const again = async (who: typeof user) => {
        const passkey = who.authenticator.signIn(await who.options('sign-in'))
        return service().send('POST /auth/reauthenticate', { ...user.as, body: { passkey } })
      }
      assert.equal(codeOf(await again(other)), 'INVALID_CREDENTIALS')
      const { status, body } = await again(user)
      assert.equal(status, 200)
      assert.deepEqual(claimsOf(body.access_token).amr, ['pop', 'mfa', 'user'])
      await user.options('register', bearer(body.access_token))
    })

    async function owed(user: Awaited<ReturnType<typeof beginRegistered>>) {
      const answer = await service().send('POST /auth/login', {
        body: { email: user.address, password: 'correct horse battery staple' },
      })
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'SECOND_FACTOR_REQUIRED'])
      assert.ok(answer.body.error.challenge.methods.includes('passkey'))
      return answer.body.error.challenge.token as string
    }

    test('5.15.8 the password of an account with a passkey owes it as a second factor', async () => {
      const user = await beginRegistered(service())
      const challenge = await owed(user)
      const passkey = user.authenticator.signIn(await user.options('sign-in'))
      const { status, body } = await service().send('POST /auth/login', { body: { challenge, passkey } })
      assert.equal(status, 200)
      assert.deepEqual(claimsOf(body.access_token).amr, ['pwd', 'pop', 'mfa', 'user'])
      const again = user.authenticator.signIn(await user.options('sign-in'))
      assert.equal(
        codeOf(await service().send('POST /auth/login', { body: { challenge, passkey: again } })),
        'INVALID_TOKEN',
      )
    })

    test('5.15.8 a passkey of another account does not complete it', async () => {
      const [user, other] = [await beginRegistered(service()), await beginRegistered(service())]
      const challenge = await owed(user)
      const passkey = other.authenticator.signIn(await other.options('sign-in'))
      const answer = await service().send('POST /auth/login', { body: { challenge, passkey } })
      assert.equal(codeOf(answer), 'INVALID_CREDENTIALS')
    })

    test('5.15.5 a passkey ends with its method, its account and its suspension', async () => {
      const user = await beginRegistered(service())
      assert.equal((await user.register()).status, 200)
      const list = await service().send('GET /api/v1/sign-in-methods', user.as)
      assert.deepEqual(
        list.body.data.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
        [
          ['passkey', 'Laptop'],
          ['passkey', 'Laptop'],
        ],
      )
      const last = list.body.data.map(({ id }: { id: string }) => id).find((id: string) => id !== user.methodId)
      const removed = await service().send(`DELETE /api/v1/sign-in-methods/${last}`, user.as)
      assert.equal(removed.status, 204, removed.text)
      assert.equal(codeOf(await user.signIn()), 'INVALID_CREDENTIALS')
      const other = await beginRegistered(service())
      const suspended = await service().send(`POST /api/v1/users/${other.id}/suspend`, other.as)
      assert.equal(suspended.status, 200, suspended.text)
      assert.equal(codeOf(await other.signIn()), 'INVALID_CREDENTIALS')
      const gone = await beginRegistered(service())
      const waiting = await gone.options('register')
      assert.equal((await service().send(`DELETE /api/v1/users/${gone.id}`, gone.as)).status, 204)
      assert.equal(codeOf(await gone.signIn()), 'INVALID_CREDENTIALS')
      assert.equal(codeOf(await gone.register({}, waiting)), 'INVALID_TOKEN')
    })

    test('5.13.7 of twenty sign-ins beside the removal of their passkey, none is left signed in', async () => {
      const user = await beginRegistered(service())
      const made = []
      for (let count = 0; count < 20; count++) made.push(user.authenticator.signIn(await user.options('sign-in')))
      const signIns = made.map((passkey) => service().send('POST /auth/login', { body: { passkey } }))
      const removed = service().send(`DELETE /api/v1/sign-in-methods/${user.methodId}`, user.as)
      const answers = await Promise.all(signIns)
      assert.equal((await removed).status, 204)
      for (const { status, body } of answers) {
        if (status !== 200) continue
        const renewed = await service().send('POST /auth/refresh', { body: { refresh_token: body.refresh_token } })
        assert.equal(codeOf(renewed), 'INVALID_TOKEN')
      }
    })

    test('5.15.2 a passkey of each algorithm signs in', async () => {
      for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
        const user = await begin(service())
        const authenticator = createAuthenticator(origin, algorithm)
        const registration = authenticator.register(await user.options('register'))
        const registered = await service().send('POST /auth/passkeys', {
          ...user.as,
          body: { registration, name: 'x' },
        })
        assert.equal(registered.status, 200)
        const passkey = authenticator.signIn(await user.options('sign-in'))
        assert.equal((await service().send('POST /api/auth/login', { body: { passkey } })).status, 200)
      }
    })
  },
  { definition, environment },
)
