// Writes of all records for which a condition holds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyOf,
  anyone,
  integer,
  many,
  one,
  own,
  resource,
  type Service,
  service,
  signedIn,
  state,
  text,
  when,
} from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Case = resource('Case', {
  prefix: 'cas',
  fields: {
    title: text({ max: 40 }),
    owner: one('User'),
    points: integer({ default: 0, max: 1_000 }),
    status: state('open', 'shut'),
    notes: many('Note', 'case'),
  },
  where: ['title', 'points', 'status', 'owner', 'notes.size'],
  counts: { notes: 'notes' },
  actions: {
    read: { allow: anyOf(own('owner'), when({ status: 'open' })) },
    update: {
      allow: own('owner'),
      accept: ['title', 'points'],
      check: ({ input, record }) =>
        record.title !== 'fixed' || input.points === undefined || 'What is fixed keeps its points.',
    },
    delete: { allow: own('owner') },
    shut: { allow: own('owner'), from: 'open', to: 'shut' },
  },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: { case: one('Case', { onDelete: 'cascade' }), size: integer({ default: 1 }) },
  where: ['size'],
  actions: {
    read: { allow: anyone },
    update: { allow: signedIn, accept: ['size'], effect: async () => {} },
    delete: { allow: signedIn },
  },
})
const definition: Service<unknown> = service({ resources: { User, Case, Note }, accounts, roles: { ANY: {} } } as never)

const given = {
  ann: { User: {} },
  bob: { User: {} },
  one: { Case: { title: 'one', owner: '{ann}', points: 1 } },
  two: { Case: { title: 'two', owner: '{ann}', points: 2 } },
  fixed: { Case: { title: 'fixed', owner: '{ann}', points: 3 } },
  other: { Case: { title: 'other', owner: '{bob}', points: 2 } },
  hidden: { Case: { title: 'hidden', owner: '{bob}', points: 1, status: 'shut' } },
  first: { Note: { case: '{one}' } },
  second: { Note: { case: '{two}', size: 9 } },
} as const
type Name = keyof typeof given

withService(
  '13.7 writes by a condition',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name as Name)
      const write = async (method: string, query: Readonly<Record<string, string>>, body?: unknown) => {
        const filled = await fixtures.fill({ query, body })
        const text = new URLSearchParams(filled.query).toString()
        const answer = await running().send(`${method} /api/v1/cases?${text}`, {
          as: '{ann}',
          fixtures,
          body: filled.body,
        })
        return { ...answer, told: answer.body.error?.details ?? answer.body.error?.message ?? answer.body }
      }
      const points = async (...names: Name[]) => {
        const read = names.map(async (name) => {
          const owner = name === 'other' || name === 'hidden' ? '{bob}' : '{ann}'
          const { status, body } = await running().send(`GET /api/v1/cases/{${name}}`, { as: owner, fixtures })
          return status === 200 ? body.data.points : status
        })
        return Promise.all(read)
      }
      return { fixtures, write, points, idOf: (name: Name) => fixtures.idOf(name) }
    }
    const mine = 'owner = "{ann}"'

    test('13.7.1 a change is made of every record for which it holds, and of no other', async () => {
      const { write, points } = await begin()
      const { status, body } = await write('PATCH', { where: `${mine} AND points < 3` }, { points: 7 })
      assert.deepEqual([status, body], [200, { meta: { updated: 2 } }])
      assert.deepEqual(await points('one', 'two', 'fixed', 'other', 'hidden'), [7, 7, 3, 2, 1])
      const none = await write('PATCH', { where: `${mine} AND points > 900` }, { points: 7 })
      assert.deepEqual([none.status, none.body], [200, { meta: { updated: 0 } }])
    })

    test('13.7.1 a delete as well, with all that goes with a record, and by ids', async () => {
      const { write, points, fixtures, idOf } = await begin()
      const { status, body } = await write('DELETE', { where: `${mine} AND some(notes, size = 9)` })
      assert.deepEqual([status, body], [200, { meta: { deleted: 1 } }])
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 404, 3])
      assert.equal((await running().send('GET /api/v1/notes/{second}', { as: '{ann}', fixtures })).status, 404)
      const byIds = await write('DELETE', { ids: '{one},{fixed}' })
      assert.deepEqual([byIds.status, byIds.body], [200, { meta: { deleted: 2 } }])
      const gone = await write('DELETE', { ids: '{one}' })
      assert.equal(gone.status, 404)
      const others = await write('DELETE', { ids: `${await idOf('other')}` })
      assert.equal(others.status, 403)
      assert.deepEqual(await points('one', 'fixed', 'other'), [404, 404, 2])
    })

    test('13.7.2 all or nothing: what one record may not is told by its id', async () => {
      const { write, points, idOf } = await begin()
      const [other, fixed] = [await idOf('other'), await idOf('fixed')]
      const both = '(owner = "{ann}" OR owner = "{bob}")'
      const foreign = await write('PATCH', { where: `${both} AND points < 3` }, { points: 5 })
      assert.equal(foreign.status, 403)
      assert.deepEqual(
        foreign.told.map(({ field }: { field: string }) => field),
        [other],
      )
      const refused = await write('PATCH', { where: mine }, { points: 5 })
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.told, [{ field: fixed, message: 'What is fixed keeps its points.' }])
      assert.equal((await write('DELETE', { where: both })).status, 403)
      assert.deepEqual(await points('one', 'two', 'fixed', 'other', 'hidden'), [1, 2, 3, 2, 1])
    })

    test('13.7.3 a dry run checks all that and stores nothing', async () => {
      const { write, points } = await begin()
      const changes = { where: `${mine} AND points < 3`, dry_run: 'true' }
      assert.deepEqual((await write('PATCH', changes, { points: 5 })).body, { meta: { matched: 2 } })
      assert.deepEqual((await write('DELETE', changes)).body, { meta: { matched: 2 } })
      assert.deepEqual((await write('DELETE', { ids: '{one}', dry_run: 'true' })).body, { meta: { matched: 1 } })
      assert.equal((await write('PATCH', { where: mine, dry_run: 'true' }, { points: 5 })).status, 422)
      assert.equal((await write('PATCH', changes, { points: 5_000 })).status, 400)
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
      const real = { ...changes, dry_run: 'false' }
      assert.deepEqual((await write('PATCH', real, { points: 5 })).body, { meta: { updated: 2 } })
    })

    test('13.7.4 no condition is never all', async () => {
      const { write, points } = await begin()
      for (const query of [{ where: '' }, {}, { dry_run: 'true' }] as const) {
        assert.equal((await write('DELETE', query)).status, 400)
        assert.equal((await write('PATCH', query, { points: 5 })).status, 400)
      }
      for (const [query, body] of [
        [{ where: mine, ids: '{one}' }, undefined],
        [{ where: mine, dry_run: 'yes' }, undefined],
        [{ where: 'colour = "red"' }, undefined],
        [{ where: mine }, { points: 5 }],
      ] as const)
        assert.equal((await write('DELETE', query, body)).status, 400)
      const wrong = await write('PATCH', { where: 'colour = "red"' }, { points: 'many' })
      assert.deepEqual(
        wrong.told.map(({ field }: { field: string }) => field),
        ['where', 'points'],
      )
      assert.equal((await write('PATCH', { where: mine, ids: '{one}' }, { points: 5 })).status, 400)
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
    })

    test('13.7.5 what has an effect reaches as many as a batch, all else as many as one write', async () => {
      const { fixtures, idOf } = await begin()
      const [first] = [await idOf('first')]
      const send = (line: string, body?: unknown) => running().send(line, { as: '{ann}', fixtures, body })
      const few = await send(`PATCH /api/v1/notes?where=${encodeURIComponent('size < 1000')}`, { size: 4 })
      assert.equal(few.status, 422, few.text)
      assert.match(few.body.error.message, /^It would write \d+ notes, and 2 is the most at once\.$/)
      const one = await send(`PATCH /api/v1/notes?where=${encodeURIComponent('size > 1000')}`, { size: 4 })
      assert.deepEqual(one.body, { meta: { updated: 0 } })
      const all = await send(`DELETE /api/v1/cases?where=${encodeURIComponent('points < 900')}`)
      assert.equal(all.status, 422, all.text)
      assert.match(all.body.error.message, /^It would write \d+ cases, and 4 is the most at once\.$/)
      assert.equal((await send(`GET /api/v1/notes/${first}`)).body.data.size, 1)
    })
  },
  { definition, limits: { batch: 2, recordsPerWrite: 4 } },
)
