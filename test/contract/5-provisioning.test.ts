// The first request of a person whom an outside issuer vouches for makes their account: once, by a function of the claims.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  event,
  Failure,
  nobody,
  on,
  password,
  provision,
  resource,
  service,
  state,
  type TrustedIssuer,
  text,
} from 'duet-api'
import { User } from '../../reference/user.ts'
import { publicJwk } from '../../src/authentication/key/jwk.ts'
import { generateSigningKey } from '../../src/authentication/key/signing-key.ts'
import { forgeToken } from '../support/client/forged-token.ts'
import type { Answer } from '../support/client/http-client.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { startInstance } from '../support/server/instance.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const key = await generateSigningKey('ES256')
const server = createServer((_, response) => response.end(JSON.stringify({ keys: [publicJwk(key)] })))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close().closeAllConnections())

const issuer = 'https://id.example.com/'
const basics = {
  jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
  audience: 'duet',
  algorithms: ['ES256'],
  lifetimeSeconds: 3_600,
} as const
const accountOf = ({ email, name, role }: Readonly<Record<string, unknown>>) => {
  if (email === undefined) return null
  if (name === 'Mallory') throw new Failure('FORBIDDEN', { message: 'Mallory stays out.' })
  return {
    email: String(email),
    name: String(name),
    emailVerified: true,
    ...(role === undefined ? {} : { role: role as 'EDITOR' }),
  }
}
const trusted: TrustedIssuer = {
  issuer,
  ...basics,
  actorFrom: provision(User, { roles: ['VIEWER', 'EDITOR'], account: accountOf }),
}
const other: TrustedIssuer = { ...trusted, issuer: 'https://other.example.com/' }

const outcome = ({ status, body }: Answer): unknown => (status < 300 ? status : body.error.code)

forEachEngine((engine) => {
  async function withService(
    work: (service: TestService) => Promise<void>,
    options: Parameters<typeof startTestService>[1] = {},
  ): Promise<void> {
    const service = await startTestService(engine, { issuers: [trusted, other], ...options })
    try {
      await work(service)
    } finally {
      await service.stop()
    }
  }
  const sign = (service: Pick<TestService, 'now'>, claims: object) => {
    const iat = Math.floor(service.now().getTime() / 1000)
    const usual = {
      iss: issuer,
      aud: 'duet',
      sub: 'ada',
      iat,
      exp: iat + 3_600,
      name: 'Ada',
      email: 'ada@id.example.com',
    }
    const token = forgeToken(key, { alg: 'ES256', typ: 'at+jwt', kid: key.kid }, { ...usual, ...claims })
    return { Authorization: `Bearer ${token}` }
  }
  const ask = (service: TestService, claims: object, line = 'GET /api/v2/users/me') =>
    service.send(line, { headers: sign(service, claims) })
  const accounts = async (service: TestService) => (await service.tables('users')).length

  test('5.6.6 a person has one account, which the first request makes', async () => {
    await withService(async (service) => {
      const before = await accounts(service)
      const first = await ask(service, {})
      const { id, name, email, role, email_verified } = first.body.data
      assert.deepEqual([name, email, role, email_verified], ['Ada', 'ada@id.example.com', 'VIEWER', true])
      const renamed = await ask(service, {
        name: 'Other',
        email: 'other@id.example.com',
        jti: 'second',
        role: 'EDITOR',
      })
      assert.deepEqual([renamed.body.data.id, renamed.body.data.name, renamed.body.data.role], [id, 'Ada', 'VIEWER'])
      const { body } = await service.graphql('{ me { id } }', { headers: sign(service, { jti: 'third' }) })
      assert.equal(body.data.me.id, id)
      const [others] = [await ask(service, { iss: other.issuer, email: 'ada@other.example.com' })]
      assert.notEqual(others.body.data.id, id, 'the same subject of another issuer is somebody else')
      assert.equal(await accounts(service), before + 2)
      const [line] = service.logged('account_provisioned')
      assert.deepEqual([line?.['userId'], line?.['issuer'], line?.['subject']], [id, issuer, 'ada'])
      const events = await service.send('GET /api/v2/security-events?type=account_provisioned', { as: 'admin' })
      assert.deepEqual(
        events.body.data.map((each: { user_id: string }) => each.user_id).sort(),
        [id, others.body.data.id].sort(),
      )
      const wrong = await service.send('POST /auth/login', { body: { email: 'ada@id.example.com', password: '' } })
      assert.notEqual(wrong.status, 200)
      service.assertLog()
    })
  })

  test('5.6.6 fifty first requests on two instances make one account', async () => {
    await withService(async (service) => {
      const before = await accounts(service)
      const instances = engine === 'sqlite' ? [] : [await startInstance(service, { issuers: [trusted] })]
      try {
        const clients = [service.client, ...instances.map(({ client }) => client)]
        const requests = Array.from({ length: 50 }, (_, index) =>
          clients[index % clients.length]!.send('GET /api/v2/users/me', {
            headers: sign(service, { jti: `token-${index}` }),
          }),
        )
        const answers = await Promise.all(requests)
        assert.deepEqual(
          answers.filter(({ status }) => status !== 200).map(({ text }) => text),
          [],
        )
        assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
        assert.equal(await accounts(service), before + 1)
        assert.equal((await service.tables('duet_outside_account')).length, 1)
        assert.equal((await service.tables('security_events')).length, 1)
      } finally {
        for (const each of instances) await each.stop()
      }
    })
  })

  test('5.6.10 many first requests at once wait for no password to be hashed', async () => {
    const limits = { passwordHashesAtOnce: 1, passwordHashesWaiting: 1 }
    await withService(
      async (service) => {
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            service.client.send('GET /api/v2/users/me', {
              headers: sign(service, { sub: `p${index}`, email: `p${index}@id.example.com` }),
            }),
          ),
        )
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        const { status } = await service.send('POST /auth/login', {
          body: { email: 'p1@id.example.com', password: 'x'.repeat(64) },
        })
        assert.equal(status, 401)
      },
      { limits },
    )
  })

  test('5.6.7 claims for which there is no account are refused, and so is a role beyond those that are listed', async () => {
    await withService(async (service) => {
      const before = await accounts(service)
      assert.equal(outcome(await ask(service, { email: undefined })), 'INVALID_TOKEN')
      const refused = await ask(service, { name: 'Mallory' })
      assert.deepEqual([refused.status, refused.body.error.message], [403, 'Mallory stays out.'])
      assert.equal(
        (await ask(service, { sub: 'eve', email: 'eve@id.example.com', role: 'EDITOR' })).body.data.role,
        'EDITOR',
      )
      service.assertLog()
      assert.equal(outcome(await ask(service, { role: 'ADMIN' })), 'INTERNAL_ERROR')
      assert.match(service.log().join(''), /gives a role that its roles do not list/)
      assert.equal(await accounts(service), before + 1)
    })
  })

  test('5.6.7 a claim that does not fit its field is a bug, logged without its value', async () => {
    await withService(async (service) => {
      const before = await accounts(service)
      assert.equal(outcome(await ask(service, { name: 'x'.repeat(101) })), 'INTERNAL_ERROR')
      assert.equal(outcome(await ask(service, { email: 'no address' })), 'INTERNAL_ERROR')
      const log = service.log().join('')
      assert.match(log, /does not fit the account: name: At most 100 characters\./)
      assert.match(log, /does not fit the account: email: /)
      assert.doesNotMatch(log, /xxxx|no address/)
      assert.equal(await accounts(service), before)
    })
  })

  test('5.6.7 an account that has the address already is not taken over', async () => {
    await withService(async (service) => {
      const fixtures = service.fixtures({ victim: { User: { name: 'Victim', email: 'ada@id.example.com' } } })
      await fixtures.idOf('victim')
      const before = await accounts(service)
      const { status, body } = await ask(service, { email_verified: true })
      assert.deepEqual([status, body.error.code, body.error.details], [403, 'FORBIDDEN', undefined])
      assert.doesNotMatch(JSON.stringify(body), /email|address/)
      assert.equal(await accounts(service), before)
      assert.equal((await service.tables('duet_outside_account')).length, 0)
      const [line] = service.logged('provision_refused')
      assert.equal(line?.['reason'], 'another account has this email, and none is ever taken over')
    })
  })

  test('5.6.7 a caller who is suspended or deleted here stays out, and gets no other account', async () => {
    await withService(async (service) => {
      const { id } = (await ask(service, {})).body.data
      const byAdmin = async (line: string) => assert((await service.send(line, { as: 'admin' })).status < 300, line)
      await byAdmin(`POST /api/v2/users/${id}/suspend`)
      service.advance(120_000)
      assert.equal(outcome(await ask(service, { jti: 'suspended' })), 'INVALID_TOKEN')
      await byAdmin(`POST /api/v2/users/${id}/reactivate`)
      assert.equal(outcome(await ask(service, { jti: 'back' })), 200)
      await byAdmin(`DELETE /api/v2/users/${id}`)
      service.advance(120_000)
      const before = await accounts(service)
      assert.equal(outcome(await ask(service, { jti: 'deleted' })), 'INVALID_TOKEN')
      assert.equal(await accounts(service), before)
      service.assertLog()
    })
  })

  test('5.6.6 an account is created by its create, which no client may run', async () => {
    const Member = resource('User', {
      prefix: 'usr',
      fields: {
        email: email({ unique: true }),
        nickname: text({ max: 20, default: 'x' }),
        tone: text({ max: 20, default: 'cold' }),
        password: password({ min: 8, max: 16 }),
        role: choice(['ANY'], { default: 'ANY' }),
        status: state('ACTIVE'),
      },
      actions: {
        read: { allow: anyone },
        create: {
          allow: nobody,
          accept: ['email', 'nickname', 'password'],
          check: ({ input }) => input.nickname !== 'root' || 'Nobody is called root.',
          set: { tone: 'kind' },
          emit: event('joined'),
        },
      },
    })
    const definition = service({
      resources: { User: Member },
      accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
      roles: { ANY: {} },
    })
    const joined = Promise.withResolvers<string>()
    const greet = on(Member, 'joined', async ({ record }) => joined.resolve(`${record!.nickname}, ${record!.tone}`))
    const account = ({ email, name }: Readonly<Record<string, unknown>>) => ({
      email: String(email),
      nickname: String(name),
    })
    const actorFrom = provision(Member, { account })
    await withService(
      async (service) => {
        const refused = await ask(service, { name: 'root' }, 'GET /api/v1/users/me')
        assert.deepEqual([refused.status, refused.body.error.message], [403, 'Nobody is called root.'])
        const { body } = await ask(service, {}, 'GET /api/v1/users/me')
        assert.deepEqual([body.data.nickname, body.data.tone, body.data.role], ['Ada', 'kind', 'ANY'])
        assert.equal(await joined.promise, 'Ada, kind')
        assert.equal(outcome(await service.send('POST /api/v1/users', { body: {} })), 'METHOD_NOT_ALLOWED')
        service.assertLog()
      },
      { definition, issuers: [{ ...trusted, actorFrom }], reactions: [greet], limits: { eventPollMs: 10 } },
    )
  })

  test('5.6.8 an issuer makes so many accounts a minute, and those who have one go on', async () => {
    await withService(
      async (service) => {
        const person = (name: string) => ({ sub: name, email: `${name}@id.example.com` })
        for (const name of ['one', 'two']) assert.equal(outcome(await ask(service, person(name))), 200)
        const waiting = await ask(service, person('three'))
        assert.deepEqual(
          [waiting.status, waiting.body.error.code, waiting.headers['retry-after']],
          [503, 'SERVICE_UNAVAILABLE', '60'],
        )
        assert.equal(outcome(await ask(service, { ...person('one'), jti: 'again' })), 200)
        assert.equal(
          outcome(await ask(service, { ...person('three'), iss: other.issuer })),
          200,
          'issuers do not share it',
        )
        service.advance(60_000)
        assert.equal(outcome(await ask(service, { ...person('three'), email: '3@id.example.com' })), 200)
      },
      { limits: { provisionsPerMinute: 2 } },
    )
  })
})
