// What proves something ends with what it proves: a verified login, and password reset tokens, under every kind of write.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  actor,
  anyone,
  boolean,
  choice,
  email,
  event,
  me,
  on,
  one,
  optional,
  password,
  resource,
  route,
  service,
  signedIn,
  state,
  text,
  type WriteMoment,
  when,
} from 'duet-api'
import type { Answer } from '../support/client/http-client.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { password as fixturePassword, type TestService, withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    isSure: boolean({ default: false }),
    name: text({ max: 60 }),
    note: optional(text({ max: 60 })),
    badge: optional(text({ max: 60 })),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE', 'SUSPENDED'),
  },
  keys: [['name']],
  where: ['badge'],
  protect: { isSure: { write: when({ badge: 'sure' }) } },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['email', 'password', 'name'] },
    update: { allow: anyone, accept: ['email', 'password', 'note', 'isSure'] },
    readdress: { allow: anyone, set: { email: ({ record }) => `set.${record.email}` } },
    assign: {
      allow: anyone,
      effect: async ({ record, assign }) => assign({ email: `assigned.${record.email}` }),
    },
    suspend: { allow: anyone, from: 'ACTIVE', to: 'SUSPENDED' },
    reactivate: { allow: anyone, from: 'SUSPENDED', to: 'ACTIVE' },
  },
})
const Order = resource('Order', {
  prefix: 'ord',
  fields: {
    user: one('User', { cascade: 'regardless' }),
    by: one('User', { cascade: 'regardless', default: actor }),
    how: text({ max: 20 }),
  },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['user', 'how'],
      effect: async ({ input, records }) => {
        const { user, how } = input
        if (how === 'run') await records.run(User, user, 'readdress')
        const { email: address } = await records.get(User, user)
        if (how === 'change') await records.change(User, user, { email: `changed.${address}` })
      },
      emit: event('ordered'),
    },
  },
})
const Invitation = resource('Invitation', {
  prefix: 'inv',
  fields: { email: email() },
  actions: { read: { allow: when({ email: me('email') }) } },
})
const definition = {
  resources: { User, Order, Invitation },
  accounts: { login: 'email', verified: 'isSure', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
} as const
const routes = [
  route('POST', '/api/v1/readdress/{user}', {
    summary: 'Gives a user another address',
    access: anyone,
    params: { user: text({ max: 60 }) },
    answer: {},
    async handle({ params, asService }) {
      const { email: address } = await asService.records.get(User, params.user)
      await asService.records.update(User, params.user, { email: `routed.${address}` })
      return {}
    },
  }),
]
const reactions = [
  on(Order, 'ordered', async ({ record, finish }) => {
    if (record?.how !== 'reaction') return
    await finish(async (records) => {
      const [locked] = await records.lockExisting(User, [record.user])
      await records.change(User, record.user, { email: `finished.${locked!.email}` })
    })
  }),
]

interface Moment {
  readonly service: TestService
  readonly fixtures: Fixtures
  /** The path of the user. */
  readonly path: string
  readonly id: string
  readonly word: string
  /** Another address. */
  readonly address: string
}
type Writer = (moment: Moment) => Promise<Answer>
const send = ({ service, fixtures }: Moment, line: string, body?: unknown) =>
  service.send(line, { as: '{other}', fixtures, ...(body === undefined ? {} : { body }) })
const mutate = ({ service, fixtures }: Moment, document: string) =>
  service.graphql(`mutation { ${document} }`, { as: '{other}', fixtures })

/** Everything that writes the login of a stored account. */
const writers: Readonly<Record<string, Writer>> = {
  PATCH: (moment) => send(moment, `PATCH ${moment.path}`, { email: moment.address }),
  PUT: (moment) => send(moment, `PUT ${moment.path}`, { email: moment.address, password: fixturePassword }),
  mutation: (moment) => mutate(moment, `updateUser(id: "${moment.id}", input: { email: "${moment.address}" }) { id }`),
  'an upsert': (moment) =>
    send(moment, `PUT /api/v1/users/by/name/n-${moment.word}`, { email: moment.address, password: fixturePassword }),
  'update-many': (moment) => send(moment, 'PATCH /api/v1/users', { ids: [moment.id], email: moment.address }),
  'a bulk condition': (moment) =>
    send(moment, `PATCH /api/v1/users?where=${encodeURIComponent(`badge = "b-${moment.word}"`)}`, {
      email: moment.address,
    }),
  'set of a move': (moment) => send(moment, `POST ${moment.path}/readdress`),
  'assign of an effect': (moment) => send(moment, `POST ${moment.path}/assign`),
  'records.change': (moment) => send(moment, 'POST /api/v1/orders', { user_id: moment.id, how: 'change' }),
  'records.run': (moment) => send(moment, 'POST /api/v1/orders', { user_id: moment.id, how: 'run' }),
  'a route': (moment) => send(moment, `POST /api/v1/readdress/${moment.id}`),
  async 'a reaction'(moment) {
    const answer = await send(moment, 'POST /api/v1/orders', { user_id: moment.id, how: 'reaction' })
    while (!(await stateOf(moment)).email.startsWith('finished.'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    return answer
  },
}
/** What else ends a reset token. */
const otherEnds: Readonly<Record<string, Writer>> = {
  'a password by PATCH': (moment) => send(moment, `PATCH ${moment.path}`, { password: 'another password' }),
  async 'an address and back'(moment) {
    const { email: before } = await stateOf(moment)
    await send(moment, `PATCH ${moment.path}`, { email: moment.address })
    return send(moment, `PATCH ${moment.path}`, { email: before })
  },
  async 'a suspension and back'(moment) {
    await send(moment, `POST ${moment.path}/suspend`)
    return send(moment, `POST ${moment.path}/reactivate`)
  },
}

async function stateOf({ service, id }: Pick<Moment, 'service' | 'id'>) {
  const { body, headers } = await service.send(`GET /api/v1/users/${id}`)
  const { email: address, is_sure: isSure } = body.data
  return {
    email: address as string,
    isSure: isSure as boolean,
    version: Number.parseInt(headers['etag']!.slice(1), 10),
  }
}

async function begin(service: TestService): Promise<Moment> {
  const fixtures = service.fixtures({
    user: { User: { email: '{word}@example.com', isSure: true, badge: 'b-{word}', name: 'n-{word}' } },
    other: { User: { email: 'other.{word}@example.com', name: 'o-{word}' } },
  })
  const id = await fixtures.idOf('user')
  const word = await fixtures.fill('{word}')
  return { service, fixtures, path: `/api/v1/users/${id}`, id, word, address: `new.${word}@example.com` }
}

/** Asks for a new password, and reads the token in the mail that comes. */
async function tokenFor(address: string, service: TestService): Promise<string> {
  const before = smtp.to(address).length
  await service.send('POST /auth/forgot-password', { body: { email: address } })
  while (smtp.to(address).length === before) await smtp.arrival()
  return tokenIn(smtp.to(address).at(-1)!.text)
}
const tokenIn = (mail: string): string => /^prt_[\w-]{43}$/m.exec(mail)?.[0] ?? assert.fail(mail)
const redeem = (token: string, service: TestService) =>
  service.send('POST /auth/reset-password', { body: { token, password: 'a new password' } })

const hooked = service({
  ...definition,
  async onWrite({ change, before }: WriteMoment) {
    if (change !== null && change['note'] === 'by hook') change['email'] = `hooked.${before?.['email']}`
  },
} as never)

/** The ways on which the hook is told of the login. */
const hookedWriters: ReadonlySet<string> = new Set(['PATCH', 'records.change', 'records.run'])

for (const [title, served] of [
  ['', service(definition)],
  [', told to a hook', hooked],
] as const)
  withService(
    `5.9 proofs${title}`,
    (running) => {
      for (const [writer, write] of Object.entries(writers)) {
        if (served === hooked && !hookedWriters.has(writer)) continue
        test(`5.9.1 ${writer} resets the flag of a verified login with the login, and 5.9.2 ends reset tokens`, async () => {
          const moment = await begin(running())
          const before = await stateOf(moment)
          const token = await tokenFor(before.email, running())
          const { status, text } = await write(moment)
          assert.ok(status < 300 && !text.includes('"errors"'), text)
          const stored = await stateOf(moment)
          assert.notEqual(stored.email, before.email)
          assert.deepEqual([stored.isSure, stored.version], [false, before.version + 1], 'in the same statement')
          assert.equal((await redeem(token, running())).body.error.code, 'INVALID_TOKEN')
        })
      }

      for (const [end, write] of served === hooked ? [] : Object.entries(otherEnds))
        test(`5.9.2 ${end} ends reset tokens`, async () => {
          const moment = await begin(running())
          const { email: address } = await stateOf(moment)
          const token = await tokenFor(address, running())
          const { status, text } = await write(moment)
          assert.equal(status, 200, text)
          assert.equal((await redeem(token, running())).body.error.code, 'INVALID_TOKEN')
        })

      if (served === hooked)
        test('5.9.1 the hook of all writes resets the flag with the login, and 5.9.2 ends reset tokens', async () => {
          const moment = await begin(running())
          const { email: address } = await stateOf(moment)
          const token = await tokenFor(address, running())
          const fixtures = moment.fixtures
          const changed = await running().send(`PATCH ${moment.path}`, { fixtures, body: { note: 'by hook' } })
          assert.equal(changed.status, 200, changed.text)
          const stored = await stateOf(moment)
          assert.deepEqual([stored.email, stored.isSure], [`hooked.${address}`, false])
          assert.equal((await redeem(token, running())).body.error.code, 'INVALID_TOKEN')
        })

      if (served !== hooked) {
        test('5.9.2 tokens that are requested while the address changes are mailed for the former one and good for none', async () => {
          const moment = await begin(running())
          const { email: address } = await stateOf(moment)
          const first = await tokenFor(address, running())
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, at) =>
              at === 10
                ? send(moment, `PATCH ${moment.path}`, { email: moment.address })
                : running().send('POST /auth/forgot-password', { body: { email: address } }),
            ),
          )
          assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 202]))
          // Mails are sent in turn, two at a time: these two are sent after the others.
          await Promise.all([
            tokenFor(moment.address, running()),
            tokenFor(`other.${moment.word}@example.com`, running()),
          ])
          const tokens = smtp.to(address).map(({ text }) => tokenIn(text))
          assert.ok(tokens.includes(first))
          for (const token of tokens) assert.equal((await redeem(token, running())).body.error.code, 'INVALID_TOKEN')
        })

        test('5.9.2 of a reset and twenty changes of the address at once, no token is left', async () => {
          const moment = await begin(running())
          const { email: address } = await stateOf(moment)
          const token = await tokenFor(address, running())
          const answers = await Promise.all(
            Array.from({ length: 21 }, (_, at) =>
              at === 10
                ? redeem(token, running())
                : send(moment, `PATCH ${moment.path}`, { email: `${at}.${address}` }),
            ),
          )
          assert.deepEqual(new Set(answers.filter((_, at) => at !== 10).map(({ status }) => status)), new Set([200]))
          assert.ok([204, 401].includes(answers[10]!.status))
          assert.equal((await redeem(token, running())).body.error.code, 'INVALID_TOKEN')
          assert.equal((await stateOf(moment)).isSure, false)
        })
      }

      test('5.9.1 nothing of the former address is read, and an invitation to the new one is not either', async () => {
        const moment = await begin(running())
        const { email: address } = await stateOf(moment)
        const fixtures = running().fixtures({
          mine: { Invitation: { email: address } },
          other: { Invitation: { email: moment.address } },
        })
        const [mine, other] = [await fixtures.idOf('mine'), await fixtures.idOf('other')]
        const sees = async () => {
          const { body } = await running().send('GET /api/v1/invitations', { as: '{user}', fixtures: moment.fixtures })
          return body.data.map(({ id }: { id: string }) => id)
        }
        assert.deepEqual(await sees(), [mine])
        const changed = await send({ ...moment }, `PATCH ${moment.path}`, { email: moment.address })
        assert.equal(changed.body.data.is_sure, false, 'it is answered, too')
        assert.deepEqual(await sees(), [])
        await send(moment, `PATCH ${moment.path}`, { email: address })
        assert.deepEqual(await sees(), [], 'the former address is to be verified again')
        assert.ok(mine !== other)
      })

      test('5.9.1 the same address, and other fields, leave the flag; a write that says so sets it', async () => {
        const moment = await begin(running())
        const { email: address } = await stateOf(moment)
        for (const body of [{ email: address.toUpperCase() }, { note: 'Other' }, { email: address, note: 'Third' }]) {
          const { status, text } = await send(moment, `PATCH ${moment.path}`, body)
          assert.equal(status, 200, text)
          assert.equal((await stateOf(moment)).isSure, true)
        }
        const fixtures = running().fixtures({ sure: { User: { badge: 'sure', name: 's-{word}' } } })
        const { status, body } = await running().send('PATCH /api/v1/users/{sure}', {
          fixtures,
          body: { email: `sure.${moment.address}`, is_sure: true },
        })
        assert.deepEqual([status, body.data?.is_sure], [200, true])
      })
    },
    { definition: served, routes, reactions, environment: { SMTP_URL: smtp.url } },
  )
