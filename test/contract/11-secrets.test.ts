// Secrets: written by clients, never answered, encrypted where they lie, and text to the service's own code.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  actor,
  anyone,
  boolean,
  choice,
  email,
  event,
  integer,
  is,
  on,
  one,
  optional,
  own,
  password,
  resource,
  route,
  secret,
  self,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { createDataCipher } from '../../src/encryption/data-cipher.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { bind, command } from '../../src/store/store.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { withService } from '../support/server/service.ts'

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
const Hook = resource('Hook', {
  prefix: 'hook',
  fields: {
    name: text({ max: 60 }),
    key: secret(),
    spare: optional(secret({ max: 20 })),
    signed: optional(text({ max: 200 })),
    owner: one('User', { cascade: 'regardless', default: actor }),
  },
  filter: { name: is },
  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['name', 'key', 'spare'], emit: event('hooked') },
    update: { allow: own('owner'), accept: ['name', 'key', 'spare'], emit: event('changed') },
    sign: {
      allow: own('owner'),
      check: ({ record }) => record.key !== 'wrong' || 'It is the wrong key.',
      set: { spare: ({ record }) => `${record.key}!`.slice(0, 20) },
      effect: async ({ record, records, assign }) => {
        const [locked] = await records.here.lockExisting([record.id])
        assign({ signed: `by ${record.key.length} and ${locked!.key === record.key}` })
      },
    },
  },
})
const hooks = service({
  resources: { User, Hook },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})
const peek = route('GET', '/api/v1/peek/{hook}', {
  summary: 'Peeks',
  access: anyone,
  params: { hook: text({ max: 60 }) },
  answer: { isSame: boolean(), size: integer(), spare: text({ max: 20 }), after: text({ max: 20 }), seen: integer() },
  async handle({ params, records, asService }) {
    const { key, spare } = await asService.records.get(Hook, params.hook)
    const { records: all } = await asService.records.list(Hook)
    const changed = await asService.records.update(Hook, params.hook, { spare: 'new' })
    const seen = await records.list(Hook).then(
      ({ records }) => records.length,
      () => 0,
    )
    const isSame = key === all.find(({ id }) => id === params.hook)?.key
    return { isSame, size: key.length, spare: spare!, after: changed.spare!, seen }
  },
})
const heard: string[] = []
const listening = on(Hook, 'changed', async ({ record }) => void heard.push(`${record?.key} ${record?.spare}`))

const people = { ann: { User: {} } }
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

withService(
  '11.4 secrets',
  (running) => {
    const key = () => `s3cr3t-${randomBytes(9).toString('hex')}`
    const ask = async (line: string, fixtures: ReturnType<ReturnType<typeof running>['fixtures']>, body?: unknown) => {
      const {
        status,
        headers,
        body: answer,
      } = await running().send(line, {
        as: '{ann}',
        fixtures,
        ...(body === undefined ? {} : { body }),
      })
      return { status, headers, ...answer }
    }
    async function make(more: object = {}) {
      const fixtures = running().fixtures(people)
      const sent = { name: 'hook', key: key(), ...more }
      const { status, headers, data } = await ask('POST /api/v1/hooks', fixtures, sent)
      assert.equal(status, 201)
      return { fixtures, sent, data, etag: headers['etag'], id: data.id as string, line: `/api/v1/hooks/${data.id}` }
    }
    const stored = async (id: string) =>
      (await running().tables('hooks')).find((row) => row.includes(id)) as readonly unknown[]

    test('11.4.1 no answer has it, on either face, even for its owner', async () => {
      const { fixtures, sent, data, line, id } = await make()
      const names = ['created_at', 'id', 'name', 'owner_id', 'signed', 'updated_at']
      assert.deepEqual(Object.keys(data).sort(), names)
      assert.deepEqual(Object.keys((await ask(`GET ${line}`, fixtures)).data).sort(), names)
      assert.deepEqual(Object.keys((await ask('GET /api/v1/hooks', fixtures)).data[0]).sort(), names)
      assert.equal((await ask(`GET ${line}?fields=id,key`, fixtures)).status, 400)
      for (const query of ['sort=key', 'key=x', `key=${sent.key}`])
        assert.equal((await ask(`GET /api/v1/hooks?${query}`, fixtures)).status, 400)
      const question = { as: '{ann}', fixtures } as const
      const refused = await running().graphql(`{ hook(id: "${id}") { key } }`, question)
      assert.equal(refused.body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
      const mutation = `mutation { createHook(input: { name: "g", key: "${key()}" }) { id name } }`
      assert.equal((await running().graphql(mutation, question)).body.data.createHook.name, 'g')
      const document = (await running().client.send('GET /api/v1/openapi.json')).body
      const { schemas } = document.components
      assert.deepEqual(Object.keys(schemas.Hook.properties).sort(), ['can', ...names])
      assert.deepEqual(
        Object.keys(schemas)
          .filter((name) => 'key' in (schemas[name].properties ?? {}))
          .sort(),
        ['CreateHook', 'ReplaceHook', 'UpdateHook'],
      )
      assert.deepEqual([schemas.CreateHook.required, schemas.ReplaceHook.required], [['name', 'key'], ['name']])
      assert.equal(schemas.CreateHook.properties.key.writeOnly, true)
    })

    test('11.4.2 it lies encrypted, another time otherwise, and bound to its record', async () => {
      const { fixtures, sent, line, id } = await make({ spare: 'spare' })
      const before = await stored(id)
      assert.ok(!JSON.stringify(before).includes(sent.key))
      const of = before.filter((each) => typeof each === 'string' && /^[0-9a-f]{8}\.[\w-]{40,}$/.test(each)) as string[]
      assert.equal(of.length, 2)
      assert.equal(createDataCipher([newKey]).decrypt(of[0]!, `key of ${id}`), sent.key)
      assert.throws(() => createDataCipher([newKey]).decrypt(of[0]!, `spare of ${id}`))
      await ask(`PATCH ${line}`, fixtures, { key: sent.key })
      assert.ok(!(await stored(id)).includes(of[0]!))
      const other = await make()
      const { engine, store } = running()
      const moved = command(`update hooks set key = ${dialectOf(engine).parameter(1)} where id = '${other.id}'`)
      await store.write(function* () {
        yield bind(moved, of[0]!)
      })
      assert.equal((await ask(`POST ${other.line}/sign`, other.fixtures)).status, 500)
      assert.match(running().log().join(''), /Unsupported state or unable to authenticate data/)
      await store.write(function* () {
        yield bind(command(`delete from hooks where id = '${other.id}'`))
      })
      running().forgetLog()
    })

    test('11.4.2 what an older key encrypted is read, and the first key encrypts', async () => {
      const { fixtures, id, line, sent } = await make()
      const { engine, store } = running()
      const old = createDataCipher([oldKey]).encrypt(sent.key, `key of ${id}`)
      await store.write(function* () {
        yield bind(command(`update hooks set key = ${dialectOf(engine).parameter(1)} where id = '${id}'`), old)
      })
      const { status, data } = await ask(`POST ${line}/sign`, fixtures)
      assert.deepEqual([status, data.signed], [200, `by ${sent.key.length} and true`])
    })

    test('11.4.3 code has it as text: checks, set, effects, reactions, and routes as the service', async () => {
      const { fixtures, line, id, sent } = await make({ spare: 'spare' })
      const peeked = (await running().send(`GET /api/v1/peek/${id}`, { fixtures })).body.data
      assert.deepEqual(peeked, { is_same: true, size: sent.key.length, spare: 'spare', after: 'new', seen: 0 })
      const { data } = await ask(`POST ${line}/sign`, fixtures)
      assert.equal(data.signed, `by ${sent.key.length} and true`)
      await ask(`PATCH ${line}`, fixtures, { name: 'renamed' })
      const expected = `${sent.key} ${`${sent.key}!`.slice(0, 20)}`
      while (!heard.includes(expected)) await new Promise((resolve) => setTimeout(resolve, 5))
      await ask(`PATCH ${line}`, fixtures, { key: 'wrong' })
      const refused = await ask(`POST ${line}/sign`, fixtures)
      assert.deepEqual([refused.status, refused.error.message], [422, 'It is the wrong key.'])
    })

    test('11.4.4 a change of it raises the version and reveals nothing; a replacement without it leaves it', async () => {
      const { fixtures, line, etag, sent, id } = await make({ spare: 'spare' })
      const changed = await ask(`PATCH ${line}`, fixtures, { key: key() })
      assert.notEqual(changed.headers['etag'], etag)
      assert.equal((await ask(`PATCH ${line}`, fixtures, { spare: null })).status, 200)
      const before = await stored(id)
      assert.equal((await ask(`PUT ${line}`, fixtures, { name: 'replaced' })).status, 200)
      const after = await stored(id)
      const secrets = (row: readonly unknown[]) =>
        row.filter((each) => String(each).includes('.') && /^[0-9a-f]{8}\./.test(String(each)))
      assert.deepEqual(secrets(after), secrets(before))
      assert.equal(secrets(after).length, 1)
      assert.ok(sent.key.length > 0)
    })

    test('11.4.1 it is checked like a text, and no failure, event or log reports it', async () => {
      const { fixtures, line, sent } = await make()
      for (const [body, field] of [
        [{ name: 'x' }, 'key'],
        [{ name: 'x', key: '' }, 'key'],
        [{ name: 'x', key: 7 }, 'key'],
        [{ name: 'x', key: null }, 'key'],
        [{ name: 'x', key: 'k', spare: 'x'.repeat(21) }, 'spare'],
      ] as const) {
        const { status, error } = await ask('POST /api/v1/hooks', fixtures, body)
        assert.deepEqual([status, error.details[0].field], [400, field])
      }
      const socket = await TestSocket.ready(running().url, await running().token(await fixtures.idOf('ann')))
      socket.subscribe('1', 'subscription { changed { id name } }')
      await socket.settled()
      await ask(`PATCH ${line}`, fixtures, { name: 'heard' })
      await running().settled()
      assert.ok(!JSON.stringify(await socket.next()).includes(sent.key))
      await socket.close()
      assert.ok(!running().log().join('').includes(sent.key))
    })
  },
  {
    definition: hooks,
    routes: [peek],
    reactions: [listening],
    environment: { DATA_KEY: `${newKey.toString('base64')},${oldKey.toString('hex')}` },
    limits: { eventPollMs: 10 },
  },
)
