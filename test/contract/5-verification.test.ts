// Proofs of addresses: who is mailed what, what proves an address, what is removed with a proof, and magic links.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { bind, command } from '../../src/store/store.ts'
import { noticeboardWith } from '../support/domain/noticeboard.ts'
import { signInService } from '../support/domain/sign-in.ts'
import { startReceiver } from '../support/server/receiver.ts'
import { password, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const definition = signInService({ magicLink: true })
const strict = signInService({}, { requireVerified: true })
const minuteMs = 60_000
const another = 'a password that is quite another'
const tokenIn = (mail: string): string => /^(vrf|mgl)_[\w-]{43}$/m.exec(mail)?.[0] ?? assert.fail(mail)
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

/** The text of the next mail to this address beyond those that have come. */
async function mailTo(address: string, before: number): Promise<string> {
  while (smtp.to(address).length <= before) await smtp.arrival()
  return smtp.to(address)[before]!.text
}

interface Moment {
  readonly address: string
  readonly id: string
  accessToken: string
  readonly refreshToken: string
  readonly token: string
}

/** An account without proof, a session of it, and a token that was mailed to it. */
async function begin(running: TestService): Promise<Moment> {
  const address = addressOf()
  const fixtures = running.fixtures({ user: { User: { email: address } } })
  const id = await fixtures.idOf('user')
  const { body } = await running.send('POST /auth/login', { body: { email: address, password } })
  await running.send('POST /auth/send-verification', { body: { email: address } })
  const token = tokenIn(await mailTo(address, 0))
  return { address, id, accessToken: body.access_token, refreshToken: body.refresh_token, token }
}
const addressOf = () => `u${randomBytes(8).toString('hex')}@example.com`
const stored = async (running: TestService, { id, accessToken }: Moment) =>
  (await running.send(`GET /api/v1/users/${id}`, as(accessToken))).body.data

withService(
  '5.11 Proofs of addresses',
  (service) => {
    test('5.11.1 a sign-up mails a token, which proves the address in a session of the account', async () => {
      const address = addressOf()
      const created = await service().send('POST /api/v1/users', { body: { email: address, password } })
      const { body } = await service().send('POST /auth/login', { body: { email: address, password } })
      const [id, accessToken] = [created.body.data.id, body.access_token]
      const moment = { address, id, accessToken, refreshToken: '', token: tokenIn(await mailTo(address, 0)) }
      assert.equal((await stored(service(), moment)).is_sure, false)
      const { status, text: answer } = await service().send('POST /auth/verify', {
        ...as(moment.accessToken),
        body: { token: moment.token },
      })
      assert.deepEqual([status, answer], [200, '{}'])
      assert.equal((await stored(service(), moment)).is_sure, true)
      const again = await service().send('POST /auth/verify', {
        ...as(moment.accessToken),
        body: { token: moment.token },
      })
      assert.equal(again.body.error.code, 'INVALID_TOKEN')
    })

    test('5.11.3 the password of the account proves it as well', async () => {
      const moment = await begin(service())
      const verify = (body: object) => service().send('POST /auth/verify', { body: { token: moment.token, ...body } })
      assert.equal((await verify({ password: another })).body.error.code, 'INVALID_CREDENTIALS')
      assert.equal((await verify({ password })).status, 200)
      assert.equal((await stored(service(), moment)).is_sure, true)
    })

    test('5.11.3 the token alone is 401 and is not used up', async () => {
      const [moment, stranger] = [await begin(service()), await begin(service())]
      const verify = (headers: object = {}) =>
        service().send('POST /auth/verify', { ...headers, body: { token: moment.token } })
      assert.equal((await verify()).body.error.code, 'UNAUTHENTICATED')
      assert.equal((await verify(as(stranger.accessToken))).body.error.code, 'UNAUTHENTICATED')
      assert.equal((await stored(service(), moment)).is_sure, false)
      assert.equal((await verify(as(moment.accessToken))).status, 200)
    })

    test('5.11.4 the token alone may start over: password, sessions and API keys of before are removed', async () => {
      const moment = await begin(service())
      const key = await service().send('POST /api/v1/api-keys', {
        ...as(moment.accessToken),
        body: { name: 'k', scopes: ['*'] },
      })
      const headers = { 'X-API-Key': key.body.data.key }
      assert.equal((await service().send('GET /api/v1/users/me', { headers })).status, 200)
      const { status, body } = await service().send('POST /auth/verify', {
        body: { token: moment.token, start_over: true },
      })
      assert.equal(status, 200)
      assert.equal((await stored(service(), { ...moment, accessToken: body.access_token })).is_sure, true)
      assert.equal(
        (await service().send(`GET /api/v1/users/me`, as(moment.accessToken))).body.error.code,
        'INVALID_TOKEN',
      )
      const refresh = { body: { refresh_token: moment.refreshToken } }
      assert.equal((await service().send('POST /auth/refresh', refresh)).body.error.code, 'INVALID_TOKEN')
      const login = { body: { email: moment.address, password } }
      assert.equal((await service().send('POST /auth/login', login)).body.error.code, 'INVALID_CREDENTIALS')
      assert.equal((await service().send('GET /api/v1/users/me', { headers })).body.error.code, 'INVALID_CREDENTIALS')
      const changed = await service().send('POST /auth/change-password', {
        ...as(body.access_token),
        body: { password: another },
      })
      assert.equal(changed.status, 200)
      assert.equal(
        (await service().send('POST /auth/login', { body: { email: moment.address, password: another } })).status,
        200,
      )
    })

    test('5.11.4 a password reset proves an address, and removes the API keys of before', async () => {
      const moment = await begin(service())
      const createKey = () =>
        service().send('POST /api/v1/api-keys', { ...as(moment.accessToken), body: { name: 'k', scopes: ['*'] } })
      const { body: former } = await createKey()
      const reset = async () => {
        const before = smtp.to(moment.address).length
        await service().send('POST /auth/forgot-password', { body: { email: moment.address } })
        const token = /^prt_[\w-]{43}$/m.exec(await mailTo(moment.address, before))![0]
        assert.equal((await service().send('POST /auth/reset-password', { body: { token, password } })).status, 204)
        const { body } = await service().send('POST /auth/login', { body: { email: moment.address, password } })
        moment.accessToken = body.access_token
      }
      const read = (key: string) => service().send('GET /api/v1/users/me', { headers: { 'X-API-Key': key } })
      await reset()
      assert.equal((await stored(service(), moment)).is_sure, true)
      assert.equal((await read(former.data.key)).body.error.code, 'INVALID_CREDENTIALS')
      const { body: later } = await createKey()
      await reset()
      assert.equal((await read(later.data.key)).status, 200, 'a reset of a proved account leaves its keys')
    })

    test('5.11.2 a verification mail is sent on request, to accounts that lack proof, and answered alike for all', async () => {
      const moment = await begin(service())
      const ask = (address: string) => service().send('POST /auth/send-verification', { body: { email: address } })
      const [known, unknown] = [await ask(moment.address), await ask('nobody.at.all@example.com')]
      assert.deepEqual([known.status, known.text], [202, '{}'])
      assert.deepEqual([unknown.status, unknown.text], [known.status, known.text])
      const token = tokenIn(await mailTo(moment.address, 1))
      assert.equal(
        (await service().send('POST /auth/verify', { ...as(moment.accessToken), body: { token } })).status,
        200,
      )
      assert.equal(smtp.to('nobody.at.all@example.com').length, 0)
    })

    test('5.11.2 a token lasts for a day', async () => {
      const moment = await begin(service())
      service().advance(24 * 60 * minuteMs)
      const { body } = await service().send('POST /auth/verify', { body: { token: moment.token, password } })
      assert.equal(body.error.code, 'TOKEN_EXPIRED')
    })

    test('5.11.5 an address changes with a proof of the new one, and the former one is notified', async () => {
      const moment = await begin(service())
      const next = `next.${moment.address}`
      const change = await service().send('POST /auth/change-email', {
        ...as(moment.accessToken),
        body: { email: next },
      })
      assert.deepEqual([change.status, change.text], [202, '{}'])
      assert.equal((await stored(service(), moment)).email, moment.address)
      const token = tokenIn(await mailTo(next, 0))
      assert.equal((await service().send('POST /auth/verify', { body: { token } })).body.error.code, 'UNAUTHENTICATED')
      const startOver = { body: { token, start_over: true } }
      assert.equal((await service().send('POST /auth/verify', startOver)).body.error.code, 'UNAUTHENTICATED')
      assert.equal(
        (await service().send('POST /auth/verify', { ...as(moment.accessToken), body: { token } })).status,
        200,
      )
      const { email: address, is_sure: isSure } = await stored(service(), moment)
      assert.deepEqual([address, isSure], [next, true])
      assert.match(await mailTo(moment.address, 1), /another address/)
      const former = await service().send('POST /auth/verify', {
        ...as(moment.accessToken),
        body: { token: moment.token },
      })
      assert.equal(former.body.error.code, 'INVALID_TOKEN', 'tokens for the former address have ended')
    })

    test('5.11.5 an address that is taken meanwhile is 409, and a second change replaces the first', async () => {
      const [moment, rival] = [await begin(service()), await begin(service())]
      const ask = (address: string) =>
        service().send('POST /auth/change-email', { ...as(moment.accessToken), body: { email: address } })
      await ask(`first.${moment.address}`)
      const first = tokenIn(await mailTo(`first.${moment.address}`, 0))
      await ask(rival.address)
      const second = tokenIn(await mailTo(rival.address, 1))
      const verify = (token: string) =>
        service().send('POST /auth/verify', { ...as(moment.accessToken), body: { token } })
      assert.equal((await verify(first)).body.error.code, 'INVALID_TOKEN')
      const { status, body } = await verify(second)
      assert.deepEqual([status, body.error.code], [409, 'CONFLICT'])
      assert.equal((await stored(service(), moment)).email, moment.address)
    })

    test('5.11.5 it requires a recent sign-in and an address', async () => {
      const moment = await begin(service())
      const ask = (address: string) =>
        service().send('POST /auth/change-email', { ...as(moment.accessToken), body: { email: address } })
      assert.equal((await ask('no address')).body.error.code, 'VALIDATION_ERROR')
      service().advance(5 * minuteMs)
      assert.equal((await ask('new@example.com')).body.error.code, 'REAUTHENTICATION_REQUIRED')
    })

    test('5.11.3 tokens end with the account', async () => {
      const moment = await begin(service())
      await service().send(`POST /api/v1/users/${moment.id}/suspend`, as(moment.accessToken))
      for (const body of [{ password }, { start_over: true }])
        assert.equal(
          (await service().send('POST /auth/verify', { body: { token: moment.token, ...body } })).body.error.code,
          'INVALID_TOKEN',
        )
    })

    for (const [title, body, field] of [
      ['no token', {}, 'token'],
      ['another member', { token: 'x', secret: 'x' }, 'secret'],
      ['start_over beside a password', { token: 'x', password: 'x', start_over: true }, 'password'],
      ['start_over that is not true', { token: 'x', start_over: false }, 'start_over'],
    ] as const)
      test(`5.11.3 ${title} is 400`, async () => {
        const answer = await service().send('POST /auth/verify', { body })
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_ERROR'])
        assert.match(answer.text, new RegExp(field))
      })
  },
  { definition, environment: { SMTP_URL: smtp.url } },
)

const pair = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

withService(
  '5.12 Magic links',
  (service) => {
    const ask = (address: string, challenge: string) =>
      service().send('POST /auth/magic-link', { body: { email: address, code_challenge: challenge } })
    const redeem = (token: string, verifier: string) =>
      service().send('POST /auth/login', { body: { token, code_verifier: verifier } })
    const prove = ({ token, accessToken }: Moment) =>
      service().send('POST /auth/verify', { ...as(accessToken), body: { token } })
    async function linkFor(address: string) {
      const { verifier, challenge } = pair()
      const before = smtp.to(address).length
      const { status, text: answer } = await ask(address, challenge)
      assert.deepEqual([status, answer], [202, '{}'])
      return { verifier, token: tokenIn(await mailTo(address, before)) }
    }

    test('5.12.1 a link signs in the client that asked for it, once, and removes nothing of a proved account', async () => {
      const moment = await begin(service())
      await prove(moment)
      const { token, verifier } = await linkFor(moment.address)
      const { status, body } = await redeem(token, verifier)
      assert.equal(status, 200)
      const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
      assert.deepEqual([claims.sub, claims.amr], [moment.id, ['mail']])
      assert.equal((await redeem(token, verifier)).body.error.code, 'INVALID_TOKEN')
      assert.equal((await service().send('GET /api/v1/users/me', as(moment.accessToken))).status, 200)
    })

    test('5.12.2 a link to an address without proof starts over, so that an earlier stranger is out', async () => {
      const stranger = await begin(service())
      const { token, verifier } = await linkFor(stranger.address)
      const { body } = await redeem(token, verifier)
      assert.equal((await stored(service(), { ...stranger, accessToken: body.access_token })).is_sure, true)
      assert.equal(
        (await service().send('GET /api/v1/users/me', as(stranger.accessToken))).body.error.code,
        'INVALID_TOKEN',
      )
      const login = { body: { email: stranger.address, password } }
      assert.equal((await service().send('POST /auth/login', login)).body.error.code, 'INVALID_CREDENTIALS')
    })

    test('5.12.1 an unknown address is answered alike, and nothing is mailed', async () => {
      const { challenge } = pair()
      const { status, text: answer } = await ask('nobody.there@example.com', challenge)
      assert.deepEqual([status, answer], [202, '{}'])
      const moment = await begin(service())
      await linkFor(moment.address)
      assert.equal(smtp.to('nobody.there@example.com').length, 0)
    })

    test('5.12.1 another verifier is 401 and uses up nothing; the fifth ends the link', async () => {
      const moment = await begin(service())
      const [first, second] = [await linkFor(moment.address), await linkFor(moment.address)]
      for (let wrong = 0; wrong < 4; wrong++)
        assert.equal((await redeem(first.token, pair().verifier)).body.error.code, 'INVALID_TOKEN')
      for (let wrong = 0; wrong < 5; wrong++) await redeem(second.token, pair().verifier)
      assert.equal((await redeem(second.token, second.verifier)).body.error.code, 'INVALID_TOKEN')
      assert.equal((await redeem(first.token, first.verifier)).status, 200)
    })

    test('5.12.1 a link lasts for ten minutes', async () => {
      const moment = await begin(service())
      const { token, verifier } = await linkFor(moment.address)
      service().advance(10 * minuteMs)
      assert.equal((await redeem(token, verifier)).body.error.code, 'TOKEN_EXPIRED')
    })

    test('5.12.1 verification tokens sign nobody in, and links verify nothing', async () => {
      const moment = await begin(service())
      const { token, verifier } = await linkFor(moment.address)
      assert.equal((await redeem(moment.token, verifier)).body.error.code, 'INVALID_TOKEN')
      const verify = await service().send('POST /auth/verify', { body: { token, password } })
      assert.equal(verify.body.error.code, 'INVALID_TOKEN')
    })

    for (const challenge of ['short', 'A'.repeat(44), `${'A'.repeat(42)}B`])
      test(`5.12.1 the challenge ${challenge.slice(0, 6)}… of ${challenge.length} is 400`, async () => {
        const { status, body } = await ask('ada@example.com', challenge)
        assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR'])
      })
  },
  { definition, environment: { SMTP_URL: smtp.url } },
)

withService(
  '5.11 Accounts that need proof',
  (service) => {
    const signIn = (address: string) => service().send('POST /auth/login', { body: { email: address, password } })

    test('5.11.6 an account without proof gets no tokens, and learns that only with the right password', async () => {
      const address = addressOf()
      await service().send('POST /api/v1/users', { body: { email: address, password } })
      assert.deepEqual([(await signIn(address)).body.error.code], ['VERIFICATION_REQUIRED'])
      const wrong = await service().send('POST /auth/login', { body: { email: address, password: another } })
      assert.equal(wrong.body.error.code, 'INVALID_CREDENTIALS')
      const token = tokenIn(await mailTo(address, 0))
      assert.equal((await service().send('POST /auth/verify', { body: { token, password } })).status, 200)
      assert.equal((await signIn(address)).status, 200)
    })

    test('5.11.6 another address without proof ends API keys and refreshing, whose token is not used up', async () => {
      const fixtures = service().fixtures({
        boss: { User: { email: '{word}@example.com', role: 'ADMIN', isSure: true } },
        user: { User: { email: 'u.{word}@example.com', isSure: true } },
      })
      const [id, word] = [await fixtures.idOf('user'), await fixtures.fill('{word}')]
      await fixtures.idOf('boss')
      const { body: boss } = await signIn(`${word}@example.com`)
      const { body: tokens } = await signIn(`u.${word}@example.com`)
      const key = await service().send('POST /api/v1/api-keys', {
        ...as(tokens.access_token),
        body: { name: 'k', scopes: ['*'] },
      })
      const next = addressOf()
      const moved = await service().send(`POST /api/v1/users/${id}/readdress`, {
        ...as(boss.access_token),
        body: { email: next },
      })
      assert.equal(moved.status, 200, moved.text)
      const renew = () => service().send('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } })
      assert.equal((await renew()).body.error.code, 'VERIFICATION_REQUIRED')
      const used = await service().send('GET /api/v1/users/me', { headers: { 'X-API-Key': key.body.data.key } })
      assert.equal(used.body.error.code, 'INVALID_CREDENTIALS')
      const token = tokenIn(await mailTo(next, 0))
      const verified = await service().send('POST /auth/verify', { body: { token, password } })
      assert.equal(verified.status, 200, verified.text)
      assert.equal((await renew()).status, 200)
    })
  },
  { definition: strict, environment: { SMTP_URL: smtp.url } },
)

const withReceiver = (title: string, more: { readonly requireVerified?: boolean }, run: WebhookTest) =>
  withService(
    title,
    (service) => {
      test(title, async (t) => {
        const receiver = await startReceiver()
        t.after(() => receiver.close())
        const settled = async () => {
          await service().settled()
          await service().webhooks!.settled()
          return receiver.messages.length
        }
        const hook = { url: receiver.url, events: ['noteCreated'] }
        await run(service(), (token) => service().send('POST /api/v2/webhooks', { ...as(token), body: hook }), settled)
      })
    },
    { definition: noticeboardWith({ methods: {}, ...more }), environment: { SMTP_URL: smtp.url } },
  )
type WebhookTest = (
  service: TestService,
  create: (token: string) => Promise<unknown>,
  settled: () => Promise<number>,
) => Promise<void>
const writeNote = (service: TestService, token: string) =>
  service.send('POST /api/v2/notes', { ...as(token), body: { title: 'Mine' } })

withReceiver('5.11.4 what removes API keys removes webhooks', {}, async (service, create, settled) => {
  const startOver = async ({ token }: Moment) => {
    const { body } = await service.send('POST /auth/verify', { body: { token, start_over: true } })
    return body.access_token
  }
  const reset = async ({ address }: Moment) => {
    const before = smtp.to(address).length
    await service.send('POST /auth/forgot-password', { body: { email: address } })
    const token = /^prt_[\w-]{43}$/m.exec(await mailTo(address, before))![0]
    await service.send('POST /auth/reset-password', { body: { token, password: another } })
    const { body } = await service.send('POST /auth/login', { body: { email: address, password: another } })
    return body.access_token
  }
  for (const takeOver of [startOver, reset]) {
    const stranger = await begin(service)
    await create(stranger.accessToken)
    await writeNote(service, stranger.accessToken)
    const before = await settled()
    const token = await takeOver(stranger)
    assert.deepEqual((await service.send('GET /api/v2/webhooks', as(token))).body.data, [])
    assert.equal((await writeNote(service, token)).status, 201)
    assert.equal(await settled(), before)
  }
  assert.equal(await settled(), 2)
})

withReceiver(
  '5.11.6 without the required proof, webhooks receive nothing',
  { requireVerified: true },
  async (service, create, settled) => {
    const fixtures = service.fixtures({ user: { User: { email: '{word}@example.com', isVerified: true } } })
    await fixtures.idOf('user')
    const email = await fixtures.fill('{word}@example.com')
    const { body } = await service.send('POST /auth/login', { body: { email, password } })
    await create(body.access_token)
    await writeNote(service, body.access_token)
    assert.equal(await settled(), 1)
    await service.store.write(function* () {
      yield bind(command(`update users set is_verified = ${service.store.engine === 'sqlite' ? 0 : false}`))
    })
    assert.equal((await writeNote(service, body.access_token)).status, 201)
    assert.equal(await settled(), 1)
  },
)
