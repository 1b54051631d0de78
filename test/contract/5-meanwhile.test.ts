// What ends between the proof of a factor and the transaction that signs in or sets up with it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { meanwhile } from '../support/check/meanwhile.ts'
import { createAuthenticator } from '../support/client/authenticator.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { bearer, begin, codeAt, dataKey, type Person, refusalOf } from '../support/server/second-factor.ts'
import { withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())
const origin = 'https://api.example.com'
const attempted = 'update duet_challenge set attempts'

withService(
  '5.13 What ends meanwhile',
  (service) => {
    const send = (path: string, body: object, as = {}) => service().send(`POST /auth/${path}`, { ...as, body })
    const codeNow = (secret: string) => codeAt(secret, service().now().getTime())
    /** Another role ends challenges. */
    const appoint = async ({ id }: Person, role = 'ADMIN') => {
      const as = bearer((await (await begin(service(), 'ADMIN')).signIn()).access_token)
      const { status, text } = await service().send(`PATCH /api/v1/users/${id}`, { ...as, body: { role } })
      assert.equal(status, 200, text)
    }
    const sessionsOf = async (person: Person) =>
      (await service().tables('sessions')).filter((row) => row.includes(person.id)).length

    async function withPasskey(person: Person) {
      const { access_token } = await person.signIn()
      const as = bearer(access_token)
      const authenticator = createAuthenticator(origin)
      const options = await send('passkeys/options', { for: 'register' }, as)
      const sent = { registration: authenticator.register(options.body), name: 'Phone' }
      const { body, text } = await send('passkeys', sent, as)
      assert.match(body.id, /^sim_/, text)
      const answer = async () => authenticator.signIn((await send('passkeys/options', { for: 'sign-in' })).body)
      return { as, id: body.id as string, answer }
    }

    test('5.13.7 a passkey that is removed after its answer was verified signs nobody in', async () => {
      const person = await begin(service())
      const { as, id, answer } = await withPasskey(person)
      const passkey = await answer()
      const before = await sessionsOf(person)
      const other = () => service().send(`DELETE /api/v1/sign-in-methods/${id}`, as)
      const login = await meanwhile(service().store, { after: 'update duet_passkey set counter', other }, () =>
        send('login', { passkey }),
      )
      assert.deepEqual(refusalOf(login), [401, 'INVALID_CREDENTIALS'])
      assert.equal(await sessionsOf(person), before)
    })

    for (const [what, prepare] of [
      [
        'a code',
        async (person: Person) => {
          const { secret } = await person.setUp()
          return async () => ({ code: codeNow(secret) })
        },
      ],
      [
        'a recovery code',
        async (person: Person) => {
          const [code] = (await person.setUp()).recoveryCodes
          return async () => ({ code })
        },
      ],
      [
        'a passkey',
        async (person: Person) => {
          const { answer } = await withPasskey(person)
          return async () => ({ passkey: await answer() })
        },
      ],
    ] as const)
      test(`5.13.2 another role ends a challenge that ${what} is about to complete`, async () => {
        const person = await begin(service())
        const prove = await prepare(person)
        const sent = { challenge: await person.challenge(), ...(await prove()) }
        const before = await sessionsOf(person)
        const other = () => appoint(person)
        const login = await meanwhile(service().store, { after: attempted, other }, () => send('login', sent))
        assert.deepEqual(refusalOf(login), [401, 'INVALID_TOKEN'])
        assert.equal(await sessionsOf(person), before)
      })

    for (const [what, begun] of [
      [
        'an app',
        async (challenge: string) => {
          const { secret } = (await send('totp', { challenge })).body
          return ['totp', { challenge, code: codeNow(secret) }] as const
        },
      ],
      [
        'a passkey',
        async (challenge: string) => {
          const options = await send('passkeys/options', { for: 'register', challenge })
          const registration = createAuthenticator(origin).register(options.body)
          return ['passkeys', { registration, name: 'Phone', challenge }] as const
        },
      ],
    ] as const)
      test(`5.13.2 a role that ends and begins again ends a challenge that sets up ${what}`, async () => {
        const person = await begin(service(), 'TREASURER')
        const { token } = (await person.login()).body.error.challenge
        const [path, sent] = await begun(token)
        const other = async () => {
          await appoint(person, 'MEMBER')
          await appoint(person, 'TREASURER')
        }
        const answer = await meanwhile(service().store, { after: attempted, other }, () => send(path, sent))
        assert.deepEqual(refusalOf(answer), [401, 'INVALID_TOKEN'])
        assert.deepEqual((await person.login()).body.error.challenge.methods, ['setup'])
      })

    test('5.14.1 a setup that is replaced amid its confirmation is not confirmed by the former secret', async () => {
      const person = await begin(service(), 'TREASURER')
      const { token: challenge } = (await person.login()).body.error.challenge
      const former = (await send('totp', { challenge })).body.secret
      let next = ''
      const other = async () => {
        next = (await send('totp', { challenge })).body.secret
      }
      const confirm = (secret: string) => send('totp', { challenge, code: codeNow(secret) })
      const answer = await meanwhile(service().store, { after: attempted, other }, () => confirm(former))
      assert.deepEqual(refusalOf(answer), [401, 'INVALID_CREDENTIALS'])
      assert.equal((await confirm(next)).status, 200)
    })
  },
  {
    definition: signInService({ totp: true, passkeys: true }, { secondFactorFor: ['TREASURER'] }),
    environment: { SMTP_URL: smtp.url, DATA_KEY: dataKey, BASE_URL: origin },
  },
)
