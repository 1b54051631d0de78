// Tokens that end by themselves: at a moment of their record, and after so many writes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { rooms } from '../support/domain/room.ts'
import { type TestService, withService } from '../support/server/service.ts'

type Fixtures = ReturnType<TestService['fixtures']>
interface Asking {
  readonly as?: string
  readonly code?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
const people = { ann: { User: {} }, ben: { User: {} } }
const dataOf = ({ payload }: Frame) => (payload as { data: unknown }).data

withService(
  '10.1 tokens that end',
  (running) => {
    const asking = (fixtures: Fixtures, { as, code, body, headers = {} }: Asking) => ({
      fixtures,
      headers: { ...headers, ...(code === undefined ? {} : { 'X-Access-Code': code }) },
      ...(as === undefined ? {} : ({ as: `{${as}}` } as const)),
      ...(body === undefined ? {} : { body }),
    })
    async function send(line: string, fixtures: Fixtures, asks: Asking = {}) {
      const { status, headers, body } = await running().send(line, asking(fixtures, asks))
      return { status, headers, ...body }
    }
    async function ask(query: string, fixtures: Fixtures, asks: Asking = {}) {
      return (await running().graphql(query, asking(fixtures, asks))).body
    }
    /** A room of Ann's with a note; `seconds` until it closes, null for never. */
    async function open(seconds: number | null = null) {
      const fixtures = running().fixtures(people)
      const closes_at = seconds === null ? null : new Date(running().now().getTime() + seconds * 1000).toISOString()
      const body = { name: 'one', closes_at }
      const { data } = await send('POST /api/v1/rooms', fixtures, { as: 'ann', body })
      const note = { room_id: data.id, body: 'welcome' }
      await send('POST /api/v1/notes', fixtures, { as: 'ann', body: note })
      return { fixtures, id: data.id as string, code: data.code as string, line: `/api/v1/rooms/${data.id}` }
    }
    const rename = (name: string) => ({ body: { name } })

    test('10.1.17 after its moment a token is as good as none, by every way', async () => {
      const { fixtures, id, code, line } = await open(60)
      const seen = async () => [
        (await send(`GET ${line}`, fixtures, { code })).status,
        (await send('GET /api/v1/rooms', fixtures, { code })).data.length,
        (await send('GET /api/v1/notes?page=1', fixtures, { code })).meta.total,
        (await send(`PATCH ${line}`, fixtures, { as: 'ben', code, ...rename('new') })).status,
        (await ask(`{ room(id: "${id}") { name notes(limit: 9) { id } can { update delete } } }`, fixtures, { code }))
          .data,
      ]
      const note = (await send('GET /api/v1/notes', fixtures, { as: 'ann' })).data[0].id
      const room = { name: 'new', notes: [{ id: note }], can: { update: true, delete: true } }
      assert.deepEqual(await seen(), [200, 1, 1, 200, { room }])
      running().advance(61_000)
      assert.deepEqual(await seen(), [404, 0, 0, 404, { room: null }])
      assert.equal((await send(`GET ${line}`, fixtures, { as: 'ann', code })).status, 200)
      const closes_at = new Date(running().now().getTime() + 60_000).toISOString()
      await send(`PATCH ${line}`, fixtures, { as: 'ann', body: { closes_at } })
      assert.equal((await send(`GET ${line}`, fixtures, { code })).status, 200)
      await send(`PATCH ${line}`, fixtures, { as: 'ann', body: { closes_at: null } })
      running().advance(61_000)
      assert.equal((await send(`GET ${line}`, fixtures, { code })).status, 200)
    })

    test('10.1.17 an open subscription hears nothing after that moment', async () => {
      const { fixtures, id, code, line } = await open(60)
      const socket = await TestSocket.open(running().url)
      socket.send({ type: 'connection_init', payload: { accessCode: code } })
      assert.equal((await socket.next()).type, 'connection_ack')
      socket.subscribe('1', 'subscription { renamed { id name } }')
      await socket.settled()
      await send(`PATCH ${line}`, fixtures, { as: 'ann', ...rename('first') })
      await running().settled()
      assert.deepEqual(dataOf(await socket.next()), { renamed: { id, name: 'first' } })
      running().advance(61_000)
      await send(`PATCH ${line}`, fixtures, { as: 'ann', ...rename('second') })
      await running().settled()
      const closes_at = new Date(running().now().getTime() + 60_000).toISOString()
      await send(`PATCH ${line}`, fixtures, { as: 'ann', body: { name: 'third', closes_at } })
      await running().settled()
      assert.deepEqual(dataOf(await socket.next()), { renamed: { id, name: 'third' } })
      await socket.close()
    })

    test('10.1.17 no cache may keep an answer that depends on the moment', async () => {
      const { fixtures, code } = await open(60)
      const { headers } = await send('GET /api/v1/notes', fixtures, { as: 'ann' })
      assert.equal(headers['cache-control'], 'private, no-cache')
      const guest = await send('GET /api/v1/notes', fixtures, { code })
      assert.equal(guest.headers['cache-control'], 'private, no-store')
    })

    test('10.1.18 a token lets so many writes through; reads and refusals are no uses', async () => {
      const { fixtures, line, code } = await open()
      const patch = async (name: string, asks: Asking = { code }) =>
        (await send(`PATCH ${line}`, fixtures, { ...asks, ...rename(name) })).status
      for (let count = 0; count < 4; count++) assert.equal((await send(`GET ${line}`, fixtures, { code })).status, 200)
      assert.equal(await patch('x'.repeat(61)), 400)
      const knock = `POST ${line}/knock`
      assert.equal((await send(knock, fixtures, { code, ...rename('taken') })).status, 422)
      const stale = { code, headers: { 'If-Match': '"99.0"' } }
      assert.equal(await patch('stale', stale), 409)
      assert.equal(await patch('by its host', { as: 'ann', code }), 200)
      assert.equal(await patch('first'), 200)
      assert.equal(await patch('by its host', { as: 'ann' }), 200)
      assert.equal((await send(knock, fixtures, { code, ...rename('second') })).status, 200)
      assert.equal(await patch('third'), 404)
      assert.equal((await send(`GET ${line}`, fixtures, { code })).status, 404)
      assert.deepEqual((await send('GET /api/v1/notes', fixtures, { code })).data, [])
      assert.equal(await patch('still its host', { as: 'ann', code }), 200)
    })

    test('10.1.18, 10.1.22 the last use is answered, and a token of another record is not used', async () => {
      const [{ fixtures, id, code }, other] = [await open(), await open()]
      const body = (of: string) => ({ room_id: of, body: 'hello' })
      const create = (of: string, asks: Asking) => send('POST /api/v1/notes', fixtures, { ...asks, body: body(of) })
      assert.equal((await create(id, { as: 'ann', code: other.code })).status, 201)
      const mutation = `mutation { createNote(input: { roomId: "${id}", body: "hi" }) { body room { name notes(limit: 9) { body } } } }`
      const first = await ask(mutation, fixtures, { code })
      assert.equal(first.data.createNote.room.notes.length, 3)
      assert.equal(
        (await send('POST /api/v1/visits', fixtures, { as: 'ben', code, body: { room_id: id } })).status,
        201,
      )
      assert.equal((await create(id, { code })).status, 422)
      assert.equal(
        (await send('POST /api/v1/visits', fixtures, { as: 'ben', code, body: { room_id: id } })).status,
        422,
      )
      assert.equal((await create(other.id, { code: other.code })).status, 201)
      assert.equal((await send(`DELETE /api/v1/rooms/${other.id}`, fixtures, { code: other.code })).status, 204)
    })

    test('10.1.18, 10.1.22 the same idempotency key is answered again after the last use, and counts once', async () => {
      const { fixtures, id, code } = await open()
      const create = async (key: string) => {
        const asks = { code, headers: { 'X-Idempotency-Key': key }, body: { room_id: id, body: key } }
        const { status, data } = await send('POST /api/v1/notes', fixtures, asks)
        return [status, data?.id]
      }
      const [, first] = await create('first')
      assert.deepEqual(await create('first'), [200, first])
      const [status, second] = await create('second')
      assert.equal(status, 201)
      assert.deepEqual(await create('first'), [200, first])
      assert.deepEqual(await create('second'), [200, second])
      assert.equal((await create('third'))[0], 422)
    })

    test('10.1.18, 10.1.21 of many writes at once as many get through as there are uses left', async () => {
      const { fixtures, id, code, line } = await open()
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          send('POST /api/v1/notes', fixtures, { code, body: { room_id: id, body: `${at}` } }),
        ),
      )
      const statuses = created.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [201, 201, ...Array.from({ length: 18 }, () => 422)])
      assert.equal((await send('GET /api/v1/notes?page=1', fixtures, { as: 'ann' })).meta.total, 3)
      const other = await open()
      const renamed = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          send(`PATCH /api/v1/rooms/${other.id}`, fixtures, { code: other.code, ...rename(`${at}`) }),
        ),
      )
      assert.equal(renamed.filter(({ status }) => status === 200).length, 2)
      assert.equal((await send(`GET ${line}`, fixtures, { code })).status, 404)
    })

    test('10.1.18, 10.1.21 documents say when a token ends, and records say nothing of it', async () => {
      const { fixtures, line } = await open()
      const { data } = await send(`GET ${line}`, fixtures, { as: 'ann' })
      assert.deepEqual(Object.keys(data).sort(), ['closes_at', 'created_at', 'host_id', 'id', 'name', 'updated_at'])
      const document = (await running().client.send('GET /api/v1/openapi.json')).body
      const { get } = document.paths['/api/v1/rooms/{id}']
      assert.match(get.description, /anyone with its code until closes_at, for at most 2 writes/)
    })
  },
  { definition: rooms },
)
