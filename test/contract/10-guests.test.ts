// Guests: whoever shows the token of a record, through both faces, on sockets, and in what caches, browsers and logs are told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, route, text } from 'duet-api'
import { createClient } from 'duet-api/client'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { share } from '../support/domain/share.ts'
import { type TestService, withService } from '../support/server/service.ts'

const dataOf = ({ payload }: Frame) => (payload as { data: unknown }).data
type Fixtures = ReturnType<TestService['fixtures']>
interface Asking {
  readonly as?: string
  readonly code?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
const people = { ann: { User: {} }, ben: { User: {} } }
const unknown = `share${'A'.repeat(43)}`

/** Whose code quotes what it was sent. */
const failing = route('GET', '/api/v1/failing', {
  summary: 'Fails',
  access: anyone,
  query: { say: text({ max: 200 }) },
  handle({ query }) {
    throw new Error(`It was asked to say ${query.say}`)
  },
})

withService(
  '10.1 guests',
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
      const { body } = await running().graphql(query, asking(fixtures, asks))
      return body
    }
    /** Two folders of Ann's, each with its code and two files. */
    async function open() {
      const fixtures = running().fixtures(people)
      const folders = []
      for (const name of ['one', 'two']) {
        const { data } = await send('POST /api/v1/folders', fixtures, { as: 'ann', body: { name } })
        const file = async (title: string, is_draft: boolean) => {
          const body = { folder_id: data.id, title, is_draft }
          return (await send('POST /api/v1/files', fixtures, { as: 'ann', body })).data.id as string
        }
        folders.push({ id: data.id as string, code: data.code as string, file: await file('shown', false) })
        await file('draft', true)
      }
      return { fixtures, one: folders[0]!, two: folders[1]! }
    }

    test('10.1.14 a caller who shows the token reads that record and what follows from it, by every way', async () => {
      const { fixtures, one, two } = await open()
      const asks = { code: one.code }
      assert.equal((await send(`GET /api/v1/folders/${one.id}`, fixtures, asks)).status, 200)
      assert.equal((await send(`GET /api/v1/folders/${two.id}`, fixtures, asks)).status, 404)
      const list = await send('GET /api/v1/folders?page=1', fixtures, asks)
      assert.deepEqual([list.data.map((each: { id: string }) => each.id), list.meta.total], [[one.id], 1])
      const files = await send('GET /api/v1/files?page=1', fixtures, asks)
      assert.deepEqual([files.data.map((each: { id: string }) => each.id), files.meta.total], [[one.file], 1])
      const query = `{ one: folder(id: "${one.id}") { name owner { id } files(limit: 9) { id title } } two: folder(id: "${two.id}") { id }
        folders(first: 9) { totalCount nodes { id } } files(first: 9) { totalCount nodes { id } } }`
      const { data, errors } = await ask(query, fixtures, asks)
      assert.deepEqual(
        errors.map((each: { path: unknown; extensions: { code: string } }) => [each.path, each.extensions.code]),
        [[['two'], 'NOT_FOUND']],
      )
      assert.deepEqual(data.one, { name: 'one', owner: null, files: [{ id: one.file, title: 'shown' }] })
      assert.deepEqual(data.folders, { totalCount: 1, nodes: [{ id: one.id }] })
      assert.deepEqual(data.files, { totalCount: 1, nodes: [{ id: one.file }] })
    })

    test('10.1.14, 10.1.20 a code that is of nothing is never refused, and what has no such form is none', async () => {
      const { fixtures, one } = await open()
      const line = `GET /api/v1/folders/${one.id}`
      const status = async (asks: Asking) => (await send(line, fixtures, asks)).status
      assert.equal(await status({ code: unknown }), 404)
      assert.equal((await send('GET /api/v1/folders', fixtures, { code: unknown })).data.length, 0)
      for (const code of ['', 'x', one.code.slice(0, -1), `${one.code}A`, one.code.replace('share', 'other_')])
        assert.equal(await status({ code }), 401, code)
      assert.equal(await status({}), 401)
      assert.equal(await status({ as: 'ben' }), 404)
      assert.equal(await status({ as: 'ben', code: 'x' }), 404)
      assert.equal(await status({ as: 'ben', code: one.code }), 200)
      assert.equal(await status({ as: 'ann', code: unknown }), 200)
      const { errors } = await ask(`{ folder(id: "${one.id}") { id } }`, fixtures, { code: 'x' })
      assert.equal(errors[0].extensions.code, 'UNAUTHENTICATED')
    })

    test('10.1.14 equal reads at once with other codes do not mix', async () => {
      const { fixtures, one, two } = await open()
      const codes = [one.code, two.code, unknown, undefined, one.code, two.code]
      const answers = await Promise.all(
        codes.flatMap((code) => [
          send(`GET /api/v1/folders/${one.id}`, fixtures, { code }),
          send('GET /api/v1/folders', fixtures, { code }),
        ]),
      )
      const seen = answers.map(({ status, data }) => (Array.isArray(data) ? data.map(({ id }) => id) : status))
      const none = [404, []]
      assert.deepEqual(seen, [200, [one.id], 404, [two.id], ...none, 401, 401, 200, [one.id], 404, [two.id]])
    })

    test('10.1.14 a write is allowed by a code, of the record itself and of the one that a relation names', async () => {
      const { fixtures, one, two } = await open()
      const rename = (asks: Asking, id = one.id) =>
        send(`PATCH /api/v1/folders/${id}`, fixtures, { ...asks, body: { name: 'new' } })
      assert.equal((await rename({ code: one.code })).status, 200)
      assert.equal((await rename({ code: two.code })).status, 404)
      assert.equal((await rename({})).status, 401)
      const body = { folder_id: one.id, title: 'guest' }
      assert.equal((await send('POST /api/v1/files', fixtures, { code: one.code, body })).status, 201)
      assert.equal((await send('POST /api/v1/files', fixtures, { code: two.code, body })).status, 422)
      const mutation = `mutation { createFile(input: { folderId: "${one.id}", title: "guest" }) { title folder { name } } }`
      const made = await ask(mutation, fixtures, { code: one.code })
      assert.deepEqual(made.data, { createFile: { title: 'guest', folder: { name: 'new' } } })
      assert.equal((await send(`DELETE /api/v1/folders/${one.id}`, fixtures, { code: one.code })).status, 401)
      assert.equal((await send(`DELETE /api/v1/folders/${one.id}`, fixtures, { as: 'ann' })).status, 403)
      assert.equal(
        (await send(`DELETE /api/v1/folders/${one.id}`, fixtures, { as: 'ben', code: two.code })).status,
        404,
      )
      assert.equal(
        (await send(`DELETE /api/v1/folders/${one.id}`, fixtures, { as: 'ben', code: one.code })).status,
        204,
      )
    })

    test('10.1.15 an idempotency key of an anonymous caller belongs to the code that is sent with it', async () => {
      const { fixtures, one, two } = await open()
      const create = async (code: string, id: string) => {
        const body = { folder_id: id, title: 'x' }
        const headers = { 'X-Idempotency-Key': 'same' }
        const answer = await send('POST /api/v1/files', fixtures, { code, body, headers })
        return [answer.status, answer.headers['idempotent-replayed'], answer.data?.id] as const
      }
      const [status, replayed, id] = await create(one.code, one.id)
      assert.deepEqual([status, replayed], [201, undefined])
      assert.deepEqual(await create(one.code, one.id), [200, 'true', id])
      const other = await create(two.code, two.id)
      assert.deepEqual(other.slice(0, 2), [201, undefined])
      assert.notEqual(other[2], id)
    })

    test('10.1.16 no cache keeps an answer to a code, and caches and browsers know the header', async () => {
      const { fixtures, one } = await open()
      for (const asks of [{ code: one.code }, { code: unknown }, { as: 'ann', code: 'x' }]) {
        const { headers } = await send(`GET /api/v1/folders/${one.id}`, fixtures, asks)
        assert.equal(headers['cache-control'], 'private, no-store')
        assert.match(headers['vary']!, /\bX-Access-Code\b/)
      }
      const { headers } = await send(`GET /api/v1/folders/${one.id}`, fixtures, { as: 'ann' })
      assert.equal(headers['cache-control'], 'private, no-cache')
      assert.match(headers['vary']!, /\bX-Access-Code\b/)
      const url = `/graphql?query=${encodeURIComponent('{ folders(first: 1) { nodes { id } } }')}`
      const answer = await send(`GET ${url}`, fixtures, { code: one.code, headers: { Accept: 'application/json' } })
      assert.deepEqual(answer.data, { folders: { nodes: [{ id: one.id }] } })
      assert.equal(answer.headers['cache-control'], 'private, no-store')
      const preflight = await fetch(`${running().url}/api/v1/folders`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' },
      })
      assert.match(preflight.headers.get('access-control-allow-headers')!, /\bX-Access-Code\b/)
    })

    test('10.1.16 no code is in the log', async () => {
      const { fixtures, one } = await open()
      await send(`GET /api/v1/folders/${one.id}`, fixtures, { code: one.code })
      const failed = await send(`GET /api/v1/failing?say=${one.code}`, fixtures, { code: one.code })
      assert.equal(failed.status, 500)
      const logged = running().log().join('')
      assert.match(logged, /\/api\/v1\/folders\/\{id\}/)
      assert.match(logged, /It was asked to say \[secret\]/)
      assert.ok(!logged.includes(one.code.slice(-20)))
    })

    test('10.1.14 a socket shows its code at the beginning, and hears and reads what it opens', async () => {
      const { fixtures, one, two } = await open()
      const ready = async (payload: object) => {
        const socket = await TestSocket.open(running().url)
        socket.send({ type: 'connection_init', payload })
        assert.equal((await socket.next()).type, 'connection_ack')
        socket.subscribe('1', 'subscription { renamed { id name files(limit: 9) { title } } }')
        await socket.settled()
        return socket
      }
      const token = await running().token(await fixtures.idOf('ben'))
      const first = await ready({ accessCode: one.code })
      const also = await ready({ 'X-Access-Code': one.code, Authorization: `Bearer ${token}` })
      const second = await ready({ accessCode: two.code })
      const nothing = await ready({ accessCode: unknown })
      const sockets = [first, also, second, nothing]
      const rename = (id: string, name: string) =>
        send(`PATCH /api/v1/folders/${id}`, fixtures, { as: 'ann', body: { name } })
      await rename(one.id, 'first')
      await running().settled()
      const heard = { renamed: { id: one.id, name: 'first', files: [{ title: 'shown' }] } }
      assert.deepEqual(dataOf(await first.next()), heard)
      assert.deepEqual(dataOf(await also.next()), heard)
      await rename(two.id, 'second')
      await running().settled()
      assert.equal((dataOf(await second.next()) as typeof heard).renamed.id, two.id)
      for (const each of sockets) await each.settled()
      for (const each of sockets) await each.close()
    })

    test('10.1.14 the client shows a code', async () => {
      const { one } = await open()
      const client = createClient<typeof share>(running().url, { accessCode: one.code })
      assert.equal((await client.folders.get(one.id)).name, 'one')
      const data = await client.graphql('{ folders(first: 1) { nodes { id } } }')
      assert.deepEqual(data, { folders: { nodes: [{ id: one.id }] } })
      client.close()
    })

    test('10.1.14 documents name the header, and say who may', async () => {
      const document = (await running().client.send('GET /api/v1/openapi.json')).body
      const { get } = document.paths['/api/v1/folders/{id}']
      assert.ok(get.parameters.some((each: { $ref?: string }) => each.$ref === '#/components/parameters/X-Access-Code'))
      assert.match(get.description, /its owner.*; anyone with its code/)
      assert.deepEqual(get.security.at(-1), {})
      assert.equal(document.components.parameters['X-Access-Code'].name, 'X-Access-Code')
    })
  },
  {
    definition: share,
    routes: [failing],
    environment: { ALLOWED_ORIGINS: 'https://app.example.com' },
    logsRequests: true,
  },
)
