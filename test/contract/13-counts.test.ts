// Numbers that records keep of their lists: always what there is, through both faces, whatever changes the list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { anyone, service as duet, many, one, own, resource } from 'duet-api'
import pg from 'pg'
import { versionIn } from '../support/check/version-in.ts'
import type { Answer } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { board } from '../support/domain/board.ts'
import { wrongNumbers } from '../support/oracle/board-numbers.ts'
import { type Caller, withService } from '../support/server/service.ts'

withService(
  '13.2 Kept numbers',
  (service) => {
    const send = (line: string, body?: object, as: Caller = 'viewer', headers: Record<string, string> = {}) =>
      service().send(line, { as, headers, ...(body === undefined ? {} : { body }) })
    const make = async (path: string, body: object) => (await wanted(send(`POST /api/v2/${path}`, body), 201)).data
    const thread = () => make('threads', { title: 'T' })
    const entry = (of: { id: string }, more: object = {}) =>
      make('entries', { thread_id: of.id, amount: '1.50', ...more })
    const numbersOf = async ({ id }: { id: string }) => {
      const { data } = await wanted(send(`GET /api/v2/threads/${id}`), 200)
      const { id: _, title, state, created_at, updated_at, ...numbers } = data
      return numbers
    }
    const ask = async (text: string, as: Caller = 'viewer') => {
      const { body } = await service().graphql(text, { as })
      assert.equal(body.errors, undefined, JSON.stringify(body.errors))
      return body.data
    }

    test('13.2.1 a count and a sum are fields of the record, through both faces', async () => {
      const made = await thread()
      assert.deepEqual(
        [made.entries_count, made.likes_count, made.total, made.pieces, made.weight],
        [0, 0, '0.00', 0, '0'],
      )
      await entry(made, { pieces: 3, weight: '9007199254740993' })
      await entry(made, { amount: '100.00' })
      await make('likes', { thread_id: made.id, by: 'ann' })
      const numbers = {
        entries_count: 2,
        likes_count: 1,
        followers_count: 0,
        published_count: 0,
        large_count: 1,
        unkept_count: 2,
        total: '101.50',
        pieces: 3,
        weight: '9007199254740993',
      }
      assert.deepEqual(await numbersOf(made), numbers)
      const { thread: seen } = await ask(
        `{ thread(id: "${made.id}") { entriesCount likesCount largeCount total pieces weight } }`,
      )
      const {
        entries_count: entriesCount,
        likes_count: likesCount,
        large_count: largeCount,
        total,
        pieces,
        weight,
      } = numbers
      assert.deepEqual(seen, { entriesCount, likesCount, largeCount, total, pieces, weight })
    })

    test('12.2.20 records are grouped by what they count and add up, and that is added up', async () => {
      for (const likes of [1, 0, 1]) {
        const { data: made } = await wanted(send('POST /api/v2/threads', { title: 'Summed' }), 201)
        await entry(made, { amount: '2.50', pieces: 2 })
        if (likes === 1) await make('likes', { thread_id: made.id, by: 'ann' })
      }
      const where = 'group_by=title,likes_count&sort=title,-likes_count'
      const { data } = await wanted(send(`GET /api/v2/threads/summary?${where}`, undefined, 'admin'), 200)
      const groups = data.filter(({ title }: { title: string }) => title === 'Summed')
      assert.deepEqual(
        groups.map(({ likes_count, count, sum }: typeof groups) => [likes_count, count, sum]),
        [
          [1, 2, { total: '5.00', pieces: '4' }],
          [0, 1, { total: '2.50', pieces: '2' }],
        ],
      )
      const list = 'threadSummary(groupBy: [TITLE TOTAL], sort: [TITLE_ASC])'
      const { threadSummary } = await ask(`{ ${list} { nodes { title total count sum { pieces } } } }`, 'admin')
      assert.deepEqual(
        threadSummary.nodes.filter(({ title }: { title: string }) => title === 'Summed'),
        [{ title: 'Summed', total: '2.50', count: 3, sum: { pieces: '6' } }],
      )
    })

    test('13.2.1 documents say what it is, and that it is only read', async () => {
      const { schemas } = (await service().client.send('GET /api/v2/openapi.json')).body.components
      const { likes_count, total, weight, large_count } = schemas.Thread.properties
      assert.deepEqual(
        [likes_count.type, likes_count.minimum, total.format, weight.format],
        ['integer', 0, 'decimal', 'int64'],
      )
      assert.equal(large_count.description, 'How many entries are of 100 or more.')
      assert.ok(schemas.Thread.required.includes('likes_count'))
      assert.deepEqual(Object.keys(schemas.CreateThread.properties), ['title'])
      const { __type } = await ask('{ __type(name: "Thread") { fields { name type { kind ofType { name } } } } }')
      const typeOf = (name: string) => __type.fields.find((each: { name: string }) => each.name === name).type
      assert.deepEqual(typeOf('likesCount'), { kind: 'NON_NULL', ofType: { name: 'Int' } })
      assert.deepEqual(typeOf('total'), { kind: 'NON_NULL', ofType: { name: 'Decimal' } })
      assert.deepEqual((await send('POST /api/v2/threads', { title: 'T', likes_count: 5 })).status, 400)
      const { id } = await thread()
      assert.deepEqual((await send(`PATCH /api/v2/threads/${id}`, { total: '5.00' })).status, 400)
    })

    test('13.2.2 it follows moves between holders, states, clears, deletes and cascades', async () => {
      const [one, other, keeper] = [await thread(), await thread(), await make('keepers', { name: 'K' })]
      const first = await entry(one, { keeper_id: keeper.id, amount: '120.00', pieces: 2, publish: true })
      const second = await entry(one)
      const counts = async (of: { id: string }) => {
        const numbers = await numbersOf(of)
        return [
          numbers.entries_count,
          numbers.published_count,
          numbers.large_count,
          numbers.unkept_count,
          numbers.total,
        ]
      }
      assert.deepEqual(await counts(one), [2, 1, 1, 1, '121.50'])
      await wanted(send(`PATCH /api/v2/entries/${first.id}`, { thread_id: other.id }), 200)
      assert.deepEqual(
        [await counts(one), await counts(other)],
        [
          [1, 0, 0, 1, '1.50'],
          [1, 1, 1, 0, '120.00'],
        ],
      )
      await wanted(send(`POST /api/v2/entries/${second.id}/publish`), 200)
      await wanted(send(`POST /api/v2/entries/${first.id}/withdraw`), 200)
      await wanted(send(`PATCH /api/v2/entries/${first.id}`, { amount: '99.99', pieces: null }), 200)
      assert.deepEqual(
        [await counts(one), await counts(other)],
        [
          [1, 1, 0, 1, '1.50'],
          [1, 0, 0, 0, '99.99'],
        ],
      )
      await wanted(send(`DELETE /api/v2/keepers/${keeper.id}`), 204)
      assert.deepEqual(await counts(other), [1, 0, 0, 1, '99.99'])
      await wanted(send(`DELETE /api/v2/entries/${second.id}`), 204)
      assert.deepEqual(await counts(one), [0, 0, 0, 0, '0.00'])
      await ask(`mutation { deleteEntry(id: "${first.id}") }`)
      assert.deepEqual(await counts(other), [0, 0, 0, 0, '0.00'])
      await entry(other)
      await wanted(send(`DELETE /api/v2/threads/${other.id}`), 204)
      await consistent()
    })

    test('13.2.2 it follows batches, links, and whatever effects do', async () => {
      const [one, other] = [await thread(), await thread()]
      const entries = [one, other, one].map(({ id }) => ({ thread_id: id, amount: '2.00' }))
      const { data } = await wanted(send('POST /api/v2/entries/batch', { entries }), 201)
      assert.deepEqual([(await numbersOf(one)).total, (await numbersOf(other)).total], ['4.00', '2.00'])
      const ids = data.map(({ id }: { id: string }) => id)
      await wanted(send('PATCH /api/v2/entries', { ids, thread_id: other.id }), 200)
      assert.deepEqual([(await numbersOf(one)).total, (await numbersOf(other)).total], ['0.00', '6.00'])
      await wanted(send(`POST /api/v2/threads/${one.id}/fill`), 200)
      const filled = await numbersOf(one)
      assert.deepEqual([filled.entries_count, filled.published_count, filled.total, filled.pieces], [1, 1, '160.00', 0])
      for (const as of ['viewer', 'viewer', 'editor'] as const)
        await wanted(send(`POST /api/v2/threads/${one.id}/follow`, undefined, as), 200)
      assert.equal((await numbersOf(one)).followers_count, 2)
      await wanted(send(`POST /api/v2/threads/${one.id}/unfollow`), 200)
      await wanted(send(`POST /api/v2/threads/${one.id}/unfollow`), 200)
      assert.equal((await numbersOf(one)).followers_count, 1)
      await consistent()
    })

    test('13.2.5 writing it is a bug of the service, and changes nothing', async () => {
      const { id } = await thread()
      service().forgetLog()
      assert.equal((await send(`POST /api/v2/threads/${id}/cheat`)).status, 500)
      assert.match(service().log().join(), /The service's own code gave Thread.likesCount a value that it cannot hold/)
      service().forgetLog()
      assert.equal((await numbersOf({ id })).likes_count, 0)
    })

    test('13.2.6 it raises neither version nor time, but changes the ETag', async () => {
      const made = await thread()
      const line = `GET /api/v2/threads/${made.id}`
      const before = await answered(send(line), 200)
      await make('likes', { thread_id: made.id, by: 'ann' })
      const after = await answered(send(line, undefined, 'viewer', { 'If-None-Match': before.headers['etag']! }), 200)
      const tag = after.headers['etag']!
      assert.deepEqual([versionIn(tag), after.body.data.likes_count], [1, 1])
      assert.equal(after.body.data.updated_at, made.updated_at)
      assert.equal((await send(line, undefined, 'viewer', { 'If-None-Match': tag })).status, 304)
      for (const [title, match] of [
        ['A', before.headers['etag']!],
        ['B', '"2.0"'],
        ['C', '"3.0.17"'],
      ] as const)
        await wanted(send(`PATCH ${line.slice(4)}`, { title }, 'viewer', { 'If-Match': match }), 200)
      const stale = await send(`PATCH ${line.slice(4)}`, { title: 'D' }, 'viewer', { 'If-Match': '"3.0.1"' })
      assert.equal(stale.body.error.code, 'CONFLICT')
      const written = await answered(send(`PATCH ${line.slice(4)}`, { title: 'E' }), 200)
      assert.equal(versionIn(written.headers['etag']), 5)
    })

    test('13.2.7 lists are sorted, filtered and paged by it', async () => {
      const title = 'sorted'
      const threads = await Promise.all([3, 1, 2, 1].map(() => make('threads', { title })))
      for (const [at, likes] of [3, 1, 2, 1].entries())
        for (let by = 0; by < likes; by++) await make('likes', { thread_id: threads[at].id, by: `${by}` })
      const seen: number[] = []
      let cursor = ''
      do {
        const { body } = await send(`GET /api/v2/threads?sort=-likes_count&min_likes=1&limit=2${cursor}`)
        seen.push(...body.data.map((each: { likes_count: number }) => each.likes_count))
        cursor = body.meta.has_next ? `&cursor=${body.meta.next_cursor}` : ''
      } while (cursor !== '')
      assert.deepEqual(
        seen,
        seen.toSorted((one, two) => two - one),
      )
      assert.ok(seen.length >= 4 && !seen.includes(0))
      const { body } = await send(
        `GET /api/v2/threads?sort=likes_count&where=${encodeURIComponent('likes_count >= 2 AND total = 0')}`,
      )
      assert.ok(body.data.length >= 2 && body.data.every((each: { likes_count: number }) => each.likes_count >= 2))
      const { threads: page } = await ask('{ threads(first: 1, sort: [LIKES_COUNT_DESC]) { nodes { likesCount } } }')
      assert.deepEqual(page.nodes, [{ likesCount: seen[0] }])
    })

    test('13.2.8 a sum that does not fit is refused, and nothing is written', async () => {
      const made = await thread()
      await entry(made, { amount: '9999999999999999.99', pieces: 2_147_483_647, weight: '9223372036854775807' })
      const refused = [
        [{ amount: '0.01' }, 'The total'],
        [{ amount: '0.00', pieces: 1 }, 'The pieces'],
        [{ amount: '0.00', weight: '1' }, 'The weight'],
        [{ amount: '-0.01', pieces: 1, weight: '-1' }, 'The pieces'],
        [{ amount: '-0.01', pieces: -1, weight: '1' }, 'The weight'],
        [{ amount: '0.01', pieces: -1, weight: '1' }, 'The total and the weight'],
      ] as const
      for (const [more, what] of refused) {
        const { status, body } = await send('POST /api/v2/entries', { thread_id: made.id, ...more })
        assert.deepEqual([status, body.error.code], [422, 'BUSINESS_RULE_VIOLATION'])
        const they = what.includes(' and ') ? 'they' : 'it'
        assert.equal(body.error.message, `${what} of the thread would be larger than ${they} can be.`)
      }
      const other = await thread()
      const moved = await entry(other, { amount: '0.00', pieces: 1, weight: '0' })
      const { status, body } = await send(`PATCH /api/v2/entries/${moved.id}`, { thread_id: made.id })
      assert.equal(status, 422)
      assert.match(body.error.message, /^The pieces of the thread/, 'of two holders, that which cannot hold it')
      await entry(made, { amount: '-0.01', pieces: -1, weight: '-1' })
      const { entries_count, total, pieces, weight } = await numbersOf(made)
      assert.deepEqual(
        [entries_count, total, pieces, weight],
        [2, '9999999999999999.98', 2_147_483_646, '9223372036854775806'],
      )
    })

    test('13.2.6 the ETag of a user who may not read a number does not tell that it changes', async () => {
      const { id } = await make('keepers', { name: 'K' })
      const { id: thread_id } = await thread()
      const read = (as: Caller) => answered(send(`GET /api/v2/keepers/${id}`, undefined, as), 200)
      const [hidden, seen] = [await read('viewer'), await read('admin')]
      assert.equal(hidden.body.data.secret_count, undefined)
      await make('entries', { thread_id, keeper_id: id, amount: '1.00', note: 'secret' })
      const [later, again] = [await read('viewer'), await read('admin')]
      assert.deepEqual([seen.body.data.secret_count, again.body.data.secret_count], [0, 1])
      assert.notEqual(again.headers['etag'], seen.headers['etag'])
      assert.equal(later.headers['etag'], hidden.headers['etag'])
      await wanted(
        send(`DELETE /api/v2/keepers/${id}`, undefined, 'viewer', { 'If-Match': String(hidden.headers['etag']) }),
        204,
      )
    })

    test('13.2.6 what a key made is answered again with the numbers of now', async () => {
      const headers = { 'X-Idempotency-Key': 'a-thread-made-once' }
      const made = await answered(send('POST /api/v2/threads', { title: 'Once' }, 'viewer', headers), 201)
      await make('likes', { thread_id: made.body.data.id, by: 'ann' })
      const again = await answered(send('POST /api/v2/threads', { title: 'Once' }, 'viewer', headers), 200)
      assert.deepEqual([again.body.data.likes_count, versionIn(again.headers['etag'])], [1, 1])
      assert.notEqual(again.headers['etag'], made.headers['etag'])
    })

    test('13.2.4 a hundred at once are counted exactly, and a second like is 409', async () => {
      const made = await thread()
      const likers = Array.from({ length: 100 }, (_, at) =>
        send('POST /api/v2/likes', { thread_id: made.id, by: `${at}` }),
      )
      const again = Array.from({ length: 20 }, (_, at) =>
        send('POST /api/v2/likes', { thread_id: made.id, by: `${at}` }),
      )
      const statuses = (await Promise.all([...likers, ...again])).map(({ status }) => status)
      assert.deepEqual(
        Object.fromEntries(
          Map.groupBy(statuses, String)
            .entries()
            .map(([status, all]) => [status, all.length]),
        ),
        { '201': 100, '409': 20 },
      )
      assert.equal((await numbersOf(made)).likes_count, 100)
      await consistent()
    })

    test('13.2.4 a change of what is counted waits for its holder, and nothing waits for it meanwhile', async (t) => {
      if (service().engine === 'sqlite') return t.skip()
      const holder = await thread()
      const counted = await entry(holder)
      const other = new pg.Client({ connectionString: service().databaseUrl })
      await other.connect()
      t.after(() => other.end())
      await other.query('begin')
      await other.query('select from threads where id = $1 for update', [holder.id])
      const changed = send(`PATCH /api/v2/entries/${counted.id}`, { amount: '2.00' })
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      while ((await other.query(waiting)).rows.length === 0) await setTimeout(5)
      // A transaction that has the thread gets its entries as well.
      await other.query('select from entries where id = $1 for update nowait', [counted.id])
      await other.query('commit')
      assert.equal((await changed).status, 200)
      await consistent()
    })

    /** Every kept number is what there is. */
    const consistent = async () => assert.deepEqual(await service().store.read(wrongNumbers(service().engine)), [])
  },
  { definition: board },
)

const Box = resource('Box', {
  prefix: 'box',
  fields: { items: many('Item', 'box') },
  counts: { items: { of: 'items', shown: 'to all' } },
  actions: { read: { allow: anyone } },
})
const Item = resource('Item', {
  prefix: 'itm',
  fields: { box: one('Box'), owner: one('User', { cascade: 'regardless' }) },
  actions: { read: { allow: own('owner') } },
})
withService(
  '13.2 A number that is shown to all',
  (service) => {
    test('13.2.3 it is the same for every reader, and counts hidden records', async () => {
      const fixtures = service().fixtures({
        ann: { User: {} },
        bob: { User: {} },
        box: { Box: {} },
        item: { Item: { box: '{box}', owner: '{ann}' } },
      })
      await fixtures.idOf('item')
      for (const [as, status] of [
        ['{ann}', 200],
        ['{bob}', 404],
        ['anonymous', 401],
      ] as const) {
        const box = await service().send('GET /api/v1/boxes/{box}', { as, fixtures })
        assert.equal(box.body.data.items_count, 1, as)
        const item = await service().send('GET /api/v1/items/{item}', { as, fixtures })
        assert.equal(item.status, status, as)
      }
    })
  },
  { definition: duet({ resources: { User, Box, Item }, accounts, roles: { ANY: {} } } as never) },
)

// biome-ignore lint/suspicious/noExplicitAny: answers have whatever shape they have
async function wanted(answer: Promise<Answer>, status: number): Promise<any> {
  return (await answered(answer, status)).body
}
async function answered(answer: Promise<Answer>, status: number): Promise<Answer> {
  const whole = await answer
  assert.equal(whole.status, status, whole.text)
  return whole
}
