// Many records created or replaced by one key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, many, may, member, one, resource, type Service, service, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { ledger } from '../support/domain/ledger.ts'
import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

type Fields = Readonly<Record<string, unknown>>
const stock = {
  Customer: { externalId: 'k {word}', region: 'eu', code: 'c {word}', name: 'Known', note: 'N', owner: '{viewer}' },
}
const inGraphql = ({ external_id, is_hidden, ...rest }: Fields) => ({
  by: { externalId: external_id },
  input: { ...rest, ...(is_hidden === undefined ? {} : { isHidden: is_hidden }) },
})
const upsert = (it: string, customers: readonly Fields[], answer: Expected, more: Partial<Row> = {}): Row => ({
  clause: '11.2.26',
  it,
  as: 'viewer',
  given: { known: stock },
  send: 'POST /api/v2/customers/batch?by=external_id',
  body: { customers },
  also: {
    query: 'mutation ($input: UpsertCustomersInput!) { upsertCustomers(input: $input) { id name code note } }',
    variables: { input: { customers: customers.map(inGraphql) } },
  },
  answer,
  ...more,
})
const fresh = (name: string, more: Fields = {}): Fields => ({
  external_id: `${name} {word}`,
  code: `${name} {word}`,
  name,
  ...more,
})
const restOnly = { also: undefined } as unknown as Partial<Row>
const stored = { external_id: 'k {word}', code: 'c {word}', name: 'Again' }
const untouched = {
  as: 'viewer',
  send: 'GET /api/v2/customers/{known}',
  answer: { status: 200, data: { name: 'Known' }, headers: { etag: /^"1\./ } },
} as const

clauses(
  '11.2 Upserts of many',
  [
    upsert('creates and replaces, in the order of the request', [fresh('b'), stored, fresh('a')], {
      status: 200,
      data: [
        { name: 'b', note: null },
        { name: 'Again', note: null },
        { name: 'a', note: null },
      ],
    }),
    upsert(
      'says how many of both, also when it is repeated',
      [fresh('b'), stored, fresh('a')],
      { status: 200, meta: { created: 2, updated: 1 } },
      {
        ...restOnly,
        headers: { 'X-Idempotency-Key': 'up-{word}' },
        then: [
          {
            as: 'viewer',
            send: 'POST /api/v2/customers/batch?by=external_id',
            headers: { 'X-Idempotency-Key': 'up-{word}' },
            body: { customers: [fresh('b'), stored, fresh('a')] },
            answer: {
              status: 200,
              meta: { created: 2, updated: 1 },
              data: [{ name: 'b' }, { name: 'Again' }, { name: 'a' }],
              headers: { 'idempotent-replayed': 'true' },
            },
          },
        ],
      },
    ),
    upsert(
      'of 100',
      Array.from({ length: 100 }, (_, at) => fresh(`n${at}`)),
      { status: 200 },
    ),
    upsert(
      'not of 101',
      Array.from({ length: 101 }, (_, at) => fresh(`n${at}`)),
      { status: 400, code: 'VALIDATION_ERROR', field: 'customers' },
    ),
    upsert('not of none', [], { status: 400, code: 'VALIDATION_ERROR', field: 'customers' }),
    upsert(
      'by a key of several fields',
      [{ external_id: 's {word}', region: 'us', code: 's {word}', level: 2, name: 'S' }],
      { status: 200, data: [{ name: 'S' }], meta: { created: 1, updated: 0 } },
      { ...restOnly, send: 'POST /api/v2/customers/batch?by=region,code,level' },
    ),
    upsert(
      'by the name that the field has in a version',
      [{ foreign_id: 'k {word}', code: 'c {word}', name: 'Again' }],
      { status: 200, meta: { created: 0, updated: 1 } },
      { ...restOnly, send: 'POST /api/v1/customers/batch?by=foreign_id' },
    ),
    ...['name', 'region,code', 'external_id,region'].map((by) =>
      upsert(
        `not by ${by}`,
        [fresh('a')],
        { status: 400, code: 'VALIDATION_ERROR', field: 'by' },
        { ...restOnly, send: `POST /api/v2/customers/batch?by=${by}` },
      ),
    ),
    upsert(
      'names all that is wrong by its place',
      [fresh('a', { colour: 1 }), { ...stored, level: 'x', code: 7 }, { external_id: 'z {word}', code: 'z' }],
      {
        status: 400,
        code: 'VALIDATION_ERROR',
        fields: ['customers[0].colour', 'customers[1].level', 'customers[1].code', 'customers[2].name'],
      },
      restOnly,
    ),
    upsert(
      'refuses all if a check refuses one',
      [fresh('a'), stored, fresh('Nobody')],
      { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'customers[2]', message: 'Nobody is no customer.' },
      { then: [untouched] },
    ),
    upsert(
      'refuses what only create accepts, if it differs',
      [fresh('a'), { ...stored, is_hidden: true }],
      { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'customers[1].is_hidden' },
      { ...restOnly, then: [untouched] },
    ),
    upsert(
      'checks the rule of update',
      [fresh('a'), stored],
      { status: 403, code: 'FORBIDDEN' },
      {
        as: 'other viewer',
        then: [untouched],
      },
    ),
    upsert(
      'is for those who are signed in',
      [{ x: 1 }],
      { status: 401, code: 'UNAUTHENTICATED' },
      { as: 'anonymous', ...restOnly },
    ),
    upsert(
      'a hidden record has its key',
      [fresh('a'), { ...stored, code: 'o {word}' }],
      { status: 409, code: 'CONFLICT', field: 'customers[1].external_id' },
      { as: 'other viewer', given: { known: { Customer: { ...stock.Customer, isHidden: true } } }, ...restOnly },
    ),
    upsert(
      'a key twice is 400',
      [fresh('a'), stored, fresh('a')],
      { status: 400, code: 'VALIDATION_ERROR', field: 'customers[2].external_id' },
      { clause: '11.2.27', ...restOnly },
    ),
    upsert(
      'the key is needed',
      [fresh('a'), { code: 'x', name: 'X' }],
      { status: 400, code: 'VALIDATION_ERROR', field: 'customers[1].external_id' },
      { clause: '11.2.27', ...restOnly },
    ),
    upsert(
      'a part of it that has a default, too',
      [{ external_id: 's {word}', code: 's {word}', level: 2, name: 'S' }],
      { status: 400, code: 'VALIDATION_ERROR', field: 'customers[0].region' },
      { clause: '11.2.27', ...restOnly, send: 'POST /api/v2/customers/batch?by=region,code,level' },
    ),
    {
      clause: '11.2.27',
      it: 'GraphQL takes one key for all, and each once',
      as: 'viewer',
      also: 'mutation { upsertCustomers(input: { customers: [{ by: { externalId: "a {word}" }, input: { code: "a", name: "A" } }, { by: { region: us, code: "a", level: 1 }, input: { name: "A" } }] }) { id } }',
      answer: { status: 200, code: 'VALIDATION_ERROR', field: 'customers[1].by' },
    },
  ],
  { definition: ledger },
)

const Org = resource('Org', {
  prefix: 'org',
  fields: { name: text({ max: 40 }), memberships: many('Membership', 'org'), teams: many('Team', 'org') },
  members: { list: 'memberships', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Membership = resource('Membership', {
  prefix: 'mem',
  within: 'org',
  fields: { org: one('Org'), user: one('User', { cascade: 'regardless' }), role: choice(['OWNER']) },
  actions: { read: { allow: member('org') } },
})
const Team = resource('Team', {
  prefix: 'team',
  within: 'org',
  fields: { org: one('Org'), name: text({ max: 40 }), seats: many('Seat', 'team') },
  members: { list: 'seats', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Seat = resource('Seat', {
  prefix: 'seat',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['LEAD']) },
  actions: { read: { allow: member('team') } },
})
const Part = resource('Part', {
  prefix: 'part',
  within: 'team',
  fields: { team: one('Team'), sku: text({ max: 40 }), name: text({ max: 40 }) },
  keys: [['sku']],
  actions: {
    read: { allow: member('team') },
    create: { allow: may('create'), accept: ['team', 'sku', 'name'] },
    update: { allow: member('team'), accept: ['name'] },
  },
})
const inTeams = service({
  resources: { User, Org, Membership, Team, Seat, Part },
  accounts,
  roles: { ANY: {} },
  tenantRoles: { Org: { OWNER: 'everything' }, Team: { LEAD: 'everything' } },
} as never) as Service<unknown>
const given = {
  ann: { User: {} },
  org: { Org: { name: 'org' } },
  inOrg: { Membership: { org: '{org}', user: '{ann}', role: 'OWNER' } },
  red: { Team: { org: '{org}', name: 'red' } },
  blue: { Team: { org: '{org}', name: 'blue' } },
  inRed: { Seat: { team: '{red}', user: '{ann}', role: 'LEAD' } },
  inBlue: { Seat: { team: '{blue}', user: '{ann}', role: 'LEAD' } },
} as const
const shuffled = <T>(all: readonly T[], by: number): readonly T[] =>
  all.map((_, at) => all[(at * 3 + by) % all.length]!)

withService(
  '11.2 Upserts of many, two levels deep in tenants',
  (running) => {
    test('11.2.26 twenty imports at once, in other orders, make each record once', async () => {
      const fixtures = running().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name as keyof typeof given)
      const [red, blue] = [await fixtures.idOf('red'), await fixtures.idOf('blue')]
      const parts = [red, blue].flatMap((team) =>
        Array.from({ length: 4 }, (_, at) => ({ team_id: team, sku: `s${at}` })),
      )
      const send = (parts: readonly object[]) =>
        running().send('POST /api/v1/parts/batch?by=sku', { as: '{ann}', fixtures, body: { parts } })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, by) => send(shuffled(parts, by).map((each) => ({ ...each, name: `by ${by}` })))),
      )
      assert.deepEqual(
        answers.map(({ status, text }) => (status === 200 ? 200 : text)),
        answers.map(() => 200),
      )
      const created = answers.map(({ body }) => body.meta.created as number)
      assert.equal(
        created.reduce((sum, each) => sum + each, 0),
        parts.length,
      )
      const { body } = await running().send('GET /api/v1/parts?limit=100', { as: '{ann}', fixtures })
      assert.equal(body.data.length, parts.length)
      // All or none: the last import wrote them all.
      assert.equal(new Set(body.data.map(({ name }: { name: string }) => name)).size, 1)
      running().assertLog()
    })
    test('11.2.27 the tenant is of the key: without it is 400, in another it is 422', async () => {
      const fixtures = running().fixtures({ ...given, ben: { User: {} } })
      for (const name of Object.keys(given)) await fixtures.idOf(name as keyof typeof given)
      const red = await fixtures.idOf('red')
      const send = (as: '{ann}' | '{ben}', part: object) =>
        running().send('POST /api/v1/parts/batch?by=sku', { as, fixtures, body: { parts: [part] } })
      const without = await send('{ann}', { sku: 's', name: 'S' })
      assert.equal(without.status, 400, without.text)
      assert.equal(without.body.error.details[0].field, 'parts[0].team_id')
      const foreign = await send('{ben}', { team_id: red, sku: 's', name: 'S' })
      assert.equal(foreign.status, 422, foreign.text)
      assert.equal(foreign.body.error.details[0].field, 'parts[0].team_id')
    })
  },
  { definition: inTeams, limits: { executionTimeoutMs: 60_000, statementTimeoutMs: 60_000 } },
)
