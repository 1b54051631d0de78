// Which keys take PUT, and what many that write to one key at once do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service as define, resource, signedIn, text } from 'duet-api'
import { versionIn } from '../support/check/version-in.ts'
import { dataOf, signIn } from '../support/client/subscriber.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { ledger } from '../support/domain/ledger.ts'
import { withService } from '../support/server/service.ts'

const at = '/api/v2/customers/by/external_id'

withService(
  '11.2 Keys at once',
  (service) => {
    const counts = (statuses: readonly number[]) =>
      Object.fromEntries(
        [...new Set(statuses)].sort().map((each) => [each, statuses.filter((one) => one === each).length]),
      )

    test('11.2.10 of many that write to one key, one creates it and the others replace it', async () => {
      const fixtures = service().fixtures({})
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const sent = { as: 'viewer', fixtures, body: { code: 't {word}', name: `N${index}` } } as const
          return (await service().send(`PUT ${at}/together%20{word}`, sent)).status
        }),
      )
      assert.deepEqual(counts(statuses), { 200: 19, 201: 1 })
      service().assertLog()
    })
    test('11.2.19 such a write has the event and the ETag of a create, then those of an update', async () => {
      const fixtures = service().fixtures({})
      await service().settled()
      const socket = await signIn(service(), 'viewer')
      for (const name of ['customerAdded', 'customerChanged']) {
        socket.subscribe(name, `subscription { ${name} { name note } }`)
      }
      await socket.settled()
      for (const [body, expected] of [
        [{ code: 'e {word}', name: 'First', note: 'N' }, [201, 1, 'customerAdded', { name: 'First', note: 'N' }]],
        [{ code: 'e {word}', name: 'Second' }, [200, 2, 'customerChanged', { name: 'Second', note: null }]],
      ] as const) {
        const { status, headers } = await service().send(`PUT ${at}/event%20{word}`, { as: 'viewer', fixtures, body })
        const frame = await socket.next()
        assert.deepEqual([status, versionIn(headers['etag']), frame.id, dataOf(frame)[String(frame.id)]], expected)
      }
      await socket.close()
    })
    test('4.5.13 of many that create one key if it is free, one does', async () => {
      const fixtures = service().fixtures({})
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const body = { code: 'f {word}', name: `N${index}` }
          const sent = { as: 'viewer', fixtures, body, headers: { 'If-None-Match': '*' } } as const
          return (await service().send(`PUT ${at}/free%20{word}`, sent)).status
        }),
      )
      assert.deepEqual(counts(statuses), { 201: 1, 409: 19 })
    })
  },
  { definition: ledger },
)

const User = resource('User', { prefix: 'usr', fields: accountFields, actions: { read: { allow: signedIn } } })
const numbered = { keys: [['serial']], fields: { serial: text({ max: 20 }), name: text({ max: 20 }) } } as const
const create = { allow: signedIn, accept: ['serial', 'name'] } as const
const update = { allow: signedIn, accept: ['name'] } as const
const read = { allow: signedIn }
const Stamp = resource('Stamp', { prefix: 'sta', ...numbered, actions: { read, create } })
const Coin = resource('Coin', { prefix: 'coi', ...numbered, actions: { read, update } })
const Medal = resource('Medal', {
  prefix: 'med',
  ...numbered,
  actions: { read, create: { allow: signedIn, accept: ['name'], set: { serial: '1' } }, update },
})
const Badge = resource('Badge', { prefix: 'bad', ...numbered, actions: { read, create, update } })
const collection = define({ resources: { User, Stamp, Coin, Medal, Badge }, accounts, roles: { ANY: {} } })

withService(
  '11.2 Keys without PUT',
  (service) => {
    test('11.2.19 a key takes PUT only if clients may create and update, and send it to create', async () => {
      const allowed = async (plural: string) =>
        (await service().send(`POST /api/v1/${plural}/by/serial/1`, { body: {} })).headers['allow']
      assert.equal(await allowed('stamps'), 'GET, HEAD, OPTIONS')
      for (const plural of ['coins', 'medals']) assert.equal(await allowed(plural), 'GET, HEAD, PATCH, OPTIONS')
      assert.equal(await allowed('badges'), 'GET, HEAD, PUT, PATCH, OPTIONS')
      const { body } = await service().graphql('{ __schema { mutationType { fields { name } } } }')
      const names = body.data.__schema.mutationType.fields.map(({ name }: { name: string }) => name)
      assert.deepEqual(
        names.filter((name: string) => name.startsWith('upsert')),
        ['upsertBadge', 'upsertBadges'],
      )
    })
  },
  { definition: collection },
)
