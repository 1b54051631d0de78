// Kinds of values: what each takes and answers, wherever it stands, on both faces and both databases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decimal } from 'duet-api'
import { code, journal, seen } from '../support/domain/values.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { camelled, createTwin } from '../support/rows/graphql-question.ts'
import { withService } from '../support/server/service.ts'

interface Seen {
  readonly [name: string]: unknown
  readonly price: Decimal
  readonly discount: Decimal
  readonly views: bigint
  readonly prices: readonly Decimal[]
  readonly lines: readonly { readonly price: Decimal; readonly views: bigint; readonly at: unknown }[]
}

const key = '0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05'
const plain = { day: '2026-11-22', ratio: 0.5, views: '1', price: '1.00', lines: [], days: [], prices: [] }
/** Keys are unique, and each row makes records of its own. */
let made = 0
const newKey = () => `0197a3c2-5b1e-7d40-9f3a-${String(++made).padStart(12, '0')}`

const selected =
  'day due key ref ratio views price discount tiny huge count since days prices gross next lines { day due key ratio views price at }'
const create = (clause: Row['clause'], it: string, sent: object, answer: Row['answer']): Row => {
  const body = { ...plain, key: newKey(), ...sent }
  const also = createTwin('Entry', { ...body, key: newKey() }, selected)
  return {
    clause,
    it,
    as: 'viewer',
    send: 'POST /api/v2/entries',
    body,
    also: answer.data === undefined ? also : { ...also, answer: { data: camelled(answer.data) } },
    answer,
  }
}
const takes = (clause: Row['clause'], field: string, sent: unknown, as: unknown = sent): Row =>
  create(
    clause,
    `takes ${JSON.stringify(sent)} for ${field}`,
    { [field]: sent },
    { status: 201, data: { [field]: as } },
  )
const refuses = (clause: Row['clause'], field: string, sent: unknown, where = field): Row => {
  const row = create(
    clause,
    `refuses ${JSON.stringify(sent)} for ${field}`,
    { [field]: sent },
    { status: 400, code: 'VALIDATION_ERROR', field: where },
  )
  return typeof sent === 'string'
    ? row
    : { ...row, also: { ...(row.also as object), answer: { status: 200, code: 'VALIDATION_ERROR' } } as never }
}
const line = { day: '2028-02-29', due: null, key, ratio: 1e-7, views: '-9007199254740993', price: '0.10', at: null }

clauses(
  '11.1 Kinds of values',
  [
    ...['2026-11-22', '0001-01-01', '9999-12-31', '2028-02-29'].map((day) => takes('11.1.1', 'day', day)),
    ...[
      '2027-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-11-31',
      '0000-01-01',
      '2026-1-1',
      '+2026-11-22',
      '2026-11-22T00:00:00Z',
      ' 2026-11-22',
      '',
      20261122,
    ].map((day) => refuses('11.1.1', 'day', day)),
    takes('11.1.2', 'ref', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
    takes('11.1.2', 'ref', '00000000-0000-0000-0000-000000000000'),
    takes('11.1.2', 'ref', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
    ...[
      'f81d4fae7dec11d0a76500a0c91e6bf6',
      'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf7',
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf',
      'g81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      7,
    ].map((each) => refuses('11.1.2', 'ref', each)),
    ...[0.1, 1e21, 5e-324, -1.5e-10, 123456789.12345679, 1e300, 3].map((ratio) => takes('11.1.3', 'ratio', ratio)),
    takes('11.1.3', 'ratio', -0, 0),
    ...['0.5', true, 1.1e300].map((ratio) => refuses('11.1.3', 'ratio', ratio)),
    ...['0', '-9007199254740993', '9223372036854775807', '9007199254740993'].map((views) =>
      takes('11.1.4', 'views', views),
    ),
    takes('11.1.4', 'views', '-0', '0'),
    ...['9223372036854775808', '-9007199254740994', '1'.repeat(100), '01', '+1', '1.0', '1e3', '', ' 1', 1].map(
      (views) => refuses('11.1.4', 'views', views),
    ),
    ...[
      ['12.5', '12.50'],
      ['0', '0.00'],
      ['-0', '0.00'],
      ['-0.00', '0.00'],
      ['-0.01', '-0.01'],
      ['9999999999.99', '9999999999.99'],
      ['-9999999999.99', '-9999999999.99'],
    ].map(([sent, as]) => takes('11.1.5', 'price', sent, as)),
    takes('11.1.5', 'tiny', '0.000000000000000001'),
    takes('11.1.5', 'tiny', '-0.999999999999999999'),
    takes('11.1.5', 'huge', '999999999999999999'),
    takes('11.1.5', 'huge', '-999999999999999999'),
    takes('11.1.5', 'discount', '1', '1.0000'),
    ...['+1', '1e3', '01', '.5', '1.', '1.000', '10000000000', '9999999999.991', '', 'NaN', '1,5', '١', 12.5, 1].map(
      (price) => refuses('11.1.5', 'price', price),
    ),
    refuses('11.1.5', 'discount', '1.0001'),
    refuses('11.1.5', 'discount', '-0.0001'),
    refuses('11.1.5', 'huge', '1.0'),
    create(
      '11.1.6',
      'fills in what is left out',
      { discount: undefined },
      { status: 201, data: { discount: '0.2500', count: '7', since: '2000-02-29', due: null, tiny: null } },
    ),
    create(
      '11.1.6',
      'works out what is computed',
      { price: '0.10', discount: '0.2', views: '9007199254740993' },
      { status: 201, data: { gross: '0.1200', next: '9007199254740994' } },
    ),
    create(
      '11.1.6',
      'keeps them inside of lists and objects',
      { lines: [line], days: ['2028-02-29'], prices: ['0.1'] },
      { status: 201, data: { lines: [line], days: ['2028-02-29'], prices: ['0.10'] } },
    ),
    ...Object.entries({ day: '2027-02-29', key: 'none', views: '1.5', price: '1.234' }).map(([name, sent]) =>
      create(
        '11.1.6',
        `refuses a wrong ${name} inside of them`,
        { lines: [{ ...line, [name]: sent }] },
        { status: 400, code: 'VALIDATION_ERROR', field: `lines[0].${name}` },
      ),
    ),
    {
      clause: '11.1.6',
      it: 'a value that is taken is 409',
      as: 'viewer',
      first: [
        { as: 'viewer', send: 'POST /api/v2/entries', body: { ...plain, key: 'A0000000-0000-4000-8000-000000000001' } },
      ],
      send: 'POST /api/v2/entries',
      body: { ...plain, key: 'a0000000-0000-4000-8000-000000000001' },
      answer: { status: 409, code: 'CONFLICT', field: 'key' },
    },
  ],
  { definition: journal },
)

withService(
  '11.1 Kinds of values, wherever they stand',
  (service) => {
    const post = async (body: object) => {
      const answer = await service().send('POST /api/v2/entries', {
        as: 'viewer',
        body: { ...plain, key: newKey(), ...body },
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.data
    }
    const get = (path: string) => service().send(`GET /api/v2/${path}`, { as: 'viewer' })

    const days = ['0001-01-01', '1969-12-31', '2026-11-22', '9999-12-31']
    const ratios = [-1e300, -0.1, 5e-324, 1e21]
    const views = ['-9007199254740993', '9007199254740992', '9007199254740993', '9223372036854775807']
    const prices = ['-9999999999.99', '-0.01', '9.90', '10.00']
    const ids: string[] = []
    test('11.1.6 what is found and in which order', async () => {
      for (const at of [2, 0, 3, 1]) {
        const { id } = await post({
          day: days[at],
          ratio: ratios[at],
          views: views[at],
          price: prices[at],
          due: at === 1 ? null : days[at],
          days: [days[at]],
          lines: [{ ...line, key: newKey(), price: prices[at] }],
        })
        ids[at] = id
      }
      const found = async (query: string) => {
        const { status, body } = await get(`entries?${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        return body.data.map(({ id }: { id: string }) => ids.indexOf(id))
      }
      for (const [query, places] of [
        ['day=1969-12-31', [1]],
        ['from=1969-12-31&until=2026-11-22&sort=day', [1, 2]],
        ['ratio=5e-324', [2]],
        ['min_ratio=-0.1&sort=ratio', [1, 2, 3]],
        ['views=9007199254740993', [2]],
        ['min_views=9007199254740993&sort=-views', [3, 2]],
        ['price=10', [3]],
        ['price=9.9', [2]],
        ['min_price=-0.01&max_price=9.90&sort=price', [1, 2]],
        ['on_day=9999-12-31', [3]],
        ['sort=due', [0, 2, 3, 1]],
        ['sort=-due', [1, 3, 2, 0]],
      ] as const) {
        assert.deepEqual(await found(query), places, query)
      }
      const { body: cheap } = await get('entries/cheap?below=9.9&sort=price')
      assert.deepEqual(
        cheap.data.map(({ price }: { price: string }) => price),
        prices.slice(0, 3),
      )
      const { body: viewed } = await get('entries/viewed?seen=9007199254740992&share=-0.1&limit=1')
      assert.deepEqual(
        viewed.data.map(({ id }: { id: string }) => id),
        [ids[1]],
      )
      for (const query of ['price=1e1', 'views=1.0', 'day=2027-02-29', 'key=1', 'ratio=x', 'ratio=0x1'])
        assert.equal((await get(`entries?${query}`)).status, 400, query)
    })

    for (const number of ['9007199254740993', '0.1234567890123456789', '1e-400', '1.00000000000000000001e5'])
      test(`7.2.9 ${number} is 400 in every place of a request`, async () => {
        const queries = [
          `ratio=${number}`,
          `min_ratio=-${number}`,
          `where=ratio > ${number}`,
          `where=NOT ratio IN (1, -${number})`,
        ]
        for (const query of queries) {
          const { status, body } = await get(`entries?${encodeURI(query)}`)
          assert.equal(status, 400, query)
          assert.match(body.error.message, /more digits than 64 bits hold/, query)
        }
        assert.equal((await get(`entries/viewed?seen=1&share=${number}`)).status, 400)
        for (const query of [
          `{ entries(filter: { ratio: ${number} }) { totalCount } }`,
          `{ entries(where: { ratio: { in: [${number}] } }) { totalCount } }`,
          `{ entries(whereText: "ratio > ${number}") { totalCount } }`,
          `{ viewedEntries(seen: "1", share: ${number}) { totalCount } }`,
        ])
          assert.match(
            JSON.stringify((await service().graphql(query, { as: 'viewer' })).body),
            /more digits than/,
            query,
          )
      })
    test('7.2.9 numbers that 64 bits hold are read in every place of a request', async () => {
      for (const query of [
        'ratio=9007199254740992',
        'min_ratio=1E3',
        'where=ratio != 0.30000000000000004',
        'where=views = 9007199254740993',
      ])
        assert.equal((await get(`entries?${encodeURI(query)}`)).status, 200, query)
    })

    for (const sort of ['day', 'due', 'key', 'ratio', 'views', 'price'])
      for (const direction of ['', '-'])
        test(`11.1.6 cursors by ${direction}${sort}, there and back`, async () => {
          const all = (await get(`entries?sort=${direction}${sort}&per_page=50`)).body.data as { id: string }[]
          const forward: string[] = []
          let page = (await get(`entries?sort=${direction}${sort}&limit=1`)).body
          for (;;) {
            forward.push(page.data[0].id)
            if (page.meta.next_cursor === null) break
            page = (await get(`entries?sort=${direction}${sort}&limit=1&cursor=${page.meta.next_cursor}`)).body
          }
          assert.deepEqual(
            forward,
            all.map(({ id }) => id),
          )
          const back = [page.data[0].id]
          while (page.meta.prev_cursor !== null) {
            page = (await get(`entries?sort=${direction}${sort}&limit=1&cursor=${page.meta.prev_cursor}`)).body
            back.unshift(page.data[0].id)
          }
          assert.deepEqual(back, forward)
        })

    test('11.1.6 GraphQL filters and seeks by them', async () => {
      const query = `query ($price: Decimal, $day: Date!, $views: BigInt = "-9007199254740993", $ratio: Float) {
        entries(first: 2, sort: [PRICE_ASC], filter: { minPrice: $price, from: $day, minViews: $views, minRatio: $ratio }) {
          nodes { id price day views ratio } pageInfo { endCursor } } }`
      const variables = { price: '-0.010', day: '0001-01-01', ratio: -1 }
      const refused = await service().graphql(query, { as: 'viewer', variables })
      assert.equal(refused.body.errors[0].extensions.code, 'VALIDATION_ERROR')
      const { body } = await service().graphql(query, { as: 'viewer', variables: { ...variables, price: '-0.01' } })
      assert.deepEqual(
        body.data.entries.nodes.map(({ price }: { price: string }) => price),
        ['-0.01', '9.90'],
      )
      for (const literal of ['12', '12.5', 'true', 'x', '["1"]']) {
        const wrong = await service().graphql(`{ entries(filter: { price: ${literal} }) { nodes { id } } }`, {
          as: 'viewer',
        })
        assert.match(wrong.body.errors[0].message, /Decimal cannot represent a non string value/, literal)
      }
    })

    test('11.1.6 callbacks see exact values, and may give text', async () => {
      const { id } = await post({
        price: '0.1',
        views: '9007199254740993',
        lines: [{ ...line, at: '2026-11-20T09:30:00Z' }],
        prices: ['0.2'],
      })
      const { input, record } = seen as { input: Seen; record: Seen }
      for (const value of [input, record]) {
        assert.equal(value.price.plus('0.2').toFixed(), '0.3')
        assert.equal(value.views + 1n, 9_007_199_254_740_994n)
        assert.equal(value.lines[0]!.price.times(3).toFixed(), '0.3')
        assert.equal(value.lines[0]!.views, -9_007_199_254_740_993n)
        assert.equal(value.prices[0]!.toFixed(), '0.2')
        assert.equal(value['day'], '2026-11-22')
      }
      assert.equal(record.discount.toFixed(), '0.25')
      assert.equal(record['count'], 7n)
      const worked = await service().send(`POST /api/v2/entries/${id}/work`, { as: 'viewer', body: { rate: '0.5' } })
      assert.deepEqual([worked.body.data.total, worked.body.data.discount], ['0.05', '0.5000'], worked.text)
      assert.equal((seen.record as Seen).lines[0]!.price.plus(1).toFixed(), '1.1', 'what is loaded')
      assert.ok((seen.record as Seen).lines[0]!.at instanceof Date)
      const closed = await service().send(`POST /api/v2/entries/${id}/close`, { as: 'viewer' })
      assert.deepEqual(
        [closed.body.data.price, closed.body.data.views, closed.body.data.due],
        ['0.15', '9007199254740994', '2026-11-22'],
      )
    })

    test('11.1.7 what is worked out and beyond its field is 422', async () => {
      const { id } = await post({ price: '9999999999.99' })
      const { status, body } = await service().send(`POST /api/v2/entries/${id}/work`, {
        as: 'viewer',
        body: { rate: '1' },
      })
      assert.deepEqual([status, body.error.code], [422, 'BUSINESS_RULE_VIOLATION'])
      assert.match(body.error.message, /The result is larger than 9999\.99\./)
    })

    test('11.1.7 what is not rounded is a bug that names the field', async () => {
      const { id } = await post({})
      code.total = '1.234'
      service().forgetLog()
      const { status } = await service().send(`POST /api/v2/entries/${id}/assume`, { as: 'viewer' })
      assert.equal(status, 500)
      assert.match(service().log().join(''), /Entry\.total a value that it cannot hold/)
      service().forgetLog()
      code.total = '1.2'
      const { body } = await service().send(`POST /api/v2/entries/${id}/assume`, { as: 'viewer' })
      assert.equal(body.data.total, '1.20')
    })

    test('11.1.6 rules test them', async () => {
      const statusOf = async (body: object) =>
        (await service().send(`GET /api/v2/entries/${(await post(body)).id}`)).status
      assert.equal(await statusOf({ price: '2.5', views: '1', day: '2026-01-02' }), 200)
      assert.equal(await statusOf({ price: '2.51', views: '1', day: '2026-01-02' }), 404)
      assert.equal(await statusOf({ price: '1', views: '2', day: '2026-01-02' }), 404)
      assert.equal(await statusOf({ price: '1', views: '1', day: '2026-01-01' }), 404)
      const { id } = await post({ price: '66.6' })
      assert.equal(
        (await service().send(`PATCH /api/v2/entries/${id}`, { as: 'viewer', body: { price: '1' } })).status,
        403,
      )
    })

    test('11.1.6 a change answers them, and the entity tag knows it', async () => {
      const { id } = await post({})
      const before = (await get(`entries/${id}`)).headers['etag']!
      const body = { price: '0.30', views: '2', day: '2024-02-29' }
      const headers = { 'If-Match': before }
      const changed = await service().send(`PATCH /api/v2/entries/${id}`, { as: 'viewer', headers, body })
      const { price, views, day } = changed.body.data
      assert.deepEqual({ price, views, day }, body)
      assert.notEqual((await get(`entries/${id}`)).headers['etag'], before)
    })

    test('11.1.6 a replay says the same, and another value is another request', async () => {
      const headers = { 'Idempotency-Key': 'one-entry' }
      const send = (price: string) =>
        service().send('POST /api/v2/entries', { as: 'viewer', headers, body: { ...plain, key, price, lines: [line] } })
      const first = await send('0.3')
      assert.deepEqual([first.status, first.body.data.price], [201, '0.30'], first.text)
      assert.equal((await send('0.3')).text, first.text)
      assert.equal((await send('0.4')).status, 422)
    })
  },
  { definition: journal },
)
