// Records that code creates or changes by their keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  argument,
  choice,
  counter,
  event,
  integer,
  many,
  member,
  nobody,
  one,
  optional,
  resource,
  service,
  signedIn,
  text,
  through,
  when,
} from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { accounts, User } from '../support/domain/account.ts'
import { startInstance } from '../support/server/instance.ts'
import { withService } from '../support/server/service.ts'

const Organization = resource('Organization', {
  prefix: 'org',
  fields: { memberships: many('Membership', 'organization') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'organization',
  fields: { organization: one('Organization'), user: one('User', { cascade: 'regardless' }), role: choice(['STAFF']) },
  actions: { read: { allow: member('organization') } },
})
/** Hidden from everybody. */
const Customer = resource('Customer', {
  prefix: 'cus',
  fields: {
    externalId: text({ max: 40 }),
    number: counter(),
    name: text({ max: 40 }),
    code: optional(text({ max: 40, unique: true })),
    visits: integer({ default: 0 }),
  },
  keys: [['externalId'], ['number'], { fields: ['name'], where: when({ visits: 1 }) }],
  actions: {
    read: { allow: when({ name: 'shown' }) },
    create: {
      allow: nobody,
      accept: ['externalId', 'name', 'code'],
      check: ({ input }) => input.name !== 'refused' || 'No such name.',
      set: { visits: 1 },
      emit: event('customerCreated'),
    },
    visit: { allow: nobody, set: { visits: ({ record }) => record.visits + 1 } },
  },
})
const Part = resource('Part', {
  prefix: 'prt',
  within: 'organization',
  fields: { organization: one('Organization'), sku: text({ max: 40 }), stock: integer({ default: 0 }) },
  keys: [['sku']],
  actions: { read: { allow: member('organization') } },
})
/** Its tenant is that of its part. */
const Bin = resource('Bin', {
  prefix: 'bin',
  within: 'part',
  fields: { part: one('Part'), label: text({ max: 40 }) },
  keys: [['label']],
  actions: { read: { allow: through('part', member('organization')) } },
})
const Visit = resource('Visit', {
  prefix: 'vis',
  fields: {
    externalId: argument(text({ max: 40 })),
    name: argument(text({ max: 40 })),
    code: argument(optional(text({ max: 40 }))),
    customer: text({ max: 40, default: '-' }),
  },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['externalId', 'name', 'code'],
      effect: async ({ input, records, assign }) => {
        const { name, externalId, code } = input
        const { id } = await records.upsert(Customer, { externalId }, { name, code })
        await records.run(Customer, id, 'visit')
        assign({ customer: id })
      },
    },
  },
})
const Delivery = resource('Delivery', {
  prefix: 'dlv',
  within: 'organization',
  fields: { organization: one('Organization'), sku: argument(text({ max: 40 })), stock: argument(integer()) },
  actions: {
    read: { allow: member('organization') },
    create: {
      allow: member('organization'),
      accept: ['organization', 'sku', 'stock'],
      effect: async ({ input: { organization, sku, stock }, records }) => {
        const { id } = await records.upsert(Part, { sku }, { organization, stock })
        await records.upsert(Bin, { label: sku }, { part: id })
      },
    },
  },
})
const Mistake = resource('Mistake', {
  prefix: 'mis',
  fields: { kind: argument(choice(['counted', 'partial', 'none'])) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['kind'],
      effect: async ({ input: { kind }, records }) => {
        const record = { name: 'A', externalId: 'a' }
        if (kind === 'counted') await records.upsert(Customer, { number: 1 }, record)
        else if (kind === 'partial') await records.upsert(Customer, { name: 'A' }, record)
        // @ts-expect-error it is no key
        else await records.upsert(Customer, { code: 'A' }, record)
      },
    },
  },
})
const definition = service({
  resources: { User, Organization, Membership, Customer, Part, Bin, Visit, Delivery, Mistake },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Organization: { STAFF: {} } },
})

withService(
  '13.3 Upserts in code',
  (service) => {
    const send = async (line: string, body?: object) => {
      const answer = await service().send(line, { as: 'viewer', ...(body === undefined ? {} : { body }) })
      return { status: answer.status, data: answer.body?.data, error: answer.body?.error }
    }
    const visit = (external_id: string, name: string, code: string | null = null) =>
      send('POST /api/v1/visits', { external_id, name, code })
    const customer = async (id: string) => {
      const select = query(`select external_id, name, visits from customers where id = '${id}'`)
      return (await service().store.read(rowsOf(select)))[0]!
    }

    test('13.3.16 a record that nobody has is created, as by its create', async () => {
      const { status, data } = await visit('new', 'First')
      assert.equal(status, 201)
      assert.deepEqual(await customer(data.customer), ['new', 'First', 2])
      const refused = await visit('other', 'refused')
      assert.deepEqual([refused.status, refused.error.message], [422, 'No such name.'])
    })

    test('13.3.16 of one that is there, hidden or not, the fields are changed', async () => {
      const first = await visit('known', 'First')
      const second = await visit('known', 'Second')
      assert.equal(second.data.customer, first.data.customer)
      assert.deepEqual(await customer(first.data.customer), ['known', 'Second', 3])
    })

    test('13.3.16 of 20 at once with one new key, one creates it', async () => {
      const main = service()
      const other = main.engine === 'postgres' ? await startInstance(main, { definition }) : null
      const token = await main.token(await main.fixtures().idOf('viewer'))
      const headers = { Authorization: `Bearer ${token}` }
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const client = at % 2 === 1 && other !== null ? other.client : main.client
          const body = { external_id: 'raced', name: `Name ${at}` }
          const answer = await client.send('POST /api/v1/visits', { headers, body })
          return { status: answer.status, data: answer.body.data }
        }),
      )
      await other?.stop()
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(20).fill(201),
      )
      assert.equal(new Set(answers.map(({ data }) => data.customer)).size, 1)
      assert.equal((await customer(answers[0]!.data.customer))[2], 21)
    })

    test('13.3.16 the service itself does so, 20 times at once', async () => {
      const { asService } = service()
      const of = {
        organization: await service()
          .fixtures({ one: { Organization: {} } })
          .idOf('one'),
      }
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, stock) => asService.records.upsert(Part, { sku: 'X' }, { ...of, stock })),
      )
      assert.equal(new Set(made.map(({ id }) => id)).size, 1)
      const changed = await asService.records.upsert(Part, { sku: 'X' }, { ...of, stock: 7 })
      assert.deepEqual([changed.id, changed.stock], [made[0]!.id, 7])
      assert.equal((await asService.records.get(Part, changed.id)).stock, 7)
      await assert.rejects(asService.records.upsert(Customer, { externalId: 'x' }, { name: 'refused' }), /No such name/)
      // @ts-expect-error it is no key
      await assert.rejects(asService.records.upsert(Part, { stock: 1 }, { ...of, sku: 'Y' }), /is no key/)
    })

    test('13.3.16 another unique value that is taken is a conflict', async () => {
      await visit('one', 'One', 'same')
      const { status, error } = await visit('two', 'Two', 'same')
      assert.deepEqual([status, error.code], [409, 'CONFLICT'])
      assert.match(error.message, /code/)
    })

    test('13.3.16 a key of a tenant is that of the record', async () => {
      const fixtures = service().fixtures({
        one: { Organization: {} },
        two: { Organization: {} },
        first: { Membership: { organization: '{one}', user: '{viewer}', role: 'STAFF' } },
        second: { Membership: { organization: '{two}', user: '{viewer}', role: 'STAFF' } },
      })
      for (const name of ['first', 'second']) await fixtures.idOf(name)
      for (const [name, stock] of [
        ['one', 1],
        ['two', 2],
        ['one', 3],
      ] as const) {
        const body = { organization_id: await fixtures.idOf(name), sku: 'A', stock }
        assert.equal((await send('POST /api/v1/deliveries', body)).status, 201)
      }
      const stocks = []
      for (const name of ['one', 'two']) {
        const { data } = await send(`GET /api/v1/organizations/${await fixtures.idOf(name)}/parts/by/sku/A`)
        stocks.push(data.stock)
        const bin = await send(`GET /api/v1/organizations/${await fixtures.idOf(name)}/bins/by/label/A`)
        assert.deepEqual([bin.status, bin.data?.part_id], [200, data.id])
      }
      assert.deepEqual(stocks, [3, 2])
    })
  },
  { definition },
)

withService(
  '13.3 Upserts that are bugs',
  (service) => {
    test('13.3.16 a counted key, one of some records, and what is no key are bugs', async () => {
      for (const kind of ['counted', 'partial', 'none']) {
        const { status } = await service().send('POST /api/v1/mistakes', { as: 'viewer', body: { kind } })
        assert.equal(status, 500, kind)
      }
    })
  },
  { definition },
)
