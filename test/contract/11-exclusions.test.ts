// Records that must not overlap, through both faces and in every kind of write. (contract 11.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meetings } from '../support/domain/meetings.ts'
import { startInstance } from '../support/server/instance.ts'
import { withService } from '../support/server/service.ts'

const at = (hour: number): string => new Date(Date.UTC(2027, 0, 1) + hour * 3_600_000).toISOString()

withService(
  '11.5 Records that must not overlap',
  (running) => {
    const send = (line: string, body?: object) => running().send(line, body === undefined ? {} : { body })
    const host = async () => (await send('POST /api/v1/hosts', { name: 'H' })).body.data.id as string
    let codes = 0
    const meeting = (host_id: string, from: number, until: number | null, more: object = {}) => ({
      host_id,
      starts_at: at(from),
      ends_at: until === null ? null : at(until),
      code: `c${codes++}`,
      ...more,
    })
    const book = (host_id: string, from: number, until: number | null, more: object = {}) =>
      send('POST /api/v1/meetings', meeting(host_id, from, until, more))
    const create = async (...values: Parameters<typeof book>) => {
      const answer = await book(...values)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.data.id as string
    }
    const overlapping = (answer: Awaited<ReturnType<typeof send>>, ...fields: readonly string[]) => {
      assert.equal(answer.status, 409, answer.text)
      assert.equal(answer.body.error.code, 'CONFLICT')
      assert.deepEqual(
        answer.body.error.details?.map(({ field }: { field: string }) => field),
        fields,
      )
    }
    const byHost = ['host_id', 'starts_at', 'ends_at']

    /** What is stored, what is sent, and whether they overlap: half-open, and endless without an end. */
    const intervals: readonly (readonly [it: string, [number, number | null], [number, number | null], boolean])[] = [
      ['the same', [1, 2], [1, 2], true],
      ['inside', [1, 5], [2, 3], true],
      ['around', [2, 3], [1, 5], true],
      ['over the start', [2, 4], [1, 3], true],
      ['over the end', [2, 4], [3, 5], true],
      ['with the same start', [2, 4], [2, 3], true],
      ['with the same end', [2, 4], [3, 4], true],
      ['until the start', [2, 4], [1, 2], false],
      ['from the end', [2, 4], [4, 5], false],
      ['endless, begun before', [2, 4], [1, null], true],
      ['endless, from the end', [2, 4], [4, null], false],
      ['after an endless one', [2, null], [9, 10], true],
      ['before an endless one', [2, null], [1, 2], false],
      ['endless next to endless', [2, null], [7, null], true],
    ]
    for (const [it, stored, sent, isRefused] of intervals)
      test(`11.5.1 an interval ${it} ${isRefused ? 'overlaps' : 'does not overlap'}`, async () => {
        const id = await host()
        await create(id, ...stored)
        const answer = await book(id, ...sent)
        if (isRefused) overlapping(answer, ...byHost)
        else assert.equal(answer.status, 201, answer.text)
      })

    test('11.5.1 other hosts, deleted meetings, and null rooms never overlap', async () => {
      const [one, other] = [await host(), await host()]
      const first = await create(one, 1, 2)
      await create(other, 1, 2)
      assert.equal((await send(`DELETE /api/v1/meetings/${first}`)).status, 204)
      await create(one, 1, 2)
    })

    test('11.5.1 days and whole numbers are intervals too', async () => {
      const stay = (bed: number, arrival: string, departure: string) =>
        send('POST /api/v1/stays', { bed, arrival, departure })
      assert.equal((await stay(1, '2027-01-01', '2027-01-03')).status, 201)
      assert.equal((await stay(1, '2027-01-03', '2027-01-04')).status, 201)
      overlapping(await stay(1, '2027-01-02', '2027-01-03'), 'bed', 'arrival', 'departure')
      assert.equal((await stay(2, '2027-01-02', '2027-01-03')).status, 201)
      const range = (first: number, after: number | null) => send('POST /api/v1/ranges', { list: 'a', first, after })
      assert.equal((await range(2_147_483_646, null)).status, 201)
      overlapping(await range(2_147_483_647, null), 'list', 'first', 'after')
      assert.equal((await range(-2_147_483_648, 2_147_483_646)).status, 201)
    })

    test('11.5.2 GraphQL names the fields in its own words', async () => {
      const id = await host()
      await create(id, 1, 3)
      const document = 'mutation ($input: CreateMeetingInput!) { createMeeting(input: $input) { id } }'
      const input = { hostId: id, startsAt: at(2), endsAt: at(4), code: 'graphql' }
      const { body } = await running().graphql(document, { variables: { input } })
      const [error] = body.errors
      assert.equal(error.extensions.code, 'CONFLICT')
      assert.equal(error.message, 'Another record with this hostId overlaps it from startsAt to endsAt.')
      assert.deepEqual(
        error.extensions.details.map(({ field }: { field: string }) => field),
        ['hostId', 'startsAt', 'endsAt'],
      )
    })

    test('11.5.2 an update, an upsert, a batch, and children are judged', async () => {
      const id = await host()
      await create(id, 1, 3)
      const second = await create(id, 3, 4, { code: `second${id}` })
      overlapping(await send(`PATCH /api/v1/meetings/${second}`, { starts_at: at(2) }), ...byHost)
      assert.equal((await send(`PATCH /api/v1/meetings/${second}`, { ends_at: at(5) })).status, 200)
      const replacement = { host_id: id, starts_at: at(2), ends_at: at(4) }
      overlapping(await send(`PUT /api/v1/meetings/by/code/second${id}`, replacement), ...byHost)
      overlapping(await send('PUT /api/v1/meetings/by/code/third', replacement), ...byHost)
      const batch = await send('POST /api/v1/meetings/batch', {
        meetings: [meeting(id, 10, 11), meeting(id, 4, 6), meeting(id, 20, 21)],
      })
      overlapping(batch, ...byHost.map((field) => `meetings[1].${field}`))
      const among = await send('POST /api/v1/meetings/batch', {
        meetings: [meeting(id, 10, 12), meeting(id, 20, 21), meeting(id, 11, 13)],
      })
      assert.equal(among.status, 409, among.text)
      const { host_id: _, ...child } = meeting(id, 1, 3)
      const nested = await send('POST /api/v1/hosts', {
        name: 'N',
        meetings: [child, { ...child, code: 'c-inside', ends_at: at(2) }],
      })
      assert.equal(nested.status, 409, nested.text)
      assert.match(nested.body.error.details[0].field, /^meetings\[\d\]\.host_id$/)
      assert.equal((await send(`GET /api/v1/meetings?host_id=${id}`)).body.data.length, 2)
    })

    test('11.5.2 what code writes is judged, and its message names the fields', async () => {
      const id = await host()
      const course = await send('POST /api/v1/courses', { host_id: id, starts_at: at(1), ends_at: at(2) })
      assert.equal(course.status, 201, course.text)
      const again = await send('POST /api/v1/courses', { host_id: id, starts_at: at(1), ends_at: at(2) })
      assert.equal(again.status, 409, again.text)
      assert.equal(again.body.error.message, 'Another meeting with this host_id overlaps it from starts_at to ends_at.')
      assert.equal(again.body.error.details, undefined)
      await create(id, 5, 6)
      assert.equal((await send(`POST /api/v1/courses/${course.body.data.id}/shift`)).status, 409)
      assert.equal((await send('POST /api/v1/ranges/fill')).status, 409)
    })

    test('11.5.3 a condition limits what is compared, and moves into it are judged', async () => {
      const [one, other] = [await host(), await host()]
      const first = await create(one, 1, 3)
      assert.equal((await send(`POST /api/v1/meetings/${first}/cancel`)).status, 200)
      const second = await create(one, 2, 4, { room: 'R1' })
      overlapping(await send(`POST /api/v1/meetings/${first}/revive`), ...byHost)
      assert.equal((await send(`POST /api/v1/meetings/${second}/accept`)).status, 200)
      const third = await create(other, 3, 5, { room: 'R1' })
      overlapping(await send(`POST /api/v1/meetings/${third}/accept`), 'room', 'starts_at', 'ends_at')
      assert.equal((await send(`POST /api/v1/meetings/${second}/cancel`)).status, 200)
      assert.equal((await send(`POST /api/v1/meetings/${third}/accept`)).status, 200)
      assert.equal((await send(`POST /api/v1/meetings/${first}/revive`)).status, 200)
    })

    test('11.5.3 a relation that a delete clears may bring a record among them', async () => {
      const ender_id = await host()
      const claim = { desk: 1, first: 1, after: 9 }
      assert.equal((await send('POST /api/v1/claims', { ...claim, ender_id })).status, 201)
      assert.equal((await send('POST /api/v1/claims', claim)).status, 201)
      const answer = await send(`DELETE /api/v1/hosts/${ender_id}`)
      assert.equal(answer.status, 409, answer.text)
      assert.equal(answer.body.error.message, 'Another claim with this desk overlaps it from first to after.')
      assert.equal((await send(`GET /api/v1/hosts/${ender_id}`)).status, 200)
    })

    test('11.5.4 a start that is not before its end is 422', async () => {
      const id = await host()
      for (const until of [1, 0]) {
        const answer = await book(id, 1, until)
        assert.equal(answer.status, 422, answer.text)
        assert.deepEqual(answer.body.error.details, [{ field: 'starts_at', message: 'Must be before ends_at.' }])
      }
      const stored = await create(id, 1, 3)
      assert.equal((await send(`PATCH /api/v1/meetings/${stored}`, { ends_at: at(1) })).status, 422)
    })

    test('11.5.5 records of one write can exchange their intervals', async () => {
      const id = await host()
      const [one, other] = [await create(id, 1, 2), await create(id, 2, 3)]
      const { body } = await send(`GET /api/v1/hosts/${id}`)
      const answer = await send(`PATCH /api/v1/hosts/${body.data.id}`, {
        meetings: [
          { id: one, starts_at: at(2), ends_at: at(3) },
          { id: other, starts_at: at(1), ends_at: at(2) },
        ],
      })
      assert.equal(answer.status, 200, answer.text)
    })

    test('11.5.6 of 50 concurrent writes that would overlap, one succeeds', async (t) => {
      const id = await host()
      const other = running().engine === 'sqlite' ? null : await startInstance(running(), { definition: meetings })
      if (other !== null) t.after(() => other.stop())
      const clients = [running().client, ...(other === null ? [] : [other.client])]
      const sendAll = (line: string, bodyOf: (n: number) => object) =>
        Promise.all(Array.from({ length: 50 }, (_, n) => clients[n % clients.length]!.send(line, { body: bodyOf(n) })))
      const ranges = await sendAll('POST /api/v1/ranges', (n) => ({ list: id.slice(-9), first: n, after: 99 }))
      assert.equal(ranges.filter(({ status }) => status === 201).length, 1)
      const answers = await sendAll('POST /api/v1/meetings', (n) => meeting(id, 1 + n / 100, 3))
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      assert.equal(answers.filter(({ status }) => status === 409).length, 49)
    })
  },
  { definition: meetings },
)
