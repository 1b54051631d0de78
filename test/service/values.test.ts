// Random values of every kind, on both databases: each comes back to the digit, in answers, filters, orders, cursors and events,
// as the libraries that know such numbers have it. `VALUES=100000` is the long run, `VALUES_SEED` another one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BigNumber } from 'bignumber.js'
import { TestSocket } from '../support/client/websocket.ts'
import { journal } from '../support/domain/values.ts'
import { createRandom } from '../support/oracle/random.ts'
import { type TestService, withService } from '../support/server/service.ts'

const count = Number(process.env['VALUES'] ?? 200)
const seed = Number(process.env['VALUES_SEED'] ?? 1)
const perRequest = 100

/** What one record holds, as it is answered. */
interface Values {
  readonly day: string
  readonly key: string
  readonly ratio: number
  readonly views: string
  readonly price: string
  readonly tiny: string | null
}
type Name = keyof Values

const random = createRandom(seed)
const { below } = random
const one = <T>(...choices: readonly T[]): T => random.one(choices)
const fraction = (): number => below(2 ** 32) / 2 ** 32
const digits = (length: number): string => Array.from({ length }, () => below(10)).join('')
const sign = (): string => one('', '-')

const randomDay = (): string => {
  const moment = new Date(0)
  moment.setUTCFullYear(one(1 + below(9_999), 2_000, 1_900, 2_028), below(12), 1 + below(28))
  return moment.toISOString().slice(0, 10)
}
const randomKey = (): string =>
  [8, 4, 4, 4, 12].map((length) => Array.from({ length }, () => one(...'0123456789abcdefABCDEF')).join('')).join('-')
function randomRatio(): number {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setUint32(0, below(2 ** 32))
  bytes.setUint32(4, below(2 ** 32))
  const value = one(bytes.getFloat64(0), fraction(), below(1_000) / 10, -below(1_000) / 3, 0, -0, 5e-324, 1e21, 1e-7)
  return Number.isFinite(value) && Math.abs(value) < 1e300 ? value : fraction()
}
/** Not below what the field takes. */
function randomViews(): bigint {
  const value = BigInt.asIntN(64, BigInt(digits(19)))
  const least = -9_007_199_254_740_993n
  return one(
    value < least ? -value % 9_007_199_254_740_993n : value,
    2n ** 63n - 1n,
    least,
    2n ** 53n + 1n,
    BigInt(below(5)),
  )
}
const randomPrice = (): string =>
  `${sign()}${one(String(below(10 ** (1 + below(10)))), '0', '9999999999')}${one('', `.${digits(1)}`, `.${digits(2)}`)}`
const randomTiny = (): string | null => one(null, `${sign()}0.${digits(1 + below(18))}`, '0.000000000000000001')

/** What is sent, and what the libraries say that it is. */
function randomValues(): { readonly sent: object; readonly values: Values } {
  const [day, key, ratio, views, price, tiny] = [
    randomDay(),
    randomKey(),
    randomRatio(),
    randomViews(),
    randomPrice(),
    randomTiny(),
  ]
  return {
    sent: { day, key, ratio, views: String(views), price, tiny },
    values: {
      day,
      key: key.toLowerCase(),
      ratio: ratio + 0,
      views: String(views),
      price: withoutMinusZero(new BigNumber(price).toFixed(2)),
      tiny: tiny === null ? null : withoutMinusZero(new BigNumber(tiny).toFixed(18)),
    },
  }
}
const withoutMinusZero = (text: string): string => (/^-[0.]+$/.test(text) ? text.slice(1) : text)

/** Null is greater than any value. */
function compare(name: Name, one: Values[Name], other: Values[Name]): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (name === 'ratio') return Math.sign((one as number) - (other as number))
  if (name === 'day' || name === 'key') return one < other ? -1 : Number(one > other)
  return new BigNumber(one).comparedTo(new BigNumber(other))!
}

const names: readonly Name[] = ['day', 'key', 'ratio', 'views', 'price', 'tiny']
const pick = (record: Values): Values =>
  Object.fromEntries(names.map((name) => [name, record[name]])) as unknown as Values

withService(
  `Random values, ${count} of each kind`,
  (service) => {
    /** By id, as the libraries have them. */
    const stored = new Map<string, Values>()
    const get = async (query: string) => {
      const { status, text, body } = await service().send(`GET /api/v2/entries?${query}`, { as: 'viewer' })
      assert.equal(status, 200, text)
      return body
    }

    test('come back as they were sent', { timeout: 3_600_000 }, async () => {
      for (let at = 0; at < count; at += perRequest) {
        const some = Array.from({ length: Math.min(perRequest, count - at) }, randomValues)
        const entries = some.map(({ sent, values: { key, price, ...line } }) => {
          const { day, ratio, views } = line
          return { ...sent, lines: [{ day, key, ratio, views, price }], days: [day], prices: [] }
        })
        const { status, body, text } = await service().send('POST /api/v2/entries/batch', {
          as: 'viewer',
          body: { entries },
        })
        assert.equal(status, 201, text)
        for (const [index, record] of body.data.entries()) {
          const { values } = some[index]!
          assert.deepEqual(pick(record), values)
          const { day, key, ratio, views, price } = values
          assert.deepEqual(record.lines, [{ day, key, due: null, ratio, views, price, at: null }])
          assert.equal(
            record.gross,
            new BigNumber(price)
              .times('1.25')
              .toFixed(4)
              .replace(/^-(0\.0+)$/, '$1'),
          )
          stored.set(record.id, values)
        }
      }
    })

    for (const name of names)
      test(`${name}: the order and the cursors of a list`, { timeout: 3_600_000 }, async () => {
        for (const direction of ['', '-']) {
          const found = new Set<string>()
          let before: Values | null = null
          let next: string | null = ''
          let previous = ''
          while (next !== null) {
            const page: { data: (Values & { id: string })[]; meta: Record<string, string | null> } = await get(
              `sort=${direction}${name}&limit=100${next === '' ? '' : `&cursor=${next}`}`,
            )
            for (const record of page.data) {
              const values = pick(record)
              assert.deepEqual(values, stored.get(record.id))
              if (before !== null)
                assert.ok(compare(name, before[name], values[name]) * (direction === '' ? 1 : -1) <= 0)
              found.add(record.id)
              before = values
            }
            next = page.meta['next_cursor'] ?? null
            previous = page.meta['prev_cursor'] ?? previous
          }
          assert.equal(found.size, stored.size)
          if (previous === '') continue
          const back = await get(`sort=${direction}${name}&limit=100&cursor=${previous}`)
          assert.equal(back.data.length, Math.min(100, stored.size))
        }
      })

    test('filters find what is the same, and what comes first from there', { timeout: 3_600_000 }, async () => {
      const all = [...stored]
      for (let tries = 0; tries < Math.min(100, count); tries++) {
        const [, values] = all[below(all.length)]!
        for (const name of ['day', 'key', 'ratio', 'views', 'price'] as const) {
          const same = all.filter(([, other]) => compare(name, other[name], values[name]) === 0).map(([id]) => id)
          const { data } = await get(`${name}=${encodeURIComponent(values[name])}&limit=100`)
          const found = data.map(({ id }: { id: string }) => id)
          assert.deepEqual(found.toSorted(), same.length > 100 ? found.toSorted() : same.toSorted(), name)
          assert.equal(found.length, Math.min(100, same.length), name)
        }
        for (const [parameter, name] of [
          ['from', 'day'],
          ['min_ratio', 'ratio'],
          ['min_views', 'views'],
          ['min_price', 'price'],
        ] as const) {
          const { data } = await get(`${parameter}=${encodeURIComponent(values[name])}&sort=${name}&limit=1`)
          assert.deepEqual(data[0][name], values[name], parameter)
        }
      }
    })

    test('GraphQL answers the same', async () => {
      const query = `query ($after: String) { entries(first: 100, after: $after, sort: [VIEWS_DESC]) {
        nodes { id ${names.join(' ')} } pageInfo { endCursor hasNextPage } } }`
      const answer = await service().graphql(query, { as: 'viewer' })
      for (const record of answer.body.data.entries.nodes) assert.deepEqual(pick(record), stored.get(record.id))
    })

    test('events have them', async () => {
      const socket = await listen(service())
      for (let tries = 0; tries < 20; tries++) {
        const { sent, values } = randomValues()
        const body = { ...sent, lines: [], days: [], prices: [] }
        const made = await service().send('POST /api/v2/entries', { as: 'viewer', body })
        assert.equal(made.status, 201, made.text)
        const { payload } = (await socket.next()) as { payload: { data: { entered: Values } } }
        assert.deepEqual(pick(payload.data.entered), values)
      }
      await socket.close()
    })
  },
  { definition: journal },
)

async function listen(service: TestService): Promise<TestSocket> {
  const socket = await TestSocket.ready(service.url, await service.token(await service.fixtures().idOf('viewer')))
  const query = `subscription { entered { ${names.join(' ')} } }`
  socket.subscribe('1', query)
  await socket.settled()
  return socket
}
