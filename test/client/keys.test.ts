// Records by their keys, through the typed client: an import that can be run again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resource, service, signedIn, state, text } from 'duet-api'
import { createClient, DuetError, etagOf } from 'duet-api/client'
import { routeAccess } from '../../src/command/service/access.ts'
import { compileModel } from '../../src/resource/model/compile/compile-model.ts'
import { versionIn } from '../support/check/version-in.ts'
import { accounts, User } from '../support/domain/account.ts'
import { agency } from '../support/domain/agency.ts'
import { ledger } from '../support/domain/ledger.ts'
import { withService } from '../support/server/service.ts'

withService(
  'keys in the client',
  (service) => {
    const connect = async () => {
      const token = await service().token(await service().fixtures().idOf('viewer'))
      return createClient<typeof ledger>(service().url, {
        version: 'v2',
        json: { preferences: true },
        accessToken: () => token,
      })
    }

    test('11.2.13, 11.2.25 an id or a key that would be another address is not sent', async () => {
      const client = await connect()
      for (const key of ['', '.', '..']) {
        await assert.rejects(client.customers.upsert({ externalId: key }, { code: 'c', name: 'n' }), TypeError)
        await assert.rejects(client.customers.get(key), TypeError)
        await assert.rejects(client.customers.delete(key), TypeError)
      }
      await assert.rejects(client.customers.by({ externalId: 'a\u0000b' }), { code: 'VALIDATION_ERROR' })
    })

    test('11.2.9 an import is the same when it is run again', async () => {
      const client = await connect()
      const names = ['a b', 'ä/ö', 'x?y#z', '%25']
      const importAll = () =>
        Promise.all(names.map((name) => client.customers.upsert({ externalId: name }, { code: name, name })))
      const first = await importAll()
      const second = await importAll()
      assert.deepEqual(
        second.map(({ id }) => id),
        first.map(({ id }) => id),
      )
      assert.deepEqual(
        second.map(({ externalId }) => externalId),
        names,
      )
      assert.deepEqual(
        second.map((each) => versionIn(etagOf(each))),
        names.map(() => 2),
      )
    })

    test('11.2.26 an import of many at once is the same when it is run again', async () => {
      const client = await connect()
      const inputs = ['m1', 'm2', 'm3'].map((name) => ({ externalId: name, code: name, name }))
      const first = await client.customers.upsertMany(['externalId'], inputs)
      const second = await client.customers.upsertMany(['externalId'], inputs.toReversed())
      assert.deepEqual(
        second.map(({ id }) => id).toReversed(),
        first.map(({ id }) => id),
      )
      await assert.rejects(client.customers.upsertMany(['externalId'], [inputs[0]!, inputs[0]!]), {
        code: 'VALIDATION_ERROR',
      })
    })

    test('11.2.8, 11.2.16 a record is read by either key, whatever the order of its fields', async () => {
      const client = await connect()
      const { id } = await client.customers.upsert(
        { region: 'us', code: 'c', level: 3 },
        { externalId: 'read', name: 'R' },
      )
      assert.equal((await client.customers.by({ level: 3, code: 'c', region: 'us' })).id, id)
      const { name } = await client.customers.by({ externalId: 'read' }, { fields: ['name'] })
      assert.equal(name, 'R')
      await assert.rejects(
        client.customers.by({ externalId: 'none' }),
        (error: unknown) => error instanceof DuetError && error.status === 404,
      )
    })

    test('11.2.9 a record that was changed since is not replaced', async () => {
      const client = await connect()
      const first = await client.customers.upsert({ externalId: 'once' }, { code: 'once', name: 'A' })
      await client.customers.update(first.id, { name: 'B' })
      const late = client.customers.upsert({ externalId: 'once' }, { code: 'once', name: 'C' }, { ifMatch: first })
      await assert.rejects(late, (error: unknown) => error instanceof DuetError && error.code === 'CONFLICT')
    })
  },
  { definition: ledger },
)

withService(
  'keys within a tenant in the client',
  (service) => {
    test('11.2.11 what a key names is found, made and replaced below its tenant', async () => {
      const fixtures = service().fixtures({
        ann: { User: {} },
        one: { Agency: { slug: 'one' } },
        two: { Agency: { slug: 'two' } },
        inOne: { Membership: { agency: '{one}', user: '{ann}', role: 'STAFF' } },
        inTwo: { Membership: { agency: '{two}', user: '{ann}', role: 'STAFF' } },
        eu: { Customer: { agency: '{one}', externalId: 'eu', code: 'E', vat: 'E', name: 'E', owner: '{ann}' } },
        deal: { Deal: { agency: '{one}', customer: '{eu}', label: 'a b' } },
        note: { Note: { deal: '{deal}', text: 'x/y' } },
      })
      const token = await service().token(await fixtures.idOf('ann'))
      const [one, two] = await Promise.all([fixtures.idOf('one'), fixtures.idOf('two')])
      await Promise.all(['inOne', 'inTwo', 'note'].map((name) => fixtures.idOf(name)))
      const { agencies } = createClient<typeof agency>(service().url, { version: 'v2', accessToken: () => token })
      const input = { code: 'C', name: 'N' }
      const first = await agencies.customers.upsert(one, { externalId: 'a/b' }, { ...input, vat: '1' })
      const other = await agencies.customers.upsert(two, { externalId: 'a/b' }, { ...input, vat: '2' })
      assert.deepEqual([first.agencyId, other.agencyId], [one, two])
      const later = { ...input, vat: '1', name: 'Later', agencyId: one }
      const again = await agencies.customers.upsert(one, { externalId: 'a/b' }, later, { ifMatch: first })
      assert.deepEqual([again.id, again.name], [first.id, 'Later'])
      const found = await agencies.customers.by(two, { code: 'C', region: 'eu' }, { fields: ['id', 'name'] })
      assert.deepEqual(found, { id: other.id, name: 'N' })
      assert.equal((await agencies.notes.by(one, { text: 'x/y' })).id, await fixtures.idOf('note'))
      await assert.rejects(
        agencies.notes.by(two, { text: 'x/y' }),
        (error: unknown) => error instanceof DuetError && error.status === 404,
      )
    })
  },
  { definition: agency },
)

test('11.2.9 duet routes reports both rules of an upsert', () => {
  const routes = routeAccess(compileModel(ledger)).filter(
    ({ path }) => path === '/api/v2/customers/by/external_id/{external_id}',
  )
  assert.deepEqual(
    routes.map(({ method, access }) => [method, access]),
    [
      ['GET', 'its owner; anyone, while is_hidden is false'],
      ['PUT', 'to create: anyone who is signed in; to replace: its owner'],
      ['PATCH', 'its owner'],
      ['DELETE', 'its owner'],
    ],
  )
})

const Ticket = resource('Ticket', {
  prefix: 'tkt',
  fields: { code: text({ max: 20 }), status: state('open', 'closed'), reason: text({ max: 40, default: 'none' }) },
  keys: [['code']],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['code'] },
    close: { allow: signedIn, accept: ['reason'], from: 'open', to: 'closed' },
  },
})
const desk = service({ resources: { User, Ticket }, accounts, roles: { ANY: {} } })

withService(
  'actions by a key in the client',
  (service) => {
    test('11.2.28 an action is run on the record with a key', async () => {
      const fixtures = service().fixtures({ ann: { User: {} } })
      const token = await service().token(await fixtures.idOf('ann'))
      const client = createClient<typeof desk>(service().url, { accessToken: () => token })
      await client.tickets.create({ code: 'a/1' })
      const closed = await client.tickets.close.by({ code: 'a/1' }, { reason: 'over' })
      assert.deepEqual([closed.status, closed.reason], ['closed', 'over'])
      await assert.rejects(client.tickets.close.by({ code: 'none' }), { code: 'NOT_FOUND' })
      // @ts-expect-error a reason is no key
      void (() => client.tickets.close.by({ reason: 'over' }))
      // @ts-expect-error update is no action of tickets
      void (() => client.tickets.update)
    })
  },
  { definition: desk },
)
