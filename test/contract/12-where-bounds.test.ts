// Conditions whose values lie outside of the bounds of their fields: compared as any others, through both faces and by code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  bigint,
  choice,
  counter,
  currency,
  decimal,
  email,
  float,
  integer,
  list,
  one,
  optional,
  resource,
  route,
  type Service,
  service,
  text,
  url,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Thing = resource('Thing', {
  prefix: 'thg',
  fields: {
    number: counter(),
    name: text({ min: 2, max: 5 }),
    code: text({ max: 4, pattern: '[A-Z]{2}\\d{2}' }),
    mail: email(),
    site: url(),
    money: currency(),
    count: integer({ min: 0, max: 10 }),
    price: decimal({ precision: 4, scale: 2, min: '0', max: '50' }),
    large: bigint({ min: 0n, max: 100n }),
    weight: float({ min: 0, max: 1 }),
    tags: list(text({ min: 2, max: 5 }), { max: 5 }),
    owner: optional(one('User')),
    level: choice(['LOW', 'HIGH'], { ordered: true }),
  },
  where: [
    'id',
    'number',
    'name',
    'code',
    'mail',
    'site',
    'money',
    'count',
    'price',
    'large',
    'weight',
    'tags',
    'owner',
    'level',
  ],
  actions: { read: { allow: anyone } },
})
const definition = service({ resources: { User, Thing }, accounts, roles: { ANY: {} } } as never) as Service<unknown>

const ask = route('GET', '/api/v1/asked', {
  summary: 'Ask from code',
  access: anyone,
  query: { where: text({ max: 20_000 }), tree: optional(text({ max: 20_000 })) },
  answer: { found: integer() },
  handle: async ({ query, records }) => {
    const { count } = records as never as { count(of: unknown, which: object): Promise<number> }
    const where = query.tree === null ? query.where : JSON.parse(query.tree)
    return { found: await count(Thing, { where }) }
  },
})

const long = 'x'.repeat(2_000)
/** A text, the same as a tree, and whether it holds of the one record. */
const questions: readonly (readonly [string, object, boolean])[] = [
  ['count = -1', { count: { eq: -1 } }, false],
  ['count != 11', { count: { ne: 11 } }, true],
  ['count > -1', { count: { gt: -1 } }, true],
  ['count < 2147483647', { count: { lt: 2_147_483_647 } }, true],
  ['count >= 11', { count: { gte: 11 } }, false],
  ['count IN (-1, 5, 11)', { count: { in: [-1, 5, 11] } }, true],
  ['count IN (-1, 11)', { count: { in: [-1, 11] } }, false],
  ['number > 0', { number: { gt: 0 } }, true],
  ['number > -5', { number: { gt: -5 } }, true],
  ['number = 0', { number: { eq: 0 } }, false],
  ['price > -0.01', { price: { gt: '-0.01' } }, true],
  ['price < 50.01', { price: { lt: '50.01' } }, true],
  ['price < 9999999999999999.99', { price: { lt: '9999999999999999.99' } }, true],
  ['price IN (12.50, 1234567.00)', { price: { in: ['12.50', '1234567.00'] } }, true],
  ['price = 1250', { price: { eq: '1250' } }, false],
  ['large < 9223372036854775807', { large: { lt: '9223372036854775807' } }, true],
  ['large > -1', { large: { gt: '-1' } }, true],
  ['large = 101', { large: { eq: '101' } }, false],
  ['weight < 1.5', { weight: { lt: 1.5 } }, true],
  ['weight > -1e300', { weight: { gt: -1e300 } }, true],
  ['name = ""', { name: { eq: '' } }, false],
  ['name > ""', { name: { gt: '' } }, true],
  ['name != "x"', { name: { ne: 'x' } }, true],
  ['name = "abcdef"', { name: { eq: 'abcdef' } }, false],
  ['name < "abcdef"', { name: { lt: 'abcdef' } }, true],
  ['startsWith(name, "abcdef")', { name: { startsWith: 'abcdef' } }, false],
  [`startsWith(name, "${long}")`, { name: { startsWith: long } }, false],
  [`name IN ("${long}", "abc")`, { name: { in: [long, 'abc'] } }, true],
  ['code = "none"', { code: { eq: 'none' } }, false],
  ['code > "A"', { code: { gt: 'A' } }, true],
  ['mail = "none"', { mail: { eq: 'none' } }, false],
  ['mail > "A"', { mail: { gt: 'A' } }, true],
  ['mail = "ADA@Example.com"', { mail: { eq: 'ADA@Example.com' } }, true],
  ['startsWith(mail, "ADA")', { mail: { startsWith: 'ADA' } }, true],
  ['site = "none"', { site: { eq: 'none' } }, false],
  ['site < "i"', { site: { lt: 'i' } }, true],
  ['money = "eur"', { money: { eq: 'eur' } }, false],
  ['money IN ("EUR", "euros")', { money: { in: ['EUR', 'euros'] } }, true],
  ['tags : "x"', { tags: { has: 'x' } }, false],
  [`tags : "${long}"`, { tags: { has: long } }, false],
  ['owner = ""', { ownerId: { eq: '' } }, false],
  [`owner != "${long}"`, { ownerId: { ne: long } }, true],
  [`id = "${long}"`, { id: { eq: long } }, false],
]
const wrong = [
  'count = 1.5',
  'count < 2147483648',
  'price = 0.001',
  'large = 9223372036854775808',
  'level = "NONE"',
  'startsWith(name, "")',
  'count = "1"',
  'name = "\\u0000"',
]

withService(
  '12.1 Conditions beyond bounds',
  (running) => {
    const open = async () => {
      const thing = { name: 'abc', code: 'AB12', mail: 'ada@example.com', site: 'https://a.example', money: 'EUR' }
      const numbers = { count: 5, price: '12.50', large: 7n, weight: 0.5, tags: ['abc'], level: 'HIGH' }
      const fixtures = running().fixtures({ thing: { Thing: { ...thing, ...numbers } } })
      await fixtures.idOf('thing')
      return fixtures
    }
    const literal = (value: unknown): string =>
      Array.isArray(value)
        ? `[${value.map(literal)}]`
        : typeof value === 'object'
          ? `{${Object.entries(value!).map(([name, each]) => `${name}: ${literal(each)}`)}}`
          : JSON.stringify(value)

    test('12.1.15 a value outside of the bounds is compared', async () => {
      const fixtures = await open()
      const id = await fixtures.idOf('thing')
      for (const [text, tree, holds] of questions) {
        const only = text.startsWith('id ') ? text : `id = "${id}" AND ${text}`
        const rest = await running().send(`GET /api/v1/things?where=${encodeURIComponent(only)}`, { fixtures })
        assert.deepEqual(
          [rest.status, rest.body.data?.length],
          [200, holds ? 1 : 0],
          `${text}: ${rest.text.slice(0, 300)}`,
        )
        const own = { and: [{ id: { eq: id } }, tree] }
        const { body } = await running().graphql(`{ things(where: ${literal(own)}) { totalCount } }`, { fixtures })
        assert.deepEqual(
          body.data?.things,
          { totalCount: holds ? 1 : 0 },
          `${text}: ${JSON.stringify(body).slice(0, 300)}`,
        )
        for (const code of [
          `where=${encodeURIComponent(only)}`,
          `where=x&tree=${encodeURIComponent(JSON.stringify(own))}`,
        ]) {
          const answer = await running().send(`GET /api/v1/asked?${code}`, { fixtures })
          assert.equal(answer.body.data?.found, holds ? 1 : 0, `${text} by code: ${answer.text.slice(0, 300)}`)
        }
      }
    })

    test('12.1.15 what is not of the type is refused', async () => {
      const fixtures = await open()
      for (const text of wrong) {
        const { status, body } = await running().send(`GET /api/v1/things?where=${encodeURIComponent(text)}`, {
          fixtures,
        })
        assert.deepEqual([status, body.error?.details?.[0].field], [400, 'where'], text)
      }
    })
  },
  { definition, routes: [ask as never] },
)
