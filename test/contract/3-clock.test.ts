// What the reference service does by the clock. Both faces show it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/check/until.ts'
import { withService } from '../support/server/service.ts'
import { storyOf, user } from '../support/server/story.ts'

const dayMs = 86_400_000

withService(
  '3.3 What the clock does',
  (service) => {
    const people = {
      ada: user({ role: 'ADMIN' }),
      eve: user({ role: 'VIEWER' }),
      cup: { Product: { name: 'Cup', category: 'c', price: 5, currency: 'EUR', stock: 10 } },
    }
    const later = async (days: number) => {
      service().advance(days * dayMs)
      service().forgetTokens()
    }

    test('3.3.4 an order that is not paid within a day is cancelled, and its stock returns', async () => {
      const { ids, voices } = await storyOf(service(), people)
      const stock = async () => (await voices('eve')[1]!.read('Product', ids.cup)).data.stock
      for (const voice of voices('eve')) {
        const buy = async (quantity: number): Promise<string> =>
          (await voice.create('Order', { items: [{ productId: ids.cup, quantity }] })).data.id
        const [paid, unpaid] = [await buy(1), await buy(3)]
        assert.equal((await voice.move('pay', 'Order', paid)).code, null)
        const left = await stock()
        await later(0.99)
        assert.equal((await voice.read('Order', unpaid)).data.status, 'pending')
        await later(0.02)
        await until(async () => (await voice.read('Order', unpaid)).data.status === 'cancelled')
        assert.equal(await stock(), left + 3)
        assert.equal((await voice.read('Order', paid)).data.status, 'paid')
      }
    })

    test('3.3.5 articles are archived a year after they were written, at midnight', async () => {
      const article = { Article: { title: 'T', body: 'B', status: 'published', author: '{ada}' } }
      const { ids, voices } = await storyOf(service(), { ...people, old: article })
      const statuses = (id: string) =>
        Promise.all(voices('ada').map(async (voice) => (await voice.read('Article', id)).data.status))
      await later(364)
      const { ids: young } = await storyOf(service(), { ...people, recent: article })
      await later(2)
      await until(async () => (await statuses(ids.old)).every((status) => status === 'archived'))
      assert.deepEqual(await statuses(young.recent), ['published', 'published'])
    })
  },
  { limits: { duePollMs: 10, eventPollMs: 10 } },
)
