// What a record with a hundred children costs as one request, and as one for each of them.
// `node --conditions=duet-source bench/nested.ts [sqlite|postgres]`

import { createClient } from 'duet-api/client'
import type { billing } from '../test/support/domain/billing.ts'
import { account, enginesOf, withMeasuredService } from './measured-service.ts'

const children = Array.from({ length: 100 }, (_, index) => ({ text: `Word ${index}` }))

for (const engine of enginesOf(process.argv[2]))
  await withMeasuredService('billing', engine, async (url, measure) => {
    const client = createClient<typeof billing>(url, { version: 'v2', json: { preferences: true } })
    await client.users.create(account)
    await client.signIn(account)
    const together = () => client.notes.create({ text: 'Note', words: children })
    const apart = async () => {
      const { id } = await client.notes.create({ text: 'Note' })
      for (const child of children) await client.words.create({ ...child, noteId: id })
    }
    await Promise.all([together(), apart()])
    for (const atOnce of [1, 8]) {
      await measure({
        name: `40 notes of 100 words by one request each, ${atOnce} at once`,
        count: 40,
        atOnce,
        run: together,
      })
      await measure({ name: `40 by 101 requests each, ${atOnce} at once`, count: 40, atOnce, run: apart })
    }
  })
