// How long an import takes that can be run again: 10,000 records put through the client by their keys, half of them of records that are there.
// node --conditions=duet-source --test bench/import.ts

import { test } from 'node:test'
import { createClient } from 'duet-api/client'
import { ledger } from '../test/support/domain/ledger.ts'
import { withService } from '../test/support/server/service.ts'

const records = 10_000
/** Requests at once. */
const concurrency = 64

withService(
  'an import',
  (service) => {
    test(`${records} records`, { timeout: 300_000 }, async (t) => {
      const token = await service().token(await service().fixtures().idOf('viewer'))
      const client = createClient<typeof ledger>(service().url, {
        version: 'v2',
        json: { preferences: true },
        accessToken: () => token,
      })
      async function run(from: number, to: number): Promise<number> {
        const start = performance.now()
        let next = from
        const worker = async () => {
          while (next < to) {
            const number = next++
            await client.customers.upsert(
              { externalId: `c-${number}` },
              { code: `c-${number}`, name: `Customer ${number}` },
            )
          }
        }
        await Promise.all(Array.from({ length: concurrency }, worker))
        return performance.now() - start
      }
      await run(0, records / 2)
      const tookMs = await run(0, records)
      t.diagnostic(`${service().engine}: ${(tookMs / 1000).toFixed(1)} s`)
    })
  },
  { definition: ledger },
)
