// How long an import takes that can be run again: 10,000 records put through the client by their keys, half of them of records that
// are there, and as many created by batches of a hundred.
// `node --conditions=duet-source bench/import.ts [sqlite|postgres]`

import { createClient } from 'duet-api/client'
import type { ledger } from '../test/support/domain/ledger.ts'
import { account, enginesOf, withMeasuredService } from './measured-service.ts'
import { sized } from './scale.ts'

const [records, atOnce] = [sized(10_000, 200), 64]

for (const engine of enginesOf(process.argv[2]))
  await withMeasuredService('ledger', engine, async (url, measure) => {
    const client = createClient<typeof ledger>(url, { version: 'v2', json: { preferences: true } })
    await client.users.create(account)
    await client.signIn(account)
    const upsert = (index: number) =>
      client.customers.upsert({ externalId: `c-${index}` }, { code: `c-${index}`, name: `Customer ${index}` })
    const batch = (first: number) => {
      const names = Array.from({ length: 100 }, (_, index) => `b-${first * 100 + index}`)
      return client.customers.createMany(names.map((name) => ({ externalId: name, code: name, name })))
    }
    await measure({ name: 'the first half', count: records / 2, atOnce, run: upsert })
    await measure({ name: 'all of them, half of which are there', count: records, atOnce, run: upsert })
    await measure({ name: 'all of them again', count: records, atOnce, run: upsert })
    await measure({ name: 'by batches of 100', count: records / 100, atOnce, run: batch })
  })
