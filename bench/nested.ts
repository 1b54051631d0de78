// What a record with a hundred children costs as one request, and as one for each of them.
// `node --conditions=duet-source bench/nested.ts [sqlite|postgres]`

import { createClient } from 'duet-api/client'
import type { billing } from '../test/support/domain/billing.ts'
import { account, enginesOf, withMeasuredService } from './measured-service.ts'
import { sized } from './scale.ts'

const [count, words] = [sized(40, 2), sized(100, 5)]
const children = Array.from({ length: words }, (_, index) => ({ text: `Word ${index}` }))

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
    await measure({ name: `${count} times ${words} words changed by one request`, count, atOnce: 1, run: replacing })
    await measure({ name: `${count} times by ${words} requests`, count, atOnce: 1, run: changing })
    for (const atOnce of [1, 8]) {
      await measure({
        name: `${count} notes of ${words} words by one request each, ${atOnce} at once`,
        count,
        atOnce,
        run: together,
      })
      await measure({ name: `${count} by ${words + 1} requests each, ${atOnce} at once`, count, atOnce, run: apart })
    }
  })
