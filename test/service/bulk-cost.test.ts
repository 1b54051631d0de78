// What a write of many costs the database: as many statements for 64 records as for 16.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cost, withQuietService } from '../support/check/statement-counter.ts'
import { backlog } from '../support/domain/backlog.ts'
import type { Recipe } from '../support/rows/fixtures.ts'

withQuietService(
  'the statements of a write of many',
  (running) => {
    test('do not grow with its records, whose numbers are kept and whose events are delivered', async () => {
      const counts: number[][] = []
      for (const size of [16, 64]) {
        const recipes: Record<string, Recipe> = { ann: { User: {} }, project: { Project: { name: 'P' } } }
        for (let number = 0; number < size; number++)
          recipes[`task ${number}`] = { Task: { title: 'T', owner: '{ann}', project: '{project}' } }
        const fixtures = running().fixtures(recipes)
        for (const name of Object.keys(recipes)) await fixtures.idOf(name)
        const where = `project = "${await fixtures.idOf('project')}"`
        const query = `where=${encodeURIComponent(where)}`
        const send = async (line: string, body: object) => {
          const { status, text } = await running().send(line, { as: '{ann}', fixtures, body })
          assert.deepEqual([status, text], [200, `{"meta":{"updated":${size}}}`])
        }
        // Signs in, and makes the statements.
        await send(`PATCH /api/v2/tasks?${query}`, { points: 1 })
        const change = await cost(running(), () => send(`PATCH /api/v2/tasks?${query}`, { points: 2 }))
        const move = await cost(running(), () => send('POST /api/v2/tasks/start', { where }))
        counts.push([change.statements, move.statements])
        const { body } = await running().send('GET /api/v2/projects/{project}', { fixtures })
        assert.deepEqual([body.data.points, body.data.open_count], [2 * size, 0])
      }
      assertAlike(counts)
    })

    test('do not grow with its records, whose links are replaced', async () => {
      const counts: number[][] = []
      for (const size of [16, 64]) {
        const recipes: Record<string, Recipe> = {
          ann: { User: {} },
          project: { Project: { name: 'P' } },
          red: { Tag: { name: 'red' } },
          blue: { Tag: { name: 'blue' } },
        }
        for (let number = 0; number < size; number++)
          recipes[`task ${number}`] = { Task: { title: 'T', owner: '{ann}', project: '{project}' } }
        const fixtures = running().fixtures(recipes)
        for (const name of Object.keys(recipes)) await fixtures.idOf(name)
        const query = `where=${encodeURIComponent(`project = "${await fixtures.idOf('project')}"`)}`
        const replace = async (...tags: readonly string[]) => {
          const body = { tag_ids: tags.map((name) => `{${name}}`) }
          const { status, text } = await running().send(`PATCH /api/v2/tasks?${query}`, { as: '{ann}', fixtures, body })
          assert.deepEqual([status, text], [200, `{"meta":{"updated":${size}}}`])
        }
        await replace('red')
        const both = await cost(running(), () => replace('red', 'blue'))
        const other = await cost(running(), () => replace('blue'))
        counts.push([both.statements, other.statements])
        for (const number of [0, size - 1]) {
          const { body } = await running().send(`GET /api/v2/tasks/{task ${number}}`, { as: '{ann}', fixtures })
          assert.deepEqual(body.data.tag_ids, [await fixtures.idOf('blue')])
        }
      }
      assertAlike(counts)
    })
  },
  { definition: backlog },
)

/** Whoever tells of events looks for them a moment later, which may still be counted. */
function assertAlike([few, many]: readonly number[][]): void {
  for (const [at, statements] of many!.entries())
    assert(statements <= few![at]! + 2 && statements < 16, `${many} of many, ${few} of few`)
}
