// Summaries in code: of its caller, of the service, and of a transaction, next to those of REST. (contract 13.3.17)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AsService, anyone, type RouteRecords, route } from 'duet-api'
import { Article } from '../../reference/article.ts'
import { Order } from '../../reference/order.ts'
import { Post } from '../../reference/post.ts'
import { Product } from '../../reference/product.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

type Probe = (moment: { readonly records: RouteRecords; readonly asService: AsService }) => Promise<unknown>
let probe: Probe = async () => null
const probing = route('POST', '/api/v2/probes', {
  summary: 'Probe',
  access: anyone,
  handle: async (moment) => void (await probe(moment)),
})

const order = (user: string, total: number, status: string) => ({
  Order: { user, status, items: [{ product: '{product}', quantity: 1, unitPrice: 5 }], total, currency: 'EUR' },
})
const sold = {
  product: { Product: { name: 'Pan', category: 'kitchen', price: 5, currency: 'EUR', stock: 9 } },
  buyer: { User: { name: 'Buyer' } },
  large: order('{buyer}', 2_000_000_000, 'paid'),
  larger: order('{buyer}', 2_000_000_001, 'paid'),
  open: order('{buyer}', 7, 'pending'),
  foreign: order('{editor}', 9, 'paid'),
}

withService(
  '13.3 Summaries in code',
  (service) => {
    async function begin(running: TestService) {
      const fixtures = running.fixtures(sold)
      for (const name of Object.keys(sold)) await fixtures.idOf(name)
      const buyer = await fixtures.idOf('buyer')
      /** Runs what a test wants to know as somebody. */
      async function ask<T>(as: Caller, work: (moment: Parameters<Probe>[0]) => Promise<T>) {
        let result: T | undefined
        probe = async (moment) => {
          result = await work(moment)
        }
        const { status, body } = await running.send('POST /api/v2/probes', { as, fixtures })
        return { status, body, result: result as T }
      }
      return { fixtures, buyer, ask }
    }

    test('13.3.17 groups and sums are those of REST, for the same caller', async () => {
      const { fixtures, buyer, ask } = await begin(service())
      const { result } = await ask('{buyer}' as Caller, ({ records }) =>
        records.summary(Order, { by: ['status', 'createdAt:month', 'user', 'user.name'], of: ['total'] }),
      )
      const line = 'GET /api/v2/orders/summary?group_by=status,created_at:month,user_id,user_name'
      const { body } = await service().send(line, { as: '{buyer}' as Caller, fixtures })
      const inCode = result.groups.map((group) => [
        group.status,
        group.createdAt,
        group.user,
        group['user.name'],
        group.count,
        String(group.sum.total),
        group.avg.total!.toFixed(6),
        group.min.total,
        group.max.total,
      ])
      assert.deepEqual(
        inCode,
        body.data.map((group: Record<string, never> & { sum: never }) => {
          const { status, created_at, user_id, user_name, count, sum, avg, min, max } = group as never as Record<
            string,
            never
          > & { sum: { total: string }; avg: { total: string }; min: { total: number }; max: { total: number } }
          return [status, created_at, user_id, user_name, count, sum.total, avg.total, min.total, max.total]
        }),
      )
      const month = service().now().toISOString().slice(0, 7)
      const paid = result.groups.find(({ status }) => status === 'paid')!
      assert.deepEqual([paid.user, paid['user.name'], paid.createdAt, paid.count], [buyer, 'Buyer', month, 2])
      assert.equal(paid.sum.total, 4_000_000_001)
      assert.equal(String(paid.avg.total), '2000000000.500000')
    })

    test('13.3.17 the service covers all, a caller what they may read, and a guest nothing', async () => {
      const { buyer, ask } = await begin(service())
      const which = { by: ['user'], filter: { status: 'paid' } } as const
      const ofAll = await ask('{buyer}' as Caller, ({ asService }) => asService.records.summary(Order, which))
      const own = await ask('{buyer}' as Caller, ({ records }) => records.summary(Order, which))
      assert.ok(ofAll.result.groups.length > 1)
      assert.deepEqual(own.result, { groups: [{ user: buyer, count: 2 }], hasNext: false })
      const guest = await ask('anonymous', ({ records }) => records.summary(Order, which))
      assert.deepEqual([guest.status, guest.body.error.code], [401, 'UNAUTHENTICATED'])
    })

    test('13.3.17 a transaction sums up what it wrote, and it does not stay if it fails', async () => {
      const { ask } = await begin(service())
      const sums: unknown[] = []
      const category = 'stationery'
      const product = { name: 'Pen', category, price: 3, currency: 'EUR', stock: 1 }
      await ask('anonymous', async ({ asService }) => {
        const which = { by: ['category'], of: ['price', 'stock'], where: { category: { eq: category } } } as const
        const work = asService.records.once(`once ${service().engine}`, async (records) => {
          await records.create(Product, product)
          await records.create(Product, { ...product, price: 4 })
          sums.push(
            (await records.summary(Product, which)).groups.map(({ count, sum }) => [count, sum.price, sum.stock]),
          )
          throw new Error('undone')
        })
        await assert.rejects(work)
        sums.push((await asService.records.summary(Product, which)).groups)
      })
      assert.deepEqual(sums, [[[2, 7, 2]], []])
    })

    test('13.3.17 without groups all records are one, and a page says whether more follow', async () => {
      const { ask } = await begin(service())
      const { result } = await ask('{buyer}' as Caller, async ({ records }) => [
        await records.summary(Order),
        await records.summary(Order, { of: ['total'], where: 'total > 2000000001' }),
        await records.summary(Order, { by: ['status'], sort: ['-count'], limit: 1 }),
        await records.summary(Order, { by: ['status'], sort: ['-count'], limit: 1, page: 2 }),
      ])
      const nothing = { total: null }
      assert.deepEqual(result, [
        { groups: [{ count: 3 }], hasNext: false },
        { groups: [{ count: 0, sum: nothing, avg: nothing, min: nothing, max: nothing }], hasNext: false },
        { groups: [{ status: 'paid', count: 2 }], hasNext: true },
        { groups: [{ status: 'pending', count: 1 }], hasNext: false },
      ])
    })

    test('13.3.17 a value of a client is 400, and a name of the code is a bug', async () => {
      const { ask } = await begin(service())
      const zone = await ask('{buyer}' as Caller, ({ records }) =>
        records.summary(Order, { by: ['createdAt:hour'], timeZone: 'Nowhere' }),
      )
      assert.deepEqual([zone.status, zone.body.error.details[0].field], [400, 'timeZone'])
      const bugs: readonly (readonly [RegExp, Probe])[] = [
        [/Cannot group by total/, ({ records }) => records.summary(Order, { by: ['total' as never] })],
        [/Cannot add up status/, ({ records }) => records.summary(Order, { of: ['status' as never] })],
        [
          /At most 4/,
          ({ records }) => records.summary(Order, { by: ['status', 'currency', 'user', 'user.name', 'createdAt'] }),
        ],
        [/sums up Article, which has no summary/, ({ records }) => records.summary(Article as never)],
        [/Cannot add up/, ({ records }) => records.summary(Post, { of: ['title' as never] })],
      ]
      for (const [sentence, work] of bugs) {
        service().forgetLog()
        assert.equal((await ask('{buyer}' as Caller, work)).status, 500)
        assert.match(service().log().join(''), sentence)
      }
      service().forgetLog()
    })
  },
  { routes: [probing] },
)
