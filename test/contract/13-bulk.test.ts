// Writes of all records for which a condition holds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyOf,
  anyone,
  integer,
  many,
  one,
  optional,
  own,
  password,
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
    owner: one('User', { cascade: 'regardless' }),
    points: integer({ default: 0, max: 1_000 }),
    status: state('open', 'shut'),
    notes: many('Note', 'case'),
    pin: optional(password({ min: 4, max: 20 })),
  },
  where: ['title', 'points', 'status', 'owner', 'notes.size'],
  counts: { notes: 'notes' },
  actions: {
    read: { allow: anyOf(own('owner'), when({ status: 'open' })) },
    update: {
      allow: own('owner'),
      accept: ['title', 'points', 'pin'],
      check: ({ input, record }) =>
        record.title !== 'fixed' || input.points === undefined || 'What is fixed keeps its points.',
    },
    delete: { allow: own('owner') },
    shut: { allow: own('owner'), from: 'open', to: 'shut' },
  },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: { case: one('Case', { cascade: 'regardless' }), size: integer({ default: 1 }) },
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
        return { ...answer, problem: answer.body.error?.details ?? answer.body.error?.message ?? answer.body }
      }
      const points = async (...names: Name[]) => {
        const read = names.map(async (name) => {
          const owner = name === 'other' || name === 'hidden' ? '{bob}' : '{ann}'
          const { status, body } = await running().send(`GET /api/v1/cases/{${name}}`, { as: owner, fixtures })
          return status === 200 ? body.data.points : status
        })
        return Promise.all(read)
      }
      const graphql = async (field: string, input: object) => {
        const filled = await fixtures.fill({ input })
        const text = `mutation ($input: ${field[0]!.toUpperCase()}${field.slice(1)}Input!) { done: ${field}(input: $input) { n: count __typename } }`
        const { body } = await running().graphql(text, { as: '{ann}', fixtures, variables: filled })
        return { count: body.data?.done?.n, error: body.errors?.[0]?.extensions, message: body.errors?.[0]?.message }
      }
      const move = async (body: unknown, query = '', headers: Readonly<Record<string, string>> = {}) => {
        const filled = await fixtures.fill({ body })
        return running().send(`POST /api/v1/cases/shut${query}`, { as: '{ann}', fixtures, body: filled.body, headers })
      }
      const statusOf = async (...names: Name[]) => {
        const read = names.map(async (name) => {
          const { body } = await running().send(`GET /api/v1/cases/{${name}}`, { as: '{ann}', fixtures })
          return body.data.status
        })
        return Promise.all(read)
      }
      return { fixtures, write, graphql, move, points, statusOf, idOf: (name: Name) => fixtures.idOf(name) }
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

    test('13.7.2 all or nothing: a refusal names the record by its id', async () => {
      const { write, points, idOf } = await begin()
      const [other, fixed] = [await idOf('other'), await idOf('fixed')]
      const both = '(owner = "{ann}" OR owner = "{bob}")'
      const foreign = await write('PATCH', { where: `${both} AND points < 3` }, { points: 5 })
      assert.equal(foreign.status, 403)
      assert.deepEqual(
        foreign.problem.map(({ field }: { field: string }) => field),
        [other],
      )
      const refused = await write('PATCH', { where: mine }, { points: 5 })
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.problem, [{ field: fixed, message: 'What is fixed keeps its points.' }])
      assert.equal((await write('DELETE', { where: both })).status, 403)
      assert.deepEqual(await points('one', 'two', 'fixed', 'other', 'hidden'), [1, 2, 3, 2, 1])
    })

    test('13.4.7 all records that a check refuses are reported, by a dry run too', async () => {
      const { fixtures, write, points, idOf } = await begin()
      const renamed = await running().send('PATCH /api/v1/cases/{two}', {
        as: '{ann}',
        fixtures,
        body: { title: 'fixed' },
      })
      assert.equal(renamed.status, 200)
      const expected = [await idOf('two'), await idOf('fixed')].sort()
      for (const query of [{ where: mine }, { where: mine, dry_run: 'true' }] as const) {
        const { status, problem } = await write('PATCH', query, { points: 5 })
        assert.equal(status, 422)
        assert.deepEqual(problem.map(({ field }: { field: string }) => field).sort(), expected)
      }
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
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
        wrong.problem.map(({ field }: { field: string }) => field),
        ['where', 'points'],
      )
      assert.equal((await write('PATCH', { where: mine, ids: '{one}' }, { points: 5 })).status, 400)
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
    })

    test('13.7.6 GraphQL changes, moves and deletes by the same conditions', async () => {
      const { graphql, points, statusOf, idOf } = await begin()
      const mineTree = { ownerId: { eq: '{ann}' } }
      const few = { and: [mineTree, { points: { lt: 3 } }] }
      assert.equal((await graphql('updateCasesWhere', { where: few, set: { points: 7 }, dryRun: true })).count, 2)
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
      assert.equal((await graphql('updateCasesWhere', { where: few, set: { points: 7 } })).count, 2)
      assert.deepEqual(await points('one', 'two', 'fixed', 'other', 'hidden'), [7, 7, 3, 2, 1])
      assert.equal((await graphql('shutCases', { whereText: `${mine} AND points = 7` })).count, 2)
      assert.deepEqual(await statusOf('one', 'two', 'fixed'), ['shut', 'shut', 'open'])
      assert.equal((await graphql('shutCases', { ids: ['{fixed}'], dryRun: false })).count, 1)
      assert.equal((await graphql('deleteCases', { ids: ['{one}'] })).count, 1)
      assert.equal((await graphql('deleteCases', { where: mineTree })).count, 2)
      assert.deepEqual(await points('one', 'two', 'fixed', 'other'), [404, 404, 404, 2])
      const foreign = await graphql('deleteCases', { where: { ownerId: { eq: '{bob}' } } })
      assert.equal(foreign.error.code, 'FORBIDDEN')
      assert.deepEqual(
        foreign.error.details.map(({ field }: { field: string }) => field),
        [await idOf('other')],
      )
    })

    test('13.7.6 what is wrong with the input of such a mutation has the names of that', async () => {
      const { graphql, points, idOf } = await begin()
      const nothing = await graphql('deleteCases', {})
      const empty = await graphql('deleteCases', { where: {} })
      const both = await graphql('deleteCases', { where: { points: { eq: 1 } }, ids: ['{one}'] })
      const twice = await graphql('deleteCases', { ids: ['{one}', '{one}'] })
      const unread = await graphql('updateCasesWhere', { whereText: 'colour = "red"', set: { points: 5_000 } })
      const unasked = await graphql('updateCasesWhere', { set: { points: 5 } })
      const fields = [nothing, empty, both, twice, unread, unasked].map(({ error }) => {
        assert.equal(error.code, 'VALIDATION_ERROR')
        return error.details.map(({ field }: { field: string }) => field)
      })
      assert.deepEqual(fields, [['where'], ['where'], ['ids'], ['ids[1]'], ['whereText', 'set.points'], ['where']])
      const refused = await graphql('updateCasesWhere', { whereText: mine, set: { points: 5 } })
      assert.deepEqual(refused.error.details, [
        { field: await idOf('fixed'), message: 'What is fixed keeps its points.' },
      ])
      const many = await graphql('deleteCases', { where: { points: { lt: 900 } } })
      assert.match(many.message, /^It would write \d+ cases, and 4 is the most at once\.$/)
      assert.deepEqual(await points('one', 'two', 'fixed'), [1, 2, 3])
    })

    test('13.7.7 a move on the collection, by a condition or by ids, with a dry run', async () => {
      const { move, statusOf, idOf } = await begin()
      const few = { where: `${mine} AND points < 3` }
      assert.deepEqual((await move(few, '?dry_run=true')).body, { meta: { matched: 2 } })
      assert.deepEqual(await statusOf('one', 'two'), ['open', 'open'])
      const done = await move(few)
      assert.deepEqual([done.status, done.body], [200, { meta: { updated: 2 } }])
      assert.deepEqual(await statusOf('one', 'two', 'fixed'), ['shut', 'shut', 'open'])
      const again = await move(few)
      assert.equal(again.status, 409, again.text)
      const byIds = await move({ ids: ['{fixed}'], input: {} })
      assert.deepEqual(
        [byIds.status, byIds.body.meta, byIds.body.data[0].id],
        [200, { updated: 1 }, await idOf('fixed')],
      )
      assert.equal((await move({ where: 'owner = "{bob}"' })).status, 403)
      for (const [body, fields] of [
        [{}, ['where']],
        [undefined, ['where']],
        [{ where: '' }, ['where']],
        [{ where: 5 }, ['where']],
        [{ ids: [] }, ['ids']],
        [{ ids: ['{one}'], where: mine }, ['ids']],
        [{ where: mine, input: 3 }, ['input']],
        [{ where: mine, input: { points: 3 } }, ['input.points']],
        [{ where: mine, points: 3 }, ['points']],
      ] as const) {
        const wrong = await move(body)
        assert.equal(wrong.status, 400, wrong.text)
        assert.deepEqual(
          wrong.body.error.details.map(({ field }: { field: string }) => field),
          fields,
        )
      }
    })

    test('13.7.7, 13.7.10 a key that comes again is answered the number of then', async () => {
      const { move, write, statusOf } = await begin()
      const key = { 'X-Idempotency-Key': crypto.randomUUID() }
      const few = { where: `${mine} AND status = "open" AND points < 3` }
      assert.deepEqual((await move(few, '?dry_run=true', key)).body, { meta: { matched: 2 } })
      assert.deepEqual((await move(few, '', key)).body, { meta: { updated: 2 } })
      await write('PATCH', { where: 'title = "fixed"' }, { title: 'free' })
      await write('PATCH', { where: 'title = "free"' }, { points: 1 })
      const again = await move(few, '', key)
      assert.deepEqual([again.status, again.body], [200, { meta: { updated: 2 } }])
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.deepEqual(await statusOf('fixed'), ['open'])
      const other = await move({ where: mine }, '', key)
      assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      const none = { where: 'points > 900' }
      const noneKey = { 'X-Idempotency-Key': crypto.randomUUID() }
      assert.deepEqual((await move(none, '', noneKey)).body, { meta: { updated: 0 } })
      assert.equal((await move(none, '', noneKey)).headers['idempotent-replayed'], 'true')
    })

    test('13.7.9 no password is written into several records', async () => {
      const { write, graphql, fixtures, idOf, points } = await begin()
      const ids = [await idOf('one'), await idOf('two')]
      const patch = (body: object) => running().send('PATCH /api/v1/cases', { as: '{ann}', fixtures, body })
      const shared = [{ field: 'pin', message: 'Is for a single record.' }]
      const few = `${mine} AND points < 3`
      assert.deepEqual((await write('PATCH', { where: few }, { pin: 'secret', points: 5 })).problem, shared)
      assert.deepEqual((await write('PATCH', { where: 'points > 900' }, { pin: 'secret' })).problem, shared)
      assert.deepEqual((await write('PATCH', { where: few, dry_run: 'true' }, { pin: 'secret' })).problem, shared)
      const byIds = await patch({ ids, pin: 'secret', points: 5 })
      assert.deepEqual([byIds.status, byIds.body.error.details], [400, shared])
      const { error } = await graphql('updateCasesWhere', { whereText: few, set: { pin: 'secret' } })
      assert.deepEqual([error.code, error.details], ['VALIDATION_ERROR', [{ ...shared[0], field: 'set.pin' }]])
      assert.deepEqual(await points('one', 'two'), [1, 2])
      assert.equal((await patch({ ids: [ids[0]], pin: 'secret' })).status, 200)
      assert.equal((await patch({ ids, pin: null, points: 5 })).status, 200)
      assert.deepEqual((await write('PATCH', { where: few }, { pin: null })).body, { meta: { updated: 0 } })
      assert.deepEqual(await points('one', 'two'), [5, 5])
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
