// Several access codes in one request: what they open, alone and together, and which of them a write uses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actor,
  allOf,
  anyOf,
  event,
  hasToken,
  many,
  one,
  own,
  resource,
  service,
  signedIn,
  text,
  through,
  token,
} from 'duet-api'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { accounts, User } from '../support/domain/account.ts'
import { type TestService, withService } from '../support/server/service.ts'

/** A room is entered twice by its key; its bell may be rung by that key, or by the spare one, which has no limit. */
const Room = resource('Room', {
  prefix: 'room',
  fields: {
    name: text({ max: 20 }),
    key: token({ prefix: 'room', maxUses: 2 }),
    spare: token({ prefix: 'spare' }),
    host: one('User', { cascade: 'regardless', default: actor }),
    links: many('Link', 'from'),
  },
  actions: {
    read: { allow: anyOf(own('host'), hasToken('key'), hasToken('spare')) },
    create: { allow: signedIn, accept: ['name'] },
    update: { allow: anyOf(own('host'), hasToken('key'), hasToken('spare')), accept: ['name'], emit: event('renamed') },
    unlock: { allow: allOf(hasToken('key'), hasToken('spare')), set: { name: 'unlocked' } },
    delete: { allow: hasToken('key') },
  },
})
/** Made by the key of either room; a bridge by both. */
const Link = resource('Link', {
  prefix: 'link',
  fields: { from: one('Room', { cascade: 'regardless' }), to: one('Room', { cascade: 'regardless' }) },
  actions: {
    read: { allow: through('from', anyOf(own('host'), hasToken('key'))) },
    create: { allow: anyOf(through('from', hasToken('key')), through('to', hasToken('key'))), accept: ['from', 'to'] },
  },
})
const Bridge = resource('Bridge', {
  prefix: 'bri',
  fields: { from: one('Room', { cascade: 'regardless' }), to: one('Room', { cascade: 'regardless' }) },
  actions: {
    read: { allow: allOf(through('from', hasToken('key')), through('to', hasToken('key'))) },
    create: { allow: signedIn, accept: ['from', 'to'] },
    delete: { allow: through('from', hasToken('key')) },
  },
})
/** Anyone signed in reads them; only some may be named as the first. */
const Hall = resource('Hall', {
  prefix: 'hall',
  fields: {
    name: text({ max: 20 }),
    key: token({ prefix: 'hall', maxUses: 2 }),
    host: one('User', { cascade: 'regardless', default: actor }),
  },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['name'] } },
})
const Path = resource('Path', {
  prefix: 'path',
  fields: {
    from: one('Hall', { cascade: 'regardless', into: anyOf(own('host'), hasToken('key')) }),
    to: one('Hall', { cascade: 'regardless' }),
  },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['from', 'to'] } },
})
const definition = service({ resources: { User, Room, Link, Bridge, Hall, Path }, accounts, roles: { ANY: {} } })

type Fixtures = ReturnType<TestService['fixtures']>
interface Asking {
  readonly as?: string
  readonly codes?: readonly string[]
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
const people = { ann: { User: {} }, ben: { User: {} } }
const unknown = `room${'A'.repeat(43)}`
const dataOf = ({ payload }: Frame) => (payload as { data: unknown }).data
const idsOf = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id).sort()

withService(
  '10.1 several access codes',
  (running) => {
    const asking = (fixtures: Fixtures, { as, codes, body, headers = {} }: Asking) => ({
      fixtures,
      headers: { ...headers, ...(codes === undefined ? {} : { 'X-Access-Code': codes.join(', ') }) },
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
    /** Rooms of Ann's. */
    async function open<const N extends readonly string[]>(...names: N) {
      const fixtures = running().fixtures(people)
      const rooms: Record<string, Record<'id' | 'key' | 'spare' | 'line', string>> = {}
      for (const name of names) {
        const { data } = await send('POST /api/v1/rooms', fixtures, { as: 'ann', body: { name } })
        rooms[name] = { ...data, line: `/api/v1/rooms/${data.id}` }
      }
      /** How often its key still opens. */
      const left = async (name: string) => {
        const { key, line } = rooms[name]!
        let count = 0
        while (count < 9 && (await send(`PATCH ${line}`, fixtures, { codes: [key], body: { name } })).status === 200)
          count++
        return count
      }
      return { fixtures, rooms: rooms as Record<N[number], (typeof rooms)[string]>, left }
    }

    test('10.1.25 each of them opens what it opens, by every way, and they open together what needs them', async () => {
      const { fixtures, rooms } = await open('a', 'b', 'c')
      const { a, b, c } = rooms
      const codes = [a.key, unknown, 'malformed', b.key]
      const list = await send('GET /api/v1/rooms?page=1', fixtures, { codes })
      assert.deepEqual([idsOf(list.data), list.meta.total], [idsOf([a, b]), 2])
      assert.equal(list.headers['cache-control'], 'private, no-store')
      for (const [{ line }, status] of [
        [a, 200],
        [b, 200],
        [c, 404],
      ] as const)
        assert.equal((await send(`GET ${line}`, fixtures, { codes })).status, status)
      const query = `{ rooms(first: 9) { totalCount nodes { id } } room(id: "${b.id}") { name can { update delete unlock } } }`
      const { data } = await ask(query, fixtures, { codes })
      assert.deepEqual([data.rooms.totalCount, idsOf(data.rooms.nodes)], [2, idsOf([a, b])])
      assert.deepEqual(data.room, { name: 'b', can: { update: true, delete: true, unlock: false } })
      const body = { from_id: a.id, to_id: b.id }
      const bridge = await send('POST /api/v1/bridges', fixtures, { as: 'ann', codes, body })
      const line = `GET /api/v1/bridges/${bridge.data.id}`
      const seen = async (...shown: readonly string[]) => (await send(line, fixtures, { codes: shown })).status
      assert.deepEqual(await seen(b.key, a.key), 200)
      assert.deepEqual([await seen(a.key), await seen(b.key), await seen(a.key, c.key)], [404, 404, 404])
    })

    test('10.1.25 there are at most ten, and none is empty', async () => {
      const { fixtures, rooms } = await open('a')
      const { key, line } = rooms.a
      const status = async (...codes: readonly string[]) => (await send(`GET ${line}`, fixtures, { codes })).status
      const others = (count: number) => Array.from({ length: count }, () => unknown)
      assert.deepEqual([await status(...others(8), key), await status(...others(9), key)], [200, 200])
      const refused = await send(`GET ${line}`, fixtures, { codes: [...others(10), key] })
      assert.deepEqual([refused.status, refused.error.code], [400, 'VALIDATION_ERROR'])
      assert.deepEqual([await status(key, ''), await status('', key), await status(key, '', key)], [400, 400, 400])
      assert.equal(await status(key, key), 200)
      assert.equal((await send('GET /api/v1/rooms', fixtures, { as: 'ann', codes: [''] })).status, 200)
      const { errors } = await ask(`{ room(id: "${rooms.a.id}") { id } }`, fixtures, { codes: [key, ''] })
      assert.equal(errors[0].extensions.code, 'VALIDATION_ERROR')
      const socket = await TestSocket.open(running().url)
      socket.send({ type: 'connection_init', payload: { accessCode: `${key},` } })
      assert.equal(await socket.closed, 4403)
    })

    test('10.1.25 a subscriber with several hears of what each of them opens', async () => {
      const { fixtures, rooms } = await open('a', 'b', 'c')
      const { a, b, c } = rooms
      const listen = async (accessCode: string) => {
        const socket = await TestSocket.open(running().url)
        socket.send({ type: 'connection_init', payload: { accessCode } })
        assert.equal((await socket.next()).type, 'connection_ack')
        socket.subscribe('1', 'subscription { renamed { id name can { update } } }')
        await socket.settled()
        return socket
      }
      const sockets = [await listen(`${a.key}, ${b.key}`), await listen(`${c.key},${b.key}`), await listen(c.key)]
      for (const { line } of [a, b, c]) {
        await send(`PATCH ${line}`, fixtures, { as: 'ann', body: { name: 'new' } })
        await running().settled()
      }
      const heard = async (socket: TestSocket) => dataOf(await socket.next())
      const renamed = ({ id }: { id: string }) => ({ renamed: { id, name: 'new', can: { update: true } } })
      assert.deepEqual([await heard(sockets[0]!), await heard(sockets[0]!)], [renamed(a), renamed(b)])
      assert.deepEqual([await heard(sockets[1]!), await heard(sockets[1]!)], [renamed(b), renamed(c)])
      assert.deepEqual(await heard(sockets[2]!), renamed(c))
      for (const socket of sockets) await socket.close()
    })

    test('10.1.26, 10.1.15 in another order they are the same principal, and another set is another one', async () => {
      const { fixtures, rooms } = await open('a', 'b', 'c')
      const { a, b, c } = rooms
      const create = async (...codes: readonly string[]) => {
        const asks = { as: 'ann', codes, headers: { 'X-Idempotency-Key': 'k' }, body: { from_id: a.id, to_id: b.id } }
        const { status, data } = await send('POST /api/v1/links', fixtures, asks)
        return [status, data?.id]
      }
      const [status, id] = await create(a.key, b.key)
      assert.equal(status, 201)
      assert.deepEqual(await create(b.key, 'malformed', a.key, b.key), [200, id])
      assert.equal((await create(a.key, b.key, c.key))[0], 201)
    })

    test('10.1.26 the first that opens is used, in the order of the request', async () => {
      const { fixtures, rooms, left } = await open('a', 'b', 'c')
      const { a, b, c } = rooms
      const body = { from_id: a.id, to_id: b.id }
      const link = async (...codes: readonly string[]) =>
        (await send('POST /api/v1/links', fixtures, { as: 'ann', codes, body })).status
      assert.equal(await link(c.key, unknown, b.key, a.key), 201)
      assert.deepEqual([await left('a'), await left('b'), await left('c')], [2, 1, 2])
      const patch = await open('a', 'b')
      const codes = [patch.rooms.b.key, patch.rooms.a.key]
      const rename = { codes, body: { name: 'new' } }
      assert.equal((await send(`PATCH ${patch.rooms.a.line}`, fixtures, rename)).status, 200)
      const mutation = `mutation { updateRoom(id: "${patch.rooms.a.id}", input: { name: "newer" }) { name } }`
      assert.deepEqual((await ask(mutation, fixtures, { codes })).data, { updateRoom: { name: 'newer' } })
      assert.equal((await send(`PATCH ${patch.rooms.a.line}`, fixtures, rename)).status, 404)
      assert.equal(await patch.left('b'), 2)
    })

    test('10.1.26 one that the write does not need is not used: for a credential, or a token without a limit', async () => {
      const { fixtures, rooms, left } = await open('a', 'b')
      const { a, b } = rooms
      const rename = async (asks: Asking) =>
        (await send(`PATCH ${a.line}`, fixtures, { ...asks, body: { name: 'new' } })).status
      assert.equal(await rename({ as: 'ann', codes: [a.key, b.key] }), 200)
      assert.equal(await rename({ codes: [a.key, b.key, a.spare] }), 200)
      assert.deepEqual([await left('a'), await left('b')], [2, 2])
    })

    test('10.1.26 each that a write needs is used once: together, or for several records', async () => {
      const { fixtures, rooms, left } = await open('a', 'b', 'c')
      const { a, b, c } = rooms
      const unlock = (...codes: readonly string[]) => send(`POST ${c.line}/unlock`, fixtures, { codes })
      assert.equal((await unlock(c.key, a.key)).status, 403)
      assert.equal((await unlock(a.key, c.spare, c.key)).data.name, 'unlocked')
      const links = [
        { from_id: a.id, to_id: c.id },
        { from_id: b.id, to_id: c.id },
        { from_id: b.id, to_id: c.id },
      ]
      const batch = await send('POST /api/v1/links/batch', fixtures, {
        codes: [a.key, b.key, c.spare],
        body: { links },
      })
      assert.equal(batch.status, 201)
      assert.deepEqual([await left('a'), await left('b'), await left('c')], [1, 1, 1])
    })

    test('10.1.26 of many writes at once with two codes, as many succeed as both have uses', async () => {
      const { fixtures, rooms, left } = await open('a', 'b')
      const { a, b } = rooms
      const body = { from_id: a.id, to_id: b.id }
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          send('POST /api/v1/links', fixtures, {
            as: 'ann',
            codes: at % 2 === 0 ? [a.key, b.key] : [b.key, a.key],
            body,
          }),
        ),
      )
      const counts = Object.fromEntries(
        Map.groupBy(made, ({ status }) => status)
          .entries()
          .map(([status, all]) => [status, all.length]),
      )
      assert.deepEqual(counts, { 201: 4, 403: 16 })
      assert.deepEqual([await left('a'), await left('b')], [0, 0])
    })

    test('10.1.20, 10.1.18 a code that no named record needs is neither used nor refused', async () => {
      const { fixtures } = await open()
      const hall = async (as: string) =>
        (await send('POST /api/v1/halls', fixtures, { as, body: { name: as } })).data as { id: string; key: string }
      const [mine, other] = [await hall('ann'), await hall('ben')]
      const body = { from_id: mine.id, to_id: other.id }
      for (const codes of [[unknown.replace('room', 'hall')], [other.key], [other.key, mine.key]])
        assert.equal((await send('POST /api/v1/paths', fixtures, { as: 'ann', codes, body })).status, 201)
    })
  },
  { definition },
)
