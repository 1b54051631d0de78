// That the types of `duet types` are those of what a service answers: real answers are values of them, and with a value of
// another type in place of any field they are not.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  actor,
  argument,
  bigint,
  boolean,
  choice,
  counter,
  date,
  decimal,
  email,
  float,
  integer,
  json,
  list,
  many,
  object,
  one,
  optional,
  own,
  password,
  resource,
  secret,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
  token,
  url,
  uuid,
} from 'duet-api'
import { printTypes } from '../../src/command/verb/types.ts'
import { office } from '../support/client/office.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'
import { checkTypes } from '../support/process/built-package.ts'
import { type TestService, withService } from '../support/server/service.ts'

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
const kinds = {
  text: text({ max: 60 }),
  site: url(),
  count: integer(),
  isOpen: boolean(),
  word: choice(['one', 'two']),
  rank: choice(['LOW', 'HIGH'], { ordered: true }),
  free: json({ maxBytes: 500 }),
  at: timestamp(),
  day: date(),
  key: uuid(),
  ratio: float(),
  views: bigint(),
  price: decimal({ precision: 12, scale: 2 }),
  days: list(date(), { max: 5 }),
  parts: list(
    object({ size: integer(), cost: decimal({ precision: 4, scale: 1 }), note: optional(text({ max: 9 })) }),
    {
      max: 5,
    },
  ),
}
const maybe = {
  price: optional(decimal({ precision: 12, scale: 2 })),
  views: optional(bigint()),
  day: optional(date()),
  at: optional(timestamp()),
  rank: optional(choice(['LOW', 'HIGH'], { ordered: true })),
  other: optional(one('Sample')),
}
const Sample = resource('Sample', {
  prefix: 'smp',
  fields: {
    ...kinds,
    mayPrice: maybe.price,
    mayViews: maybe.views,
    mayDay: maybe.day,
    mayAt: maybe.at,
    mayRank: maybe.rank,
    other: maybe.other,
    number: counter(),
    issued: counter({ on: 'close' }),
    hidden: secret(),
    ticket: token({ prefix: 'tkt_' }),
    status: state('open', 'closed'),
    why: argument(text({ max: 9 })),
    owner: one('User', { cascade: 'regardless', default: actor }),
    others: many('Sample', 'other'),
  },
  computed: {
    gross: { as: decimal({ precision: 18, scale: 2 }), from: ['price'], make: ({ price }) => price.times(2) },
    length: { as: integer(), from: ['text'], make: (each) => each.text.length },
  },
  counts: { others: 'others' },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: [
        ...(Object.keys(kinds) as (keyof typeof kinds)[]),
        'mayPrice',
        'mayViews',
        'mayDay',
        'mayAt',
        'mayRank',
        'other',
        'hidden',
      ],
    },
    close: {
      allow: own('owner'),
      from: 'open',
      to: 'closed',
      accept: ['why'],
      check: ({ input }) => input.why !== 'no' || 'It stays open.',
    },
  },
})
const samples = service({
  resources: { User, Sample },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

/** An answer, and the request that it is the answer to, as the printed types name it. */
interface Answered {
  readonly request: string
  readonly body: { readonly data: unknown }
}

/** What the compiler says of answers to this service, by the types that are printed of it. */
async function compiled(running: TestService, answers: readonly Answered[]): Promise<string> {
  const { body: document } = await running.client.send('GET /api/v1/openapi.json')
  const lines = answers.flatMap(({ request, body }, at) => [
    `export const answer${at}: Requests['${request}']['answer'] = ${JSON.stringify(body)}`,
    ...mistaken(body.data).flatMap((data, place) => [
      '// @ts-expect-error: no service answers so',
      `export const wrong${at}of${place}: Requests['${request}']['answer'] = ${JSON.stringify({ ...body, data })}`,
    ]),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  await writeFile(join(folder, 'types.ts'), printTypes(document))
  await writeFile(join(folder, 'use.ts'), ["import type { Requests } from './types.ts'", ...lines].join('\n'))
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true, module: 'nodenext', types: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  const printed = await checkTypes(folder)
  await rm(folder, { recursive: true })
  return printed
}

/** The record, with one of its fields after the other as no service answers it. */
function mistaken(data: unknown): readonly object[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  const entries = Object.entries(data).filter(([name]) => name !== 'free')
  return entries.map(([name, value]) => ({ ...data, [name]: typeof value === 'boolean' ? 'true' : false }))
}

withService(
  'types of every kind of value',
  (running) => {
    test('duet types prints for every kind of field what the service answers', async () => {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const ask = async (line: string, status: number, body?: object) => {
        const answer = await running().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })
        assert.equal(answer.status, status, JSON.stringify(answer.body))
        return answer.body
      }
      const sent = {
        text: 'a',
        site: 'https://example.com/',
        count: 3,
        is_open: true,
        word: 'one',
        rank: 'HIGH',
        free: { any: ['thing', null, 1] },
        at: '2026-11-22T10:00:00.000Z',
        day: '2026-11-22',
        key: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
        ratio: 0.5,
        views: '9007199254740993',
        price: '12.50',
        days: ['2026-02-28'],
        parts: [{ size: 1, cost: '1.5', note: null }],
        hidden: 'geheim',
      }
      const made = await ask('POST /api/v1/samples', 201, sent)
      const more = {
        may_price: '1.00',
        may_views: '1',
        may_day: '2024-02-29',
        may_at: sent.at,
        may_rank: 'LOW',
        other_id: made.data.id,
      }
      const full = await ask('POST /api/v1/samples', 201, { ...sent, ...more })
      const line = `/api/v1/samples/${full.data.id}`
      const closed = await ask(`POST ${line}/close`, 200, { why: 'so' })
      assert.equal(typeof closed.data.issued, 'number')
      assert.equal(closed.data.hidden, undefined)
      const answers: Answered[] = [
        { request: 'POST /api/v1/samples', body: made },
        { request: 'POST /api/v1/samples', body: full },
        { request: 'POST /api/v1/samples/{id}/close', body: closed },
        { request: 'GET /api/v1/samples/{id}', body: await ask(`GET ${line}`, 200) },
        { request: 'GET /api/v1/samples', body: await ask('GET /api/v1/samples', 200) },
      ]
      assert.equal(await compiled(running(), answers), '')
    })
  },
  { definition: samples, environment: { DATA_KEY: randomBytes(32).toString('hex') } },
)

withService(
  'types of keys of tenants',
  (running) => {
    test('duet types prints the tenant and the role of an API key', async () => {
      const { ask, ids } = await office(running())
      const keyOf = async (more: object) => {
        const { status, body } = await ask('ann', 'POST /api/v1/api-keys', { name: 'K', scopes: ['*'], ...more })
        assert.equal(status, 201, JSON.stringify(body))
        return body
      }
      const inside = await keyOf({ organization_id: ids.one, role: 'AGENT' })
      const own = await keyOf({})
      assert.deepEqual([inside.data.organization_id, inside.data.role, inside.data.user_id], [ids.one, 'AGENT', null])
      assert.deepEqual([own.data.organization_id, own.data.role], [null, null])
      const answers: Answered[] = [
        ...[inside, own].map((body) => ({ request: 'POST /api/v1/api-keys', body })),
        { request: 'GET /api/v1/api-keys', body: (await ask('ann', 'GET /api/v1/api-keys')).body },
        { request: 'GET /api/v1/tickets/{id}', body: (await ask('ann', `GET /api/v1/tickets/${ids.mine}`)).body },
      ]
      assert.equal(await compiled(running(), answers), '')
    })
  },
  { definition: helpdesk },
)
