// Rules about several records next to children that are replaced: they hold when the write is complete.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, is, many, one, optional, resource, service, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const lists = ['title', 'stages', 'tasks', 'notes'] as const
const Plan = resource('Plan', {
  prefix: 'pln',
  fields: {
    title: text({ max: 40 }),
    stages: many('Stage', 'plan'),
    tasks: many('Task', 'plan'),
    notes: many('Note', 'plan'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title'] },
    update: { allow: anyone, accept: lists },
  },
})
const Stage = resource('Stage', {
  prefix: 'stg',
  fields: { plan: one('Plan'), name: text({ max: 20 }) },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['plan', 'name'] },
    update: { allow: anyone, accept: ['name'] },
    delete: { allow: anyone },
  },
})
/** Keeps its stage from being deleted. */
const Task = resource('Task', {
  prefix: 'tsk',
  fields: { plan: one('Plan'), stage: one('Stage', { onDelete: 'restrict' }), name: text({ max: 20 }) },
  filter: { plan: is },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['plan', 'stage', 'name'] },
    update: { allow: anyone, accept: ['stage', 'name'] },
    delete: { allow: anyone },
  },
})
/** Is deleted with its stage; what it is like is cleared. */
const Note = resource('Note', {
  prefix: 'nte',
  fields: {
    plan: one('Plan'),
    stage: one('Stage', { cascade: 'regardless' }),
    like: optional(one('Stage')),
    name: text({ max: 20 }),
  },
  filter: { plan: is },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['plan', 'stage', 'like', 'name'] },
    update: { allow: anyone, accept: ['stage', 'like', 'name'] },
    delete: { allow: anyone },
  },
})
const plans = service({ resources: { User, Plan, Stage, Task, Note }, accounts, roles: { ANY: {} } })

withService(
  '13.1 Children that refer to each other',
  (running) => {
    const send = (line: string, body?: object) => running().send(line, body === undefined ? {} : { body })
    const made = async (path: string, body: object) => {
      const { body: answer, text } = await send(`POST /api/v1/${path}`, body)
      assert.ok(answer.data, text)
      return answer.data.id as string
    }
    /** A plan of two stages, of which the first is left out below, and a child that refers to it. */
    async function begin(path: 'tasks' | 'notes', field: string) {
      const plan_id = await made('plans', { title: 'P' })
      const first = await made('stages', { plan_id, name: 'first' })
      const other = await made('stages', { plan_id, name: 'other' })
      const stage_id = field === 'like_id' ? other : first
      const child = await made(path, { plan_id, name: 'child', stage_id, [field]: first })
      const patch = (own: object) =>
        send(`PATCH /api/v1/plans/${plan_id}`, { stages: [{ id: other }], [path]: [{ id: child, ...own }] })
      return { first, other, child, patch }
    }

    for (const [path, field] of [
      ['tasks', 'stage_id'],
      ['notes', 'stage_id'],
      ['notes', 'like_id'],
    ] as const)
      test(`13.1.9, 13.1.20 ${path} that leave by ${field} what is left out stay as the request says`, async () => {
        const { first, other, child, patch } = await begin(path, field)
        const { status, text } = await patch({ [field]: other })
        assert.equal(status, 200, text)
        assert.equal((await send(`GET /api/v1/${path}/${child}`)).body.data[field], other)
        assert.equal((await send(`GET /api/v1/stages/${first}`)).status, 404)
      })

    test('13.1.9, 13.1.20 what still refers to what is left out holds it back, and nothing is stored', async () => {
      const { first, child, patch } = await begin('tasks', 'stage_id')
      const { status, body } = await patch({ name: 'renamed' })
      assert.deepEqual([status, body.error.code], [422, 'BUSINESS_RULE_VIOLATION'])
      assert.equal((await send(`GET /api/v1/stages/${first}`)).status, 200)
      assert.equal((await send(`GET /api/v1/tasks/${child}`)).body.data.name, 'child')
    })
    test('13.1.9, 13.1.20 or goes with it, or is cleared', async () => {
      const gone = await begin('notes', 'stage_id')
      assert.equal((await gone.patch({ name: 'renamed' })).status, 200)
      assert.equal((await send(`GET /api/v1/notes/${gone.child}`)).status, 404)
      const cleared = await begin('notes', 'like_id')
      assert.equal((await cleared.patch({ name: 'renamed' })).status, 200)
      const { data } = (await send(`GET /api/v1/notes/${cleared.child}`)).body
      assert.deepEqual([data.name, data.like_id], ['renamed', null])
    })
  },
  { definition: plans },
)
