// Keys of a tenant's records without the tenant: only an API key of that tenant may leave it out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiKey,
  anyOf,
  choice,
  integer,
  many,
  may,
  member,
  one,
  resource,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { type TestService, withService } from '../support/server/service.ts'

const Company = resource('Company', {
  prefix: 'com',
  fields: { name: text({ max: 40 }), seats: many('Seat', 'company') },
  members: { list: 'seats', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Seat = resource('Seat', {
  prefix: 'seat',
  within: 'company',
  fields: { company: one('Company'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER', 'GUEST']) },
  actions: { read: { allow: member('company') } },
})
const Customer = resource('Customer', {
  prefix: 'cus',
  within: 'company',
  fields: {
    company: one('Company'),
    externalId: text({ max: 60 }),
    name: text({ max: 40 }),
    status: state('open', 'closed'),
    orders: many('Order', 'customer'),
  },
  keys: [['externalId']],
  actions: {
    read: { allow: member('company') },
    create: { allow: may('create'), accept: ['company', 'externalId', 'name'] },
    update: { allow: may('edit'), accept: ['name'] },
    shut: { allow: may('edit'), from: 'open', to: 'closed' },
    delete: { allow: may('delete') },
  },
})
const Order = resource('Order', {
  prefix: 'ord',
  within: 'customer',
  fields: { customer: one('Customer', { cascade: 'regardless' }), number: integer({ min: 1 }) },
  actions: { read: { allow: signedIn }, create: { allow: may('create'), accept: ['customer', 'number'] } },
})
const Team = resource('Team', {
  prefix: 'team',
  within: 'company',
  fields: { company: one('Company'), name: text({ max: 40 }), places: many('Place', 'team') },
  members: { list: 'places', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Place = resource('Place', {
  prefix: 'plc',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['LEAD']) },
  actions: { read: { allow: member('team') } },
})
const Task = resource('Task', {
  prefix: 'tsk',
  within: 'team',
  fields: { team: one('Team'), code: text({ max: 40 }), title: text({ max: 40, default: 'none' }) },
  keys: [['code']],
  actions: {
    read: { allow: anyOf(member('team'), may('read')) },
    create: { allow: may('create'), accept: ['team', 'code', 'title'] },
    update: { allow: may('edit'), accept: ['title'] },
  },
})

const definition = service({
  resources: { ApiKey, User, Company, Seat, Customer, Order, Team, Place, Task },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Company: { OWNER: 'everything', GUEST: {} }, Team: { LEAD: 'everything' } },
})

async function begin(running: TestService) {
  const word = crypto.randomUUID().slice(0, 8)
  const fixtures = running.fixtures({
    ann: { User: {} },
    ben: { User: {} },
    one: { Company: { name: 'One' } },
    two: { Company: { name: 'Two' } },
    owns: { Seat: { company: '{one}', user: '{ann}', role: 'OWNER' } },
    ownsTwo: { Seat: { company: '{two}', user: '{ann}', role: 'OWNER' } },
    team: { Team: { company: '{one}', name: 'Team' } },
    leads: { Place: { team: '{team}', user: '{ann}', role: 'LEAD' } },
    mine: { Customer: { company: '{one}', externalId: word, name: 'mine' } },
    other: { Customer: { company: '{two}', externalId: word, name: 'other' } },
    order: { Order: { customer: '{mine}', number: 1 } },
    otherOrder: { Order: { customer: '{other}', number: 2 } },
    task: { Task: { team: '{team}', code: word } },
  })
  const ids = Object.fromEntries(
    await Promise.all(
      (['one', 'two', 'team', 'mine', 'other', 'task'] as const).map(async (name) => [name, await fixtures.idOf(name)]),
    ),
  ) as Record<'one' | 'two' | 'team' | 'mine' | 'other' | 'task', string>
  const send = async (line: string, headers: Record<string, string>, body?: object) => {
    const sent = { fixtures, headers, ...(body === undefined ? {} : { body }) }
    const answer = await running.send(line, { as: 'anonymous', ...sent })
    return { status: answer.status, headers: answer.headers, ...answer.body }
  }
  const ask = async (query: string, headers: Record<string, string>) =>
    (await running.graphql(query, { as: 'anonymous', fixtures, headers })).body
  const account = { Authorization: `Bearer ${await running.token(await fixtures.idOf('ann'))}` }
  await fixtures.idOf('leads')
  await fixtures.idOf('owns')
  await fixtures.idOf('ownsTwo')
  for (const name of ['order', 'otherOrder'] as const) await fixtures.idOf(name)
  const keyOf = async (more: object) => {
    const { status, data, error } = await send('POST /api/v1/api-keys', account, { name: 'K', scopes: ['*'], ...more })
    assert.equal(status, 201, JSON.stringify(error))
    return { 'X-API-Key': data.key as string }
  }
  return { word, ids, send, ask, account, keyOf, fixtures }
}

withService(
  '11.2 keys without their tenant',
  (running) => {
    test('11.2.32 for an API key of the tenant, the address without it is that of the record in it', async () => {
      const { word, ids, send, ask, keyOf } = await begin(running())
      const at = `/api/v1/customers/by/external_id/${word}`
      const [one, two] = [
        await keyOf({ company_id: ids.one, role: 'OWNER' }),
        await keyOf({ company_id: ids.two, role: 'OWNER' }),
      ]
      for (const [key, id, number] of [
        [one, ids.mine, 1],
        [two, ids.other, 2],
      ] as const) {
        assert.equal((await send(`GET ${at}`, key)).data.id, id)
        const orders = await send(`GET ${at}/orders`, key)
        assert.deepEqual(
          orders.data.map((each: { number: number }) => each.number),
          [number],
        )
        const { data } = await ask(`{ customerByExternalId(externalId: "${word}") { id } }`, key)
        assert.equal(data.customerByExternalId.id, id)
      }
      assert.equal((await send(`PATCH ${at}`, one, { name: 'new', company_id: ids.two })).status, 400)
      assert.equal((await send(`PATCH ${at}`, one, { name: 'new' })).data.name, 'new')
      assert.equal((await send(`POST ${at}/shut`, one)).data.status, 'closed')
      const update = `mutation { updateCustomer(by: { externalId: "${word}" }, input: { name: "newer" }) { id name } }`
      assert.deepEqual((await ask(update, one)).data.updateCustomer, { id: ids.mine, name: 'newer' })
      assert.deepEqual((await send(`GET ${at}`, two)).data.name, 'other')
      assert.equal((await send(`DELETE ${at}`, one)).status, 204)
      assert.equal((await send(`GET ${at}`, one)).status, 404)
      assert.equal((await send(`GET ${at}`, two)).status, 200)
    })

    test('11.2.32 such a key creates and replaces in its tenant', async () => {
      const { word, ids, send, ask, keyOf } = await begin(running())
      const key = await keyOf({ company_id: ids.one, role: 'OWNER' })
      const at = '/api/v1/customers/by/external_id'
      const created = await send(`PUT ${at}/n${word}`, key, { name: 'made' })
      assert.deepEqual([created.status, created.data.company_id], [201, ids.one])
      assert.equal((await send(`PUT ${at}/n${word}`, key, { name: 'again' })).status, 200)
      assert.equal((await send(`PUT ${at}/o${word}`, key, { name: 'x', company_id: ids.two })).status, 400)
      const upsert = `mutation { upsertCustomer(by: { externalId: "g${word}" }, input: { name: "g" }) { company { id } } }`
      assert.deepEqual((await ask(upsert, key)).data.upsertCustomer, { company: { id: ids.one } })
      const customers = [
        { external_id: `n${word}`, name: 'b' },
        { external_id: `b${word}`, name: 'b' },
      ]
      const batch = await send('POST /api/v1/customers/batch?by=external_id', key, { customers })
      assert.deepEqual(batch.meta, { created: 1, updated: 1 })
      const many = `mutation { upsertCustomers(input: { customers: [{ by: { externalId: "b${word}" }, input: { name: "c" } }] }) { name company { id } } }`
      assert.deepEqual((await ask(many, key)).data.upsertCustomers, [{ name: 'c', company: { id: ids.one } }])
    })

    test('11.2.32 for every other caller it is 404, and 400 in GraphQL', async () => {
      const { word, ids, send, ask, account, keyOf } = await begin(running())
      const at = `/api/v1/customers/by/external_id/${word}`
      const callers = [account, await keyOf({}), await keyOf({ company_id: ids.one })]
      for (const caller of callers) {
        for (const [line, body] of [
          [`GET ${at}`],
          [`GET ${at}/orders`],
          [`PATCH ${at}`, { name: 'x' }],
          [`DELETE ${at}`],
          [`POST ${at}/shut`],
          [`PUT ${at}`, { name: 'x' }],
          [`PUT ${at}n`, { name: 'x' }],
        ] as const) {
          const { status, error } = await send(line, caller, body)
          assert.deepEqual([line, status, error.code], [line, 404, 'NOT_FOUND'])
        }
        const { errors } = await ask(`{ customerByExternalId(externalId: "${word}") { id } }`, caller)
        assert.deepEqual(
          [errors[0].extensions.code, errors[0].extensions.details[0].field],
          ['VALIDATION_ERROR', 'companyId'],
        )
        const withTenant = await ask(
          `{ customerByExternalId(companyId: "${ids.one}", externalId: "${word}") { id } }`,
          caller,
        )
        assert.equal(withTenant.data.customerByExternalId.id, ids.mine)
      }
      for (const mutation of [
        `updateCustomer(by: { externalId: "${word}" }, input: { name: "x" }) { id }`,
        `upsertCustomer(by: { externalId: "${word}" }, input: { name: "x" }) { id }`,
        `upsertCustomers(input: { customers: [{ by: { externalId: "${word}" }, input: { name: "x" } }] }) { id }`,
      ]) {
        const { errors } = await ask(`mutation { ${mutation} }`, account)
        assert.equal(errors[0].extensions.code, 'VALIDATION_ERROR', mutation)
      }
      const body = { customers: [{ external_id: word, name: 'x' }] }
      assert.equal((await send('POST /api/v1/customers/batch?by=external_id', account, body)).status, 400)
      assert.equal((await send(`GET ${at}`, {})).status, 401)
    })

    test('11.2.32 a key of an outer tenant finds no key that counts in an inner one, and the inner one does', async () => {
      const { word, ids, send, ask, keyOf } = await begin(running())
      const at = `/api/v1/tasks/by/code/${word}`
      const [outer, inner] = [
        await keyOf({ company_id: ids.one, role: 'OWNER' }),
        await keyOf({ team_id: ids.team, role: 'LEAD' }),
      ]
      assert.equal((await send(`GET /api/v1/teams/${ids.team}/tasks/by/code/${word}`, inner)).data.id, ids.task)
      assert.deepEqual([(await send(`GET ${at}`, outer)).status, (await send(`GET ${at}`, inner)).status], [404, 200])
      const query = `{ taskByCode(code: "${word}") { id } }`
      assert.equal((await ask(query, outer)).errors[0].extensions.code, 'VALIDATION_ERROR')
      assert.deepEqual((await ask(query, inner)).data.taskByCode, { id: ids.task })
      assert.equal((await send(`PUT ${at}n`, inner, {})).data.team_id, ids.team)
    })

    test('11.2.33 such a key leaves out the tenant of a record that a new one is within, and others send it', async () => {
      const { word, ids, send, ask, account, keyOf } = await begin(running())
      const key = await keyOf({ company_id: ids.one, role: 'OWNER' })
      const order = (caller: Record<string, string>, more: object = {}) =>
        send('POST /api/v1/orders', caller, { customer: { external_id: word, ...more }, number: 3 })
      const made = await order(key)
      assert.deepEqual([made.status, made.data.customer_id, made.data.company_id], [201, ids.mine, ids.one])
      const create = (more: string) =>
        `mutation { createOrder(input: { customer: { externalId: "${word}"${more} }, number: 4 }) { customer { id } } }`
      assert.deepEqual((await ask(create(''), key)).data.createOrder, { customer: { id: ids.mine } })
      const orders = [word, word].map((external_id) => ({ customer: { external_id }, number: 5 }))
      assert.equal((await send('POST /api/v1/orders/batch', key, { orders })).meta.created, 2)
      for (const caller of [account, await keyOf({}), await keyOf({ company_id: ids.one })]) {
        const { status, error } = await order(caller)
        assert.deepEqual([status, error.details[0].field], [400, 'customer.company_id'])
        const { errors } = await ask(create(''), caller)
        assert.equal(errors[0].extensions.details[0].field, 'customer.companyId')
        assert.equal((await order(caller, { company_id: ids.one })).data.customer_id, ids.mine)
      }
      const whole = await ask(create(`, companyId: "${ids.two}"`), account)
      assert.deepEqual(whole.data.createOrder, { customer: { id: ids.other } })
    })

    test('11.2.33, 5.7.1 a tenant that the caller is no member of is as one without such a record', async () => {
      const { word, ids, send, ask, keyOf, fixtures } = await begin(running())
      const ben = { Authorization: `Bearer ${await running().token(await fixtures.idOf('ben'))}` }
      const key = await keyOf({ company_id: ids.two, role: 'OWNER' })
      for (const caller of [ben, key]) {
        const answers = []
        for (const external_id of [word, `no${word}`])
          for (const company_id of [ids.one, `com_${'0'.repeat(26)}`]) {
            const customer = { external_id, company_id }
            const { status, error } = await send('POST /api/v1/orders', caller, { customer, number: 3 })
            const query = `mutation { createOrder(input: { customer: { externalId: "${external_id}", companyId: "${company_id}" }, number: 3 }) { id } }`
            const { errors } = await ask(query, caller)
            answers.push(JSON.stringify([status, error.code, error.details, errors[0].extensions.code]))
          }
        assert.equal(new Set(answers).size, 1, answers.join('\n'))
        assert.match(answers[0]!, /^\[422,"BUSINESS_RULE_VIOLATION",\[\{"field":"customer"/)
      }
    })

    test('11.2.32 no cache shares it: answers are private, and no ETag is that of another tenant', async () => {
      const { word, ids, send, keyOf } = await begin(running())
      const at = `/api/v1/customers/by/external_id/${word}`
      const [one, two] = [
        await keyOf({ company_id: ids.one, role: 'OWNER' }),
        await keyOf({ company_id: ids.two, role: 'OWNER' }),
      ]
      const [first, second] = [await send(`GET ${at}`, one), await send(`GET ${at}`, two)]
      assert.equal(first.headers['cache-control'], 'private, no-cache')
      assert.match(first.headers.vary!, /Authorization, X-API-Key/)
      assert.notEqual(first.headers.etag, second.headers.etag)
      const again = await send(`GET ${at}`, { ...two, 'If-None-Match': first.headers.etag! })
      assert.equal(again.status, 200)
      const list = await send(`GET ${at}/orders?limit=1`, one)
      assert.equal(list.headers['cache-control'], 'private, no-cache')
    })

    test('11.2.32 documents have the addresses, and the argument is optional', async () => {
      const { ask, account } = await begin(running())
      const document = (await running().client.send('GET /api/v1/openapi.json')).body
      const { get, put } = document.paths['/api/v1/customers/by/external_id/{external_id}']
      assert.equal(get.operationId, 'getCustomerByExternalIdInOwnTenant')
      assert.equal(put.operationId, 'upsertCustomerByExternalIdInOwnTenant')
      const operations = Object.values<Record<string, { operationId?: string }>>(document.paths).flatMap((each) =>
        Object.values(each).flatMap(({ operationId }) => operationId ?? []),
      )
      assert.equal(new Set(operations).size, operations.length)
      const query = '{ __type(name: "Query") { fields { name args { name type { kind } } } } }'
      const { data } = await ask(query, account)
      const field = data.__type.fields.find(({ name }: { name: string }) => name === 'customerByExternalId')
      assert.deepEqual(
        field.args.map(({ name, type }: { name: string; type: { kind: string } }) => [name, type.kind]),
        [
          ['companyId', 'SCALAR'],
          ['externalId', 'NON_NULL'],
        ],
      )
    })
  },
  { definition },
)
