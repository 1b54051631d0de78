// Writes of many records at once: they share transactions, and each is as if it were alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionIn } from '../support/check/version-in.ts'
import { ledger } from '../support/domain/ledger.ts'
import { withService } from '../support/server/service.ts'

withService(
  'writes at once',
  (service) => {
    const at = (index: number) => `/api/v2/customers/by/external_id/s%20${index}%20{word}`
    const count = 32
    const putAll = async (fixtures: ReturnType<ReturnType<typeof service>['fixtures']>, name: string) => {
      const before = service().store.counts.transactions
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          service().send(`PUT ${at(index)}`, { as: 'viewer', fixtures, body: { code: `s ${index} {word}`, name } }),
        ),
      )
      const statuses = new Set(answers.map(({ status }) => status))
      return { statuses: [...statuses], transactions: service().store.counts.transactions - before }
    }

    test('replacements of different records share transactions, as new records do', async () => {
      const fixtures = service().fixtures({})
      assert.deepEqual((await putAll(fixtures, 'first')).statuses, [201])
      const { statuses, transactions } = await putAll(fixtures, 'second')
      assert.deepEqual(statuses, [200])
      assert(transactions <= count / 2, `${transactions} transactions for ${count} replacements`)
      for (const index of [0, count - 1]) {
        const { body, headers } = await service().send(`GET ${at(index)}`, { as: 'viewer', fixtures })
        assert.deepEqual([body.data.name, versionIn(headers['etag'])], ['second', 2])
      }
    })

    test('of many that change one version of a record one succeeds, and none is lost without it', async () => {
      const fixtures = service().fixtures({})
      await service().send(`PUT ${at(0)}`, { as: 'viewer', fixtures, body: { code: 'v {word}', name: 'N' } })
      const change = (headers: Readonly<Record<string, string>>) =>
        Promise.all(
          Array.from({ length: 10 }, async (_, index) => {
            const body = { name: `N${index}` }
            const id = (await service().send(`GET ${at(0)}`, { as: 'viewer', fixtures })).body.data.id
            return (await service().send(`PATCH /api/v2/customers/${id}`, { as: 'viewer', fixtures, headers, body }))
              .status
          }),
        )
      const statuses = await change({ 'If-Match': '"1.0"' })
      assert.deepEqual(statuses.toSorted(), [200, ...Array.from({ length: 9 }, () => 409)])
      assert.deepEqual(new Set(await change({})), new Set([200]))
      const { headers } = await service().send(`GET ${at(0)}`, { as: 'viewer', fixtures })
      assert.equal(versionIn(headers['etag']), 12)
      service().assertLog()
    })
  },
  { definition: ledger },
)
