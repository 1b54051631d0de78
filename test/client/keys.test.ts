// Records by their keys, through the typed client: an import that can be run again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, DuetError, etagOf } from 'duet-api/client'
import { routeAccess } from '../../src/command/access.ts'
import { compileModel } from '../../src/resource/model/compile-model.ts'
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
        second.map((each) => etagOf(each)),
        names.map(() => '"2.0"'),
      )
    })

    test('11.2.8 a record is read by either key, whatever the order of its fields', async () => {
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

test('11.2.9 duet routes tells both rules of an upsert', () => {
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
