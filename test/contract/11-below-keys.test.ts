// Lists and actions of a record that is named by a key.

import {
  choice,
  integer,
  is,
  many,
  member,
  one,
  resource,
  type Service,
  service,
  signedIn,
  state,
  text,
  through,
  when,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'

const Shop = resource('Shop', {
  prefix: 'shp',
  fields: { slug: text({ max: 40 }), seats: many('Seat', 'shop') },
  keys: [['slug']],
  members: { list: 'seats', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Seat = resource('Seat', {
  prefix: 'sea',
  within: 'shop',
  fields: { shop: one('Shop'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER']) },
  actions: { read: { allow: member('shop') } },
})
const Plan = resource('Plan', {
  prefix: 'pln',
  fields: {
    externalId: text({ max: 60 }),
    region: text({ max: 10 }),
    code: text({ max: 60 }),
    status: state('open', 'closed'),
    reason: text({ max: 40, default: 'none' }),
    items: many('Item', 'plan'),
  },
  keys: [['externalId'], ['region', 'code']],
  actions: {
    read: { allow: when({ status: 'open' }) },
    update: { allow: signedIn, accept: ['reason'] },
    terminate: { allow: signedIn, accept: ['reason'], from: 'open', to: 'closed' },
    delete: { allow: signedIn },
  },
})
const Item = resource('Item', {
  prefix: 'itm',
  fields: { plan: one('Plan', { cascade: 'regardless' }), position: integer({ min: 1 }) },
  filter: { position: is },
  actions: { read: { allow: signedIn } },
})
const Part = resource('Part', {
  prefix: 'prt',
  within: 'shop',
  fields: { shop: one('Shop'), sku: text({ max: 40 }), stock: integer({ default: 0 }), lots: many('Lot', 'part') },
  keys: [['sku']],
  actions: {
    read: { allow: member('shop') },
    recount: { allow: member('shop'), accept: ['stock'] },
  },
})
const Lot = resource('Lot', {
  prefix: 'lot',
  within: 'part',
  fields: { part: one('Part'), label: text({ max: 40 }) },
  actions: { read: { allow: through('part', member('shop')) } },
})
const definition = service({
  resources: { User, Shop, Seat, Plan, Item, Part, Lot },
  accounts,
  roles: { ANY: {} },
} as never) as Service<unknown>

const given = {
  ann: { User: {} },
  ben: { User: {} },
  plan: { Plan: { externalId: 's/1 {word}', region: 'eu', code: 'c {word}' } },
  first: { Item: { plan: '{plan}', position: 1 } },
  second: { Item: { plan: '{plan}', position: 2 } },
  closed: { Plan: { externalId: 'closed {word}', region: 'eu', code: 'x {word}', status: 'closed' } },
  shop: { Shop: { slug: 'shop {word}' } },
  seat: { Seat: { shop: '{shop}', user: '{ann}', role: 'OWNER' } },
  part: { Part: { shop: '{shop}', sku: 'p {word}' } },
  lot: { Lot: { part: '{part}', label: 'L' } },
} as const
const row = (clause: Row['clause'], it: string, send: string, answer: Row['answer'], more: Partial<Row> = {}): Row => ({
  clause,
  it,
  as: '{ann}',
  given,
  send,
  answer,
  ...more,
})
const at = '/api/v1/plans/by/external_id/s%2F1%20{word}'
const inShop = '/api/v1/shops/{shop}/parts/by/sku/p%20{word}'
const missing = { status: 404, code: 'NOT_FOUND' } as const

clauses(
  '11.2 Below keys',
  [
    row('11.2.28', 'a list', `GET ${at}/items?sort=created_at`, {
      status: 200,
      data: [{ position: 1 }, { position: 2 }],
    }),
    row('11.2.28', 'with its parameters', `GET ${at}/items?position=2&limit=5`, {
      status: 200,
      data: [{ position: 2 }],
    }),
    row('11.2.28', 'below a key of several fields', 'GET /api/v1/plans/by/code/c%20{word}/region/eu/items', {
      status: 200,
    }),
    row('11.2.28', 'a list in a tenant', `GET ${inShop}/lots`, { status: 200, data: [{ label: 'L' }] }),
    row('11.2.28', 'a list of a tenant', 'GET /api/v1/shops/by/slug/shop%20{word}/seats', {
      status: 200,
      data: [{ role: 'OWNER' }],
    }),
    row('11.2.28', 'a list of a hidden record', 'GET /api/v1/plans/by/external_id/closed%20{word}/items', missing),
    row('11.2.28', 'a list of no record', 'GET /api/v1/plans/by/external_id/none/items', missing),
    row('11.2.28', 'a list in a tenant of others', `GET ${inShop}/lots`, missing, { as: '{ben}' }),
    row('11.2.28', 'no such list', `GET ${at}/parts`, missing),
    row(
      '11.2.28',
      'an action',
      `POST ${at}/terminate`,
      { status: 200, data: { status: 'closed', reason: 'over' } },
      {
        body: { reason: 'over' },
        also: 'mutation { terminatePlan(by: { externalId: "s/1 {word}" }, input: { reason: "over" }) { status reason } }',
      },
    ),
    row(
      '11.2.28',
      'an action in a tenant',
      `POST ${inShop}/recount`,
      { status: 200, data: { stock: 7 } },
      {
        body: { stock: 7 },
        also: 'mutation { recountPart(by: { shopId: "{shop}", sku: "p {word}" }, input: { stock: 7 }) { stock } }',
      },
    ),
    row('11.2.28', 'an action on no record', '/api/v1', missing, {
      send: 'POST /api/v1/plans/by/external_id/none/terminate',
      body: { reason: 'over' },
      also: 'mutation { terminatePlan(by: { externalId: "none" }, input: { reason: "over" }) { status } }',
    }),
    row('11.2.28', 'an action in a tenant of others', `POST ${inShop}/recount`, missing, {
      as: '{ben}',
      body: { stock: 7 },
      also: 'mutation { recountPart(by: { shopId: "{shop}", sku: "p {word}" }, input: { stock: 7 }) { stock } }',
    }),
    row(
      '11.2.28',
      'only in its version',
      `POST ${at}/terminate`,
      { status: 409, code: 'CONFLICT' },
      {
        headers: { 'If-Match': '"7.0"' },
        body: { reason: 'over' },
      },
    ),
    ...(
      [
        [
          'update',
          'updatePlan(by: { externalId: "s/1 {word}" }, input: { reason: "R" }) { reason }',
          { status: 200, data: { reason: 'R' } },
        ],
        [
          'another key',
          'updatePlan(by: { region: "eu", code: "c {word}" }, input: { reason: "R" }) { reason }',
          { status: 200 },
        ],
        ['delete', 'deletePlan(by: { externalId: "s/1 {word}" })', { status: 200 }],
        [
          'neither',
          'updatePlan(input: { reason: "R" }) { reason }',
          { status: 200, code: 'VALIDATION_ERROR', field: 'id' },
        ],
        [
          'both',
          'updatePlan(id: "{plan}", by: { externalId: "x" }, input: { reason: "R" }) { reason }',
          { status: 200, code: 'VALIDATION_ERROR', field: 'by' },
        ],
        ['half a key', 'deletePlan(by: { region: "eu" })', { status: 200, code: 'VALIDATION_ERROR', field: 'by' }],
      ] as const
    ).map(
      ([it, field, answer]): Row => ({
        clause: '11.2.28',
        it: `GraphQL: ${it}`,
        as: '{ann}',
        given,
        also: `mutation { ${field} }`,
        answer,
      }),
    ),
  ],
  { definition },
)
