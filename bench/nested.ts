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
    const { id } = await client.notes.create({ text: 'Note', words: children })
    const listed = async () => {
      const ids: string[] = []
      for await (const word of client.notes.words.list(id, { limit: 100 })) ids.push(word.id)
      return ids
    }
    let turn = 0
    const replacing = async () => {
      turn++
      const words = (await listed()).map((word, at) => ({ id: word as never, text: `Word ${at} of ${turn}` }))
      await client.notes.update(id, { words })
    }
    const changing = async () => {
      turn++
      for (const [at, word] of (await listed()).entries())
        await client.words.update(word as never, { text: `Word ${at} of ${turn}` })
    }
    await replacing()
    await measure({ name: '40 times 100 words changed by one request', count: 40, atOnce: 1, run: replacing })
    await measure({ name: '40 times by 100 requests', count: 40, atOnce: 1, run: changing })
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
