// Kept numbers and conditional moves, as the typed client has them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'duet-api/client'
import { board } from '../support/domain/board.ts'
import { withService } from '../support/server/service.ts'

withService(
  'the client of kept numbers',
  (service) => {
    const connect = () => createClient<typeof board>(service().url, { version: 'v2' })

    test('13.2.1 a record has its numbers, and lists are sorted and filtered by them', async () => {
      const client = connect()
      const { id: threadId, likesCount } = await client.threads.create({ title: 'T' })
      const first: number = likesCount
      assert.equal(first, 0)
      await client.likes.create({ threadId, by: 'ann' })
      await client.entries.create({ threadId, amount: '2.50' })
      const { data } = await client.threads.page({ sort: '-likesCount', filter: { minLikes: 1 } })
      const total: string | number = data[0]!.total
      assert.deepEqual([data[0]!.id, data[0]!.likesCount, total], [threadId, 1, '2.50'])
      // @ts-expect-error a number is only read
      await assert.rejects(client.threads.create({ title: 'T', likesCount: 5 }), { code: 'VALIDATION_ERROR' })
    })

    test('4.5.8 a move is made of the record as it was read, whatever was counted since', async () => {
      const client = connect()
      const { id } = await client.threads.create({ title: 'T' })
      const read = await client.threads.get(id)
      await client.likes.create({ threadId: id, by: 'ann' })
      const closed = await client.threads.close(id, {}, { ifMatch: read })
      assert.deepEqual([closed.state, closed.likesCount], ['closed', 1])
      await assert.rejects(client.threads.fill(id, {}, { ifMatch: read }), { code: 'CONFLICT' })
    })
  },
  { definition: board },
)
