// A PUT by key that is sent again: what only create accepts must be what the record has, as far as the caller may read that.

import {
  actor,
  anyOf,
  argument,
  boolean,
  decimal,
  email,
  json,
  many,
  manyToMany,
  nobody,
  one,
  optional,
  own,
  password,
  resource,
  secret,
  service,
  signedIn,
  state,
  text,
  when,
} from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, assets: many('Asset', 'owner') },
  actions: { read: { allow: signedIn } },
})
const Shelf = resource('Shelf', {
  prefix: 'shf',
  plural: 'shelves',
  fields: {
    name: text({ max: 20 }),
    owner: one('User', { cascade: 'regardless' }),
    isOpen: boolean({ default: true }),
  },
  keys: [['name']],
  actions: { read: { allow: anyOf(own('owner'), when({ isOpen: true })) } },
})
const Label = resource('Label', {
  prefix: 'lab',
  fields: { name: text({ max: 20 }), assets: manyToMany('Asset', 'labels') },
  actions: { read: { allow: signedIn } },
})
/** All but its name is said once. */
const Asset = resource('Asset', {
  prefix: 'ast',
  fields: {
    tag: text({ max: 40 }),
    name: text({ max: 40 }),
    status: state('draft', 'shown'),
    price: optional(decimal({ precision: 8, scale: 2 })),
    contact: optional(email()),
    details: optional(json({ maxBytes: 1_000 })),
    cost: optional(text({ max: 20 })),
    pin: optional(secret()),
    lock: optional(password({ min: 4, max: 50 })),
    shelf: optional(one('Shelf')),
    owner: one('User', { cascade: 'regardless', default: actor }),
    labels: manyToMany('Label', 'assets'),
    reason: argument(optional(text({ max: 20 }))),
  },
  keys: [['tag']],
  protect: { cost: { read: nobody } },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['tag', 'name', 'price', 'contact', 'details', 'cost', 'pin', 'lock', 'shelf', 'labels', 'reason'],
      mayFollow: ['show'],
      check: ({ input }) => input.reason !== 'none' || 'There must be a reason.',
    },
    update: { allow: signedIn, accept: ['name'] },
    show: { allow: signedIn, from: 'draft', to: 'shown' },
  },
})
const inventory = service({ resources: { User, Shelf, Label, Asset }, accounts, roles: { ANY: {} } })

const given = {
  ann: { User: {} },
  ben: { User: {} },
  open: { Shelf: { name: 'open {word}', owner: '{ben}' } },
  closed: { Shelf: { name: 'closed {word}', owner: '{ben}', isOpen: false } },
  red: { Label: { name: 'red' } },
  blue: { Label: { name: 'blue' } },
  asset: {
    Asset: {
      tag: 'a {word}',
      name: 'Saw',
      owner: '{ben}',
      price: '1.50',
      contact: 'ann@example.com',
      details: { a: 1, b: [2] },
      cost: 'much',
      shelf: '{open}',
    },
  },
  hidden: { Asset: { tag: 'h {word}', name: 'Saw', owner: '{ben}', shelf: '{closed}' } },
}
type Body = Readonly<Record<string, unknown>>
const put = (it: string, body: Body, answer: Row['answer'], more: Partial<Row> = {}, tag = 'a {word}'): Row => ({
  clause: '11.2.14',
  it,
  as: '{ann}',
  given,
  first: [
    { send: 'GET /api/v1/assets/{asset}', as: '{ann}' },
    { send: 'GET /api/v1/assets/{hidden}', as: '{ann}' },
  ],
  send: `PUT /api/v1/assets/by/tag/${tag.replace(' ', '%20')}`,
  body: { name: 'Saw', ...body },
  also: {
    query: 'mutation ($by: AssetKey!, $input: UpsertAssetInput!) { upsertAsset(by: $by, input: $input) { id name } }',
    variables: { by: { tag }, input: camel({ name: 'Saw', ...body }) },
  },
  answer,
  ...more,
})
/** In GraphQL, no move follows. */
const camel = ({ show: _, ...body }: Body) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name.replace('_id', 'Id').replace('_ids', 'Ids'), value]),
  )
const same = { status: 200, data: { name: 'Saw' } } as const
const differs = (field: string) => ({ status: 422, code: 'BUSINESS_RULE_VIOLATION', field }) as const
const whole = {
  name: 'Drill',
  price: '2.00',
  contact: 'Ben@Example.com',
  details: { deep: [1, { b: 2 }] },
  cost: 'little',
  pin: '1234',
  shelf_id: '{open}',
  label_ids: ['{red}', '{blue}'],
  reason: 'new',
  show: true,
}

clauses(
  '11.2 A PUT that is sent again',
  [
    {
      clause: '11.2.14',
      it: 'with all that create accepts is a replacement that changes nothing else',
      as: '{ann}',
      given,
      first: [
        { as: '{ann}', send: 'GET /api/v1/shelves/{open}' },
        { as: '{ann}', send: 'PUT /api/v1/assets/by/tag/new%20{word}', body: whole, answer: { status: 201 } },
      ],
      send: 'PUT /api/v1/assets/by/tag/new%20{word}',
      body: whole,
      also: {
        query:
          'mutation ($input: UpsertAssetInput!) { upsertAsset(by: { tag: "new {word}" }, input: $input) { name status } }',
        variables: { input: camel(whole) },
      },
      answer: { status: 200, data: { name: 'Drill' } },
    },
    put('leaves out what only create accepts', {}, same),
    put(
      'is compared in the form that is stored',
      { price: '1.5', contact: 'Ann@example.com', details: { b: [2], a: 1 } },
      same,
    ),
    put('may not change a number', { price: '1.60' }, differs('price')),
    put('nor take one away', { price: null }, differs('price')),
    put('nor change what is nested', { details: { a: 1, b: [3] } }, differs('details')),
    put(
      'names all that differ',
      { price: '7', contact: 'x@example.com' },
      {
        status: 422,
        code: 'BUSINESS_RULE_VIOLATION',
        fields: ['price', 'contact'],
      },
    ),
    put('nor change a relation', { shelf_id: '{closed}' }, differs('shelf_id')),
    put('compares a relation by key', { shelf: { name: 'open {word}' } }, same),
    put('and is refused for another one', { shelf: { name: 'other' } }, differs('shelf_id')),
    put(
      'is 400 where it could not be created',
      { price: 'much' },
      { status: 400, code: 'VALIDATION_ERROR', field: 'price' },
    ),
    put(
      'is 400 with what neither accepts',
      { colour: 'red' },
      { status: 400, code: 'VALIDATION_ERROR', field: 'colour' },
      {
        also: undefined as never,
      },
    ),
    put('does not compare what the caller may not read', { cost: 'little' }, same),
    put('nor a relation to what they may not read', { shelf_id: '{open}' }, same, {}, 'h {word}'),
    put(
      'nor secrets, arguments, lists and moves',
      { pin: '4321', lock: 'open sesame', reason: 'other', label_ids: [], show: true },
      same,
      {
        then: [{ as: '{ann}', send: 'GET /api/v1/assets/{asset}', answer: { status: 200, data: { status: 'draft' } } }],
      },
    ),
    put(
      'is refused before that for its version',
      { price: '9' },
      { status: 409, code: 'CONFLICT' },
      {
        headers: { 'If-Match': '"9.0"' },
        also: undefined as never,
      },
    ),
  ],
  { definition: inventory, environment: { DATA_KEY: '07'.repeat(32) } },
)
