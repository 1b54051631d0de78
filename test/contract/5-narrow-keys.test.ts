// API keys without `read` of what a write names: no list and no key of a record tells them anything. Ids need no scope.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiKey, anyone, is, many, manyToMany, one, optional, resource, service, signedIn, text } from 'duet-api'
import { User as Account, accounts } from '../support/domain/account.ts'
import { type TestService, withService } from '../support/server/service.ts'

const Label = resource('Label', {
  prefix: 'lbl',
  fields: { name: text({ max: 40 }), orders: manyToMany('Order', 'labels') },
  actions: { read: { allow: anyone }, create: { allow: signedIn, accept: ['name'] } },
})
const Customer = resource('Customer', {
  prefix: 'cus',
  fields: { code: text({ max: 40 }), name: text({ max: 40 }), orders: many('Order', 'customer') },
  keys: [['code']],
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['code', 'name'] },
    update: { allow: signedIn, accept: ['name'] },
    delete: { allow: signedIn },
    greet: { allow: signedIn, set: { name: 'greeted' } },
  },
})
const Order = resource('Order', {
  prefix: 'ord',
  fields: {
    name: text({ max: 40 }),
    customer: optional(one('Customer')),
    lines: many('Line', 'order'),
    labels: manyToMany('Label', 'orders'),
  },
  filter: { name: is },
  where: ['name'],
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['name', 'customer', 'lines', 'labels'] },
    update: { allow: signedIn, accept: ['name', 'customer', 'lines', 'labels'] },
    hand: { allow: signedIn, accept: ['customer'] },
  },
})
const Line = resource('Line', {
  prefix: 'line',
  fields: {
    order: one('Order', { cascade: 'regardless' }),
    name: text({ max: 40 }),
    payer: optional(one('Customer')),
    parts: many('Part', 'line'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['order', 'name', 'payer', 'parts'] },
    update: { allow: signedIn, accept: ['name', 'payer', 'parts'] },
    delete: { allow: signedIn },
  },
})
const Part = resource('Part', {
  prefix: 'part',
  fields: { line: one('Line', { cascade: 'regardless' }), name: text({ max: 40 }) },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['line', 'name'] },
    update: { allow: signedIn, accept: ['name'] },
    delete: { allow: signedIn },
  },
})
const definition = service({
  resources: { User: Account, ApiKey, Label, Customer, Order, Line, Part },
  accounts,
  roles: { ANY: {} },
})

/** Everything that a write does, and reading what the test looks at. */
const allBut = (...but: readonly string[]) =>
  ['labels', 'customers', 'orders', 'lines', 'parts'].flatMap((path) =>
    ['read', 'create', 'update', 'delete', 'greet', 'hand']
      .map((verb) => `${verb}:${path}`)
      .filter((scope) => !but.includes(scope) && isScope(scope)),
  )
const isScope = (scope: string): boolean =>
  !/^(greet:(?!customers)|hand:(?!orders)|delete:(labels|orders)|update:labels)/.test(scope)

async function begin(service: TestService) {
  const fixtures = service.fixtures({
    ann: { User: {} },
    order: { Order: { name: 'o-{word}' } },
    line: { Line: { order: '{order}', name: 'L' } },
    part: { Part: { line: '{line}', name: 'P' } },
    label: { Label: { name: 'red' } },
    customer: { Customer: { code: 'c-{word}', name: 'C' } },
  })
  for (const name of ['line', 'part', 'label', 'customer']) await fixtures.idOf(name)
  const linked = { as: '{ann}', fixtures, body: { label_ids: ['{label}'] } } as const
  assert.equal((await service.send('PATCH /api/v1/orders/{order}', linked)).status, 200)
  const keyOf = async (scopes: readonly string[]) => {
    const { body } = await service.send('POST /api/v1/api-keys', { as: '{ann}', fixtures, body: { name: 'K', scopes } })
    return body.data.key as string
  }
  /** All that the writes here could change. */
  const stored = async () =>
    JSON.stringify(await service.tables('orders', 'lines', 'parts', 'customers', 'labels_orders'))
  return { fixtures, keyOf, stored }
}

interface Case {
  readonly it: string
  readonly lacks: string
  readonly line: string
  readonly body?: object
  /** The same by GraphQL, where it has that. */
  readonly mutation?: string
}
const order = '/api/v1/orders/{order}'
const cases: readonly Case[] = [
  {
    it: 'an empty list of links',
    lacks: 'read:labels',
    line: `PATCH ${order}`,
    body: { label_ids: [] },
    mutation: 'updateOrder(id: "{order}", input: { labelIds: [] }) { id }',
  },
  {
    it: 'a list of links of a new record',
    lacks: 'read:labels',
    line: 'POST /api/v1/orders',
    body: { name: 'N', label_ids: ['lbl_unknown'] },
    mutation: 'createOrder(input: { name: "N", labelIds: ["lbl_unknown"] }) { id }',
  },
  {
    it: 'an empty list of children',
    lacks: 'read:lines',
    line: `PATCH ${order}`,
    body: { lines: [] },
    mutation: 'updateOrder(id: "{order}", input: { lines: [] }) { id }',
  },
  {
    it: 'a list of children in a form that is wrong',
    lacks: 'read:lines',
    line: `PUT ${order}`,
    body: { name: 5, lines: [{ id: '{line}' }] },
    mutation: 'updateOrder(id: "{order}", input: { name: "", lines: [{ id: "{line}" }] }) { id }',
  },
  {
    it: 'children of a new record',
    lacks: 'read:lines',
    line: 'POST /api/v1/orders',
    body: { name: 'N', lines: [{ name: 'L' }] },
    mutation: 'createOrder(input: { name: "N", lines: [{ name: "L" }] }) { id }',
  },
  {
    it: 'children of children',
    lacks: 'read:parts',
    line: `PATCH ${order}`,
    body: { lines: [{ id: '{line}', parts: [] }] },
    mutation: 'updateOrder(id: "{order}", input: { lines: [{ id: "{line}", parts: [] }] }) { id }',
  },
  {
    it: 'children in a batch',
    lacks: 'read:lines',
    line: 'POST /api/v1/orders/batch',
    body: { orders: [{ name: 'N' }, { name: 'M', lines: [{ name: 'L' }] }] },
    mutation: 'createOrders(input: { orders: [{ name: "N" }, { name: "M", lines: [{ name: "L" }] }] }) { id }',
  },
  {
    it: 'links of many records',
    lacks: 'read:labels',
    line: 'PATCH /api/v1/orders',
    body: { ids: ['{order}'], label_ids: [] },
    mutation: 'updateOrders(input: { ids: ["{order}"], set: { labelIds: [] } }) { id }',
  },
  {
    it: 'links of records by a condition',
    lacks: 'read:labels',
    line: `PATCH /api/v1/orders?where=${encodeURIComponent('name = "o-')}{word}${encodeURIComponent('"')}`,
    body: { label_ids: [] },
    mutation: 'updateOrdersWhere(input: { where: { name: { eq: "o-{word}" } }, set: { labelIds: [] } }) { count }',
  },
  {
    it: 'a key instead of an id',
    lacks: 'read:customers',
    line: `PATCH ${order}`,
    body: { customer: { code: 'c-{word}' } },
    mutation: 'updateOrder(id: "{order}", input: { customer: { code: "c-{word}" } }) { id }',
  },
  {
    it: 'a key of no record, in a child',
    lacks: 'read:customers',
    line: 'POST /api/v1/orders',
    body: { name: 'N', lines: [{ name: 'L', payer: { code: 'unknown' } }] },
    mutation: 'createOrder(input: { name: "N", lines: [{ name: "L", payer: { code: "unknown" } }] }) { id }',
  },
  {
    it: 'a key in a move',
    lacks: 'read:customers',
    line: `POST ${order}/hand`,
    body: { customer: { code: 'unknown' } },
    mutation: 'handOrder(id: "{order}", input: { customer: { code: "unknown" } }) { id }',
  },
  ...['c-{word}', 'unknown'].flatMap((code): readonly Case[] => [
    {
      it: `a change of what a key names, ${code}`,
      lacks: 'read:customers',
      line: `PATCH /api/v1/customers/by/code/${code}`,
      body: { name: 'N' },
    },
    {
      it: `a delete of what a key names, ${code}`,
      lacks: 'read:customers',
      line: `DELETE /api/v1/customers/by/code/${code}`,
    },
    {
      it: `an upsert, ${code}`,
      lacks: 'read:customers',
      line: `PUT /api/v1/customers/by/code/${code}`,
      body: { name: 'N' },
      mutation: `upsertCustomer(by: { code: "${code}" }, input: { name: "N" }) { id }`,
    },
  ]),
]

withService(
  '5.3 keys that may not read what they write',
  (running) => {
    for (const { it, lacks, line, body, mutation } of cases)
      test(`5.3.11 without ${lacks}: ${it}`, async () => {
        const { fixtures, keyOf, stored } = await begin(running())
        const headers = { 'X-API-Key': await keyOf(allBut(lacks)) }
        const before = await stored()
        const answer = await running().send(line, { fixtures, headers, ...(body === undefined ? {} : { body }) })
        const { code, message } = answer.body.error
        assert.deepEqual([answer.status, code], [403, 'INSUFFICIENT_SCOPE'], answer.text)
        assert.equal(message, `This needs the scope ${lacks}.`)
        if (mutation !== undefined) {
          const graphql = await running().graphql(`mutation { ${mutation} }`, { fixtures, headers })
          assert.equal(graphql.body.errors?.[0].extensions.code, 'INSUFFICIENT_SCOPE', graphql.text)
        }
        assert.equal(await stored(), before)
        // With the scope, it is done, or refused for another reason.
        const whole = { 'X-API-Key': await keyOf(allBut()) }
        const done = await running().send(line, { fixtures, headers: whole, ...(body === undefined ? {} : { body }) })
        assert.notEqual(done.status, 403, done.text)
      })

    test('5.3.11 an id in a relation needs no scope, and nothing that is not sent does', async () => {
      const { fixtures, keyOf } = await begin(running())
      const scopes = ['create:orders', 'update:orders', 'read:orders', 'create:lines']
      const headers = { 'X-API-Key': await keyOf(scopes) }
      const send = (line: string, body: object) => running().send(line, { fixtures, headers, body })
      assert.equal((await send('POST /api/v1/orders', { name: 'N', customer_id: '{customer}' })).status, 201)
      assert.equal((await send(`PATCH ${order}`, { customer_id: '{customer}' })).status, 200)
      assert.equal((await send(`PUT ${order}`, { name: 'New' })).status, 200)
      assert.equal((await send('POST /api/v1/lines', { order_id: '{order}', name: 'L' })).status, 201)
    })
  },
  { definition },
)
