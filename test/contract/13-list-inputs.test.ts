// What checks and effects are given of the lists of an input, through both faces. (contract 13.1.23)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, many, manyToMany, one, optional, resource, service, signedIn, text } from 'duet-api'
import { faceNames } from '../support/client/both-faces.ts'
import { accounts, User } from '../support/domain/account.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { withService } from '../support/server/service.ts'

const Tag = resource('Tag', {
  prefix: 'tag',
  fields: { name: text({ max: 20 }), orders: manyToMany('Order', 'tags') },
  actions: { read: { allow: signedIn } },
})
const Detail = resource('Detail', {
  prefix: 'dtl',
  fields: { line: one('Line', { cascade: 'regardless' }), text: text({ max: 20 }) },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['line', 'text'] },
    update: { allow: signedIn, accept: ['text'] },
    delete: { allow: signedIn },
  },
})
const Line = resource('Line', {
  prefix: 'lin',
  fields: {
    order: one('Order'),
    quantity: integer(),
    details: many('Detail', 'line'),
    tasks: many('Task', 'line'),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['order', 'quantity', 'details'] },
    update: { allow: signedIn, accept: ['quantity', 'details'] },
    delete: { allow: signedIn },
  },
})
/** What an effect makes for a line that is not stored yet. */
const Task = resource('Task', {
  prefix: 'tsk',
  fields: { line: one('Line', { cascade: 'regardless' }), order: one('Order') },
  actions: { read: { allow: signedIn } },
})
type Lines = readonly { readonly id: string; readonly [field: string]: unknown }[]
/** `2x5 (a, b)`; a line that is kept has an id alone. */
const shown = (lines: Lines | undefined) =>
  lines
    ?.map(
      ({ quantity, details }) => `${quantity ?? 'kept'} ${(details as Lines)?.map((each) => each['text']).join('+')}`,
    )
    .join(' / ') ?? 'none'
const Order = resource('Order', {
  prefix: 'ord',
  fields: {
    name: optional(text({ max: 20 })),
    lines: many('Line', 'order'),
    tasks: many('Task', 'order'),
    tags: manyToMany('Tag', 'orders'),
    seen: optional(text({ max: 200 })),
  },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['name', 'lines', 'tags'],
      check: ({ input }) => input.lines.length + input.tagIds.length < 5 || `It has ${shown(input.lines)}.`,
      effect: async ({ id, input, records, assign }) => {
        assign({ seen: `${shown(input.lines)}; ${input.tagIds.length}` })
        for (const line of input.lines) await records.create(Task, { line: line.id, order: id })
      },
    },
    update: {
      allow: signedIn,
      accept: ['name', 'lines', 'tags'],
      check: ({ input }) => (input.lines?.length ?? 0) < 4 || `It has ${shown(input.lines)}.`,
      effect: async ({ record, input, records, assign }) => {
        assign({ seen: `${shown(input.lines)}; ${input.tagIds?.length ?? 'none'}` })
        if (input.name === 'tasks')
          for (const line of input.lines ?? []) await records.create(Task, { line: line.id, order: record.id })
      },
    },
  },
})
const Maker = resource('Maker', {
  prefix: 'mkr',
  fields: { text: text({ max: 20 }) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['text'],
      effect: async ({ records }) => void (await records.create(Order, { name: 'by code' })),
    },
  },
})

withService(
  '13.1 lists in inputs, as code sees them',
  (running) => {
    const begin = async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        red: { Tag: { name: 'red' } },
        blue: { Tag: { name: 'blue' } },
      })
      for (const name of ['ann', 'red', 'blue']) await fixtures.idOf(name)
      return fixtures
    }
    type Sent = Readonly<Record<string, unknown>>
    /** The order that comes back, or its failure. */
    const send = async (face: string, fixtures: Fixtures, input: Sent, id?: string) => {
      const { tagIds, ...rest } = input
      const ask = { as: '{ann}' as const, fixtures }
      if (face === 'REST') {
        const body = { ...rest, ...(tagIds === undefined ? {} : { tag_ids: tagIds }) }
        const line = id === undefined ? 'POST /api/v1/orders' : `PATCH /api/v1/orders/${id}`
        const answer = await running().send(line, { ...ask, body })
        return answer.body.data ?? answer.body.error
      }
      const action = id === undefined ? 'create' : 'update'
      const name = `${action}Order`
      const sentId = id === undefined ? '' : `id: "${id}", `
      const query = `mutation ($input: ${id === undefined ? 'Create' : 'Update'}OrderInput!) { ${name}(${sentId}input: $input) { id seen } }`
      const { body } = await running().graphql(query, { ...ask, variables: { input } })
      return body.data?.[name] ?? body.errors[0]
    }
    const tasksOf = async (id: string) => (await running().tables('tasks')).filter((row) => row.includes(id))
    const linesOf = async (id: string) => (await running().tables('lines')).filter((row) => row.includes(id))

    test('13.1.23 a create has its lists, and the ids of its children', async () => {
      for (const face of faceNames) {
        const fixtures = await begin()
        const lines = [{ quantity: 2, details: [{ text: 'a' }, { text: 'b' }] }, { quantity: 7 }]
        const made = await send(face, fixtures, { lines, tagIds: ['{red}', '{blue}'] })
        assert.equal(made.seen, '2 a+b / 7 ; 2', JSON.stringify(made))
        const tasks = await tasksOf(made.id)
        const stored = new Set(
          (await linesOf(made.id)).map((row) => row.find((each) => String(each).startsWith('lin_'))),
        )
        assert.equal(tasks.length, 2)
        for (const task of tasks) assert.ok(task.some((each) => stored.has(each)))
        assert.equal((await send(face, fixtures, {})).seen, '; 0')
        const refused = await send(face, fixtures, { lines: [1, 2, 3, 4, 5].map((quantity) => ({ quantity })) })
        assert.equal(refused.message, 'It has 1  / 2  / 3  / 4  / 5 .')
      }
    })

    test('13.1.23 an update has the lists that were sent: new, changed and kept children', async () => {
      for (const face of faceNames) {
        const fixtures = await begin()
        const made = await send(face, fixtures, { lines: [{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }] })
        const ids = (await linesOf(made.id)).map((row) => row.find((each) => String(each).startsWith('lin_')) as string)
        const [one, two] = ids.sort()
        assert.equal((await send(face, fixtures, { name: 'n' }, made.id)).seen, 'none; none')
        const lines = [{ id: two }, { quantity: 9 }, { id: one, quantity: 8, details: [{ text: 'c' }] }]
        const changed = await send(face, fixtures, { name: 'tasks', lines, tagIds: ['{red}'] }, made.id)
        assert.equal(changed.seen, 'kept undefined / 9  / 8 c; 1', JSON.stringify(changed))
        assert.equal((await tasksOf(made.id)).length, 3 + 3, 'of each line of the create, and of each of the update')
        const many = [...lines, { quantity: 4 }]
        assert.equal(
          (await send(face, fixtures, { lines: many }, made.id)).message,
          'It has kept undefined / 9  / 8 c / 4 .',
        )
      }
    })

    test('13.1.23 of a batch, each record has its own; what code creates has empty ones', async () => {
      const fixtures = await begin()
      const orders = [
        { lines: [{ quantity: 1 }] },
        {},
        { lines: [{ quantity: 2 }, { quantity: 3 }], tag_ids: ['{red}'] },
      ]
      const { body } = await running().send('POST /api/v1/orders/batch', { as: '{ann}', fixtures, body: { orders } })
      assert.deepEqual(
        body.data.map(({ seen }: { seen: string }) => seen),
        ['1 ; 0', '; 0', '2  / 3 ; 1'],
      )
      const made = await running().send('POST /api/v1/makers', { as: '{ann}', fixtures, body: { text: 'x' } })
      assert.equal(made.status, 201, made.text)
      const own = (await running().tables('orders')).find((row) => row.includes('by code'))
      assert.ok(own?.includes('; 0'))
    })
  },
  { definition: service({ resources: { User, Tag, Detail, Line, Task, Order, Maker }, accounts, roles: { ANY: {} } }) },
)
