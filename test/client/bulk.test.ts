// Writes of many records through the typed client: by ids or by a condition, with a dry run.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, DuetError, isReplayed } from 'duet-api/client'
import { backlog } from '../support/domain/backlog.ts'
import { withService } from '../support/server/service.ts'

const code = (expected: string) => (error: unknown) => error instanceof DuetError && error.code === expected

withService(
  'writes of many in the client',
  (service) => {
    /** A client of somebody new, who has three tasks; the answer to the first `losing` after that is lost. */
    async function begin(losing?: string) {
      const fixtures = service().fixtures({ ann: { User: {} } })
      const token = await service().token(await fixtures.idOf('ann'))
      const lost = new Set<string>()
      const sent: string[] = []
      const client = createClient<typeof backlog>(service().url, {
        version: 'v2',
        accessToken: () => token,
        retry: { pauseMs: 1 },
        surroundings: {
          async fetch(url, options) {
            const answer = await fetch(url, options)
            const method = options?.method ?? 'GET'
            sent.push(method)
            if (lost.delete(method)) throw new TypeError('fetch failed')
            return answer
          },
        },
      })
      const project = crypto.randomUUID()
      const values = [1, 2, 3].map((points) => ({ title: `${project.slice(0, 30)} ${points}`, points }))
      const tasks = await client.tasks.createMany(values)
      const ids = tasks.map(({ id }) => id)
      const mine = { id: { in: ids } }
      const points = async () => {
        const all = await Array.fromAsync(client.tasks.list({ where: mine, sort: 'title' }))
        return all.map((each) => each.points)
      }
      sent.length = 0
      if (losing !== undefined) lost.add(losing)
      return { client, ids, mine, points, sent }
    }

    test('13.7.1 a change and a delete of all for which a condition holds', async () => {
      const { client, mine, points } = await begin()
      const few = { where: { and: [mine, { points: { lt: 3 } }] } }
      assert.deepEqual(await client.tasks.updateMany(few, { points: 7 }, { dryRun: true }), { count: 2 })
      assert.deepEqual(await points(), [1, 2, 3])
      assert.deepEqual(await client.tasks.updateMany(few, { points: 7 }), { count: 2 })
      assert.deepEqual(await points(), [7, 7, 3])
      assert.deepEqual(await client.tasks.updateMany(few, { points: 8 }), { count: 0 })
      const large = { where: { ...mine, points: { gt: 5 } } }
      assert.deepEqual(await client.tasks.deleteMany(large, { dryRun: true }), { count: 2 })
      assert.deepEqual(await client.tasks.deleteMany(large), { count: 2 })
      assert.deepEqual(await points(), [3])
    })

    test('13.7.1 by ids: a change answers the records, a delete and a dry run their number', async () => {
      const { client, ids, points } = await begin()
      const [first, second, third] = ids
      const dry = await client.tasks.updateMany([first!, second!], { projectId: null, points: 9 }, { dryRun: true })
      assert.deepEqual(dry, { count: 2 })
      const changed = await client.tasks.updateMany([second!, first!], { points: 9 })
      assert.deepEqual(
        changed.map(({ id, points }) => [id, points]),
        [
          [second, 9],
          [first, 9],
        ],
      )
      assert.deepEqual(await client.tasks.deleteMany([third!], { dryRun: true }), { count: 1 })
      assert.deepEqual(await client.tasks.deleteMany([third!, first!]), { count: 2 })
      assert.deepEqual(await points(), [9])
      await assert.rejects(client.tasks.deleteMany([first!, second!]), code('NOT_FOUND'))
      assert.deepEqual(await points(), [9])
    })

    test('13.7.7 a move of many, with input or without', async () => {
      const { client, ids, mine } = await begin()
      assert.deepEqual(await client.tasks.start.many({ where: mine }, {}, { dryRun: true }), { count: 3 })
      assert.deepEqual(await client.tasks.start.many({ where: { ...mine, points: { lt: 3 } } }), { count: 2 })
      const [started] = await client.tasks.start.many([ids[2]!])
      assert.deepEqual([started?.id, started?.status], [ids[2], 'doing'])
      assert.deepEqual(await client.tasks.finish.many([ids[0]!], { result: 'R' }, { dryRun: true }), { count: 1 })
      const where = `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})`
      assert.deepEqual(await client.tasks.finish.many({ where }, { result: 'It runs.' }), { count: 3 })
      const all = await Array.fromAsync(client.tasks.list({ where: mine }))
      assert.deepEqual(new Set(all.map(({ result }) => result)), new Set(['It runs.']))
      await assert.rejects(client.tasks.finish.many({ where }), code('CONFLICT'))
    })

    test('13.7.2 a refusal names the record by its id', async () => {
      const { client, ids, mine, points } = await begin()
      await client.tasks.update(ids[1]!, { title: 'fixed' })
      await assert.rejects(
        client.tasks.updateMany({ where: mine }, { points: 5 }),
        (error: unknown) => error instanceof DuetError && error.details?.[0]?.field === ids[1],
      )
      assert.deepEqual((await points()).toSorted(), [1, 2, 3])
    })

    test('13.7.4 a condition with a hole in it is not sent', async () => {
      const { client, mine, sent, points } = await begin()
      const hole = { ...mine, points: undefined } as never
      await assert.rejects(client.tasks.deleteMany({ where: hole }), code('VALIDATION_ERROR'))
      await assert.rejects(client.tasks.updateMany({ where: hole }, { points: 5 }), code('VALIDATION_ERROR'))
      await assert.rejects(client.tasks.start.many({ where: hole }), code('VALIDATION_ERROR'))
      assert.deepEqual(sent, [])
      await assert.rejects(client.tasks.deleteMany({ where: {} }), code('VALIDATION_ERROR'))
      await assert.rejects(client.tasks.deleteMany([]), code('VALIDATION_ERROR'))
      assert.deepEqual(await points(), [1, 2, 3])
    })

    test('13.7.7 a move whose answer is lost is sent again with its key; a change and a delete are not', async () => {
      const moving = await begin('POST')
      const few = { where: { ...moving.mine, status: { eq: 'open' as const }, points: { lt: 3 } } }
      const key = { idempotencyKey: crypto.randomUUID() }
      const first = await moving.client.tasks.start.many(few, {}, key)
      assert.deepEqual([first, isReplayed(first), moving.sent], [{ count: 2 }, true, ['POST', 'POST']])
      const again = await moving.client.tasks.start.many(few, {}, key)
      assert.deepEqual([again, isReplayed(again)], [{ count: 2 }, true])
      const other = await moving.client.tasks.start.many(few)
      assert.deepEqual([other, isReplayed(other)], [{ count: 0 }, false])

      for (const method of ['PATCH', 'DELETE'] as const) {
        const { client, mine, points, sent } = await begin(method)
        const write = () =>
          method === 'PATCH'
            ? client.tasks.updateMany({ where: mine }, { points: 5 })
            : client.tasks.deleteMany({ where: mine })
        await assert.rejects(write(), code('NETWORK_ERROR'))
        assert.deepEqual(sent, [method])
        assert.deepEqual(await points(), method === 'PATCH' ? [5, 5, 5] : [])
        const dry = await begin(method)
        const where = { where: dry.mine }
        const counted =
          method === 'PATCH'
            ? dry.client.tasks.updateMany(where, { points: 5 }, { dryRun: true })
            : dry.client.tasks.deleteMany(where, { dryRun: true })
        assert.deepEqual([await counted, dry.sent], [{ count: 3 }, [method, method]])
      }
    })
  },
  { definition: backlog },
)
