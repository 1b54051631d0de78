// What a write of many costs the database: as many statements for 64 records as for 16.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cost, withQuietService } from '../support/check/statement-counter.ts'
import { backlog } from '../support/domain/backlog.ts'
import type { Recipe } from '../support/rows/fixtures.ts'

withQuietService(
  'the statements of a write of many',
  (running) => {
    test('do not grow with its records, whose numbers are kept and whose events are told', async () => {
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
      const [few, many] = counts
      assert.deepEqual(many, few)
      assert(Math.max(...many!) < 16, `${many}`)
    })
  },
  { definition: backlog },
)
