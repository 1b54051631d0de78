// Tokens that an event hands to reactions: once, encrypted until then, and to nobody else.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import {
  actor,
  anyOf,
  choice,
  email,
  event,
  hasToken,
  on,
  one,
  own,
  password,
  type Reaction,
  resource,
  self,
  service,
  signedIn,
  state,
  text,
  token,
} from 'duet-api'
import { createReactionAdmin } from '../../src/reaction/reaction-admin.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { until } from '../support/check/until.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { type ServiceOptions, startTestService, type TestService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self } },
})
const Invitation = resource('Invitation', {
  prefix: 'inv',
  fields: {
    to: text({ max: 60 }),
    host: one('User', { cascade: 'regardless', default: actor }),
    code: token({ prefix: 'invite' }),
    other: token({ prefix: 'other' }),
  },
  actions: {
    read: { allow: anyOf(own('host'), hasToken('code')) },
    create: {
      allow: signedIn,
      accept: ['to'],
      effect: async ({ input }) => (input.to === 'nobody' ? 'Nobody is there.' : undefined),
      emit: event('invited', { with: ['code'] }),
    },
  },
})
/** Its effect invites. */
const Party = resource('Party', {
  prefix: 'party',
  fields: { host: one('User', { cascade: 'regardless', default: actor }) },
  actions: {
    read: { allow: own('host') },
    create: {
      allow: signedIn,
      effect: async ({ actor, records }) => {
        await records.create(Invitation, { to: 'all', host: actor.id })
      },
    },
  },
})
const invitations = service({
  resources: { User, Invitation, Party },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

const people = { ann: { User: {} } }
const dataKey = randomBytes(32).toString('base64')
const limits = { eventPollMs: 10, reactionAttempts: 2 }
const kept = ['duet_event', 'duet_reaction_task', 'duet_reaction_token'] as const

forEachEngine((engine) => {
  async function withReaction(
    react: (tokens: { readonly code: string | null }, attempt: number) => Promise<void> | void,
    work: (running: TestService, invite: (to?: string) => Promise<{ status: number; code: string }>) => Promise<void>,
    options: ServiceOptions = {},
  ): Promise<void> {
    const reaction: Reaction = on(Invitation, 'invited', async ({ tokens, attempt }) => react(tokens, attempt))
    const running = await startTestService(engine, {
      definition: invitations,
      reactions: [reaction],
      limits,
      environment: { DATA_KEY: dataKey },
      random: () => 0,
      ...options,
    })
    try {
      const fixtures = running.fixtures(people)
      const invite = async (to = 'ben') => {
        const { status, body } = await running.send('POST /api/v1/invitations', { as: '{ann}', fixtures, body: { to } })
        return { status, code: body.data?.code as string }
      }
      await work(running, invite)
    } finally {
      await running.stop()
    }
  }
  const rows = async (running: TestService, table: string) => running.tables(table)

  test('10.1.19 a reaction is handed the token, which lies encrypted until it has ended', async () => {
    const [handed, begun, open] = [[] as unknown[], Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const react = async (tokens: object) => {
      handed.push(tokens)
      begun.resolve()
      await open.promise
    }
    await withReaction(react, async (running, invite) => {
      const { status, code } = await invite()
      assert.equal(status, 201)
      await begun.promise
      assert.deepEqual(handed, [{ code }])
      assert.equal((await rows(running, 'duet_reaction_token')).length, 1)
      const stored = JSON.stringify(await Promise.all(kept.map((table) => rows(running, table))))
      assert.ok(!stored.includes(code) && !stored.includes(code.slice(-20)))
      open.resolve()
      await until(() => running.reactions!.counts.done === 1)
      assert.deepEqual(await rows(running, 'duet_reaction_token'), [])
      assert.equal(
        (await running.send('GET /api/v1/invitations', { headers: { 'X-Access-Code': code } })).body.data.length,
        1,
      )
      assert.ok(!running.log().join('').includes(code))
      running.assertLog()
    })
  })

  test('10.1.19 a write that fails hands on nothing, and what an effect makes is handed on too', async () => {
    const handed: (string | null)[] = []
    await withReaction(
      ({ code }) => void handed.push(code),
      async (running, invite) => {
        assert.equal((await invite('nobody')).status, 422)
        const fixtures = running.fixtures(people)
        assert.equal((await running.send('POST /api/v1/parties', { as: '{ann}', fixtures, body: {} })).status, 201)
        await until(() => running.reactions!.counts.done === 1)
        assert.equal(handed.length, 1)
        const headers = { 'X-Access-Code': handed[0]! }
        assert.equal((await running.send('GET /api/v1/invitations', { headers })).body.data[0].to, 'all')
        assert.deepEqual(await rows(running, 'duet_reaction_token'), [])
      },
    )
  })

  test('10.1.19 it is handed on at every attempt, and erased with the last; no error reports it', async () => {
    const handed: (string | null)[] = []
    const react = ({ code }: { readonly code: string | null }) => {
      handed.push(code)
      throw new Error(`No mail to ${code}.`, { cause: code })
    }
    await withReaction(react, async (running, invite) => {
      const { code } = await invite()
      await until(() => running.reactions!.counts.failed === 1)
      assert.equal((await rows(running, 'duet_reaction_token')).length, 1)
      running.advance(60_000)
      await until(() => running.reactions!.counts.died === 1)
      assert.deepEqual(handed, [code, code])
      assert.deepEqual(await rows(running, 'duet_reaction_token'), [])
      const traces = running.log().join('') + JSON.stringify(await rows(running, 'duet_reaction_task'))
      assert.match(traces, /No mail to \[secret\]\./)
      assert.ok(!traces.includes(code))
      const admin = createReactionAdmin(dialectOf(engine))
      await running.store.write(() => admin.replay({ number: null, reaction: null }, running.now()))
      await until(() => handed.length === 3)
      assert.equal(handed[2], null)
      await until(() => running.reactions!.counts.failed === 2)
    })
  })

  test('10.1.19 no subscriber gets it, nor a reader of the record', async () => {
    await withReaction(
      () => {},
      async (running, invite) => {
        const fixtures = running.fixtures(people)
        const socket = await TestSocket.ready(running.url, await running.token(await fixtures.idOf('ann')))
        socket.subscribe('1', 'subscription { invited { to code other } }')
        await socket.settled()
        const { body } = await running.send('POST /api/v1/invitations', { as: '{ann}', fixtures, body: { to: 'ben' } })
        await running.settled()
        const { payload }: Frame = await socket.next()
        assert.deepEqual((payload as { data: unknown }).data, { invited: { to: 'ben', code: null, other: null } })
        const read = await running.send(`GET /api/v1/invitations/${body.data.id}`, { as: '{ann}', fixtures })
        assert.ok(!('code' in read.body.data))
        await socket.close()
        assert.equal((await invite()).status, 201)
      },
    )
  })

  if (engine === 'sqlite')
    test('0.1.7 development keeps a key beside its database file, for its owner alone', async () => {
      await withReaction(
        () => {},
        async (running, invite) => {
          const file = `${running.databaseUrl.slice('sqlite:'.length)}.key`
          assert.match(readFileSync(file, 'utf8'), /^[\w+/]{43}=\n$/)
          assert.equal(statSync(file).mode & 0o777, 0o600)
          const lines = running.logged().filter(({ msg }) => String(msg).includes('DATA_KEY'))
          assert.deepEqual(
            lines.map(({ msg }) => msg),
            [
              `DATA_KEY is not set: ${file} holds a new key, with which the code that the reaction invited is handed is encrypted.`,
            ],
          )
          assert.ok(!running.log().join('').includes(readFileSync(file, 'utf8').trim()))
          assert.equal((await invite()).status, 201)
          await until(() => running.reactions!.counts.done === 1)
        },
        { environment: { DATA_KEY: '' } },
      )
    })
})
