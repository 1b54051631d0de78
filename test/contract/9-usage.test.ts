// Who still uses what is deprecated: counted in memory, written down now and then, read by admins. (contract 9.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { type TestService, withService } from '../support/server/service.ts'

const day = '2026-11-20T00:00:00.000Z'
interface Row {
  readonly what: string
  readonly principal: string
  readonly client: string
  readonly day: string
  readonly count: number
  readonly removable_from: string
}
async function counted(service: TestService, query = ''): Promise<readonly Row[]> {
  await service.usage.flush()
  const { status, body } = await service.send(`GET /api/v2/deprecation-usage?${query}`, { as: 'admin' })
  assert.equal(status, 200)
  return body.data
}
const text = '{ comments(first: 1) { nodes { text } } }'
const named = { headers: { 'X-Client-Name': 'shop/2.1' } }

withService('9.4 Usage', (service) => {
  test('9.4.1 a request under a deprecated version is a use of it, whatever becomes of it; others are none', async () => {
    await service().send('GET /api/v1/posts', named)
    await service().send('GET /api/v1/posts?no=1', named)
    await service().send('GET /api/v1/posts', { as: 'viewer' })
    for (const path of ['/api/v2/posts', '/api/v1/nothing', '/api/posts', '/health']) {
      await service().send(`GET ${path}`, named)
    }
    await service().client.send('GET /api/v1/openapi.json', named)
    const [viewer] = await counted(service(), 'what=v1&client=unknown')
    const [anonymous, ...others] = await counted(service(), 'what=v1&client=shop/2.1')
    const removable = { removable_from: '2027-11-20T00:00:00.000Z' }
    assert.deepEqual(others, [])
    assert.match(viewer!.principal, /^usr_/)
    assert.equal(viewer!.count, 1)
    const { what, principal, client, count, ...rest } = anonymous!
    assert.deepEqual(
      { what, principal, client, count },
      { what: 'v1', principal: 'anonymous', client: 'shop/2.1', count: 2 },
    )
    assert.deepEqual({ day: rest.day, removable_from: rest.removable_from }, { day, ...removable })
  })

  test('9.4.1 a deprecated field is used wherever an operation selects it', async () => {
    const ask = (query: string, variables?: object) => service().graphql(query, { ...named, variables })
    await ask(text)
    await ask(`query ($with: Boolean!) { comments { nodes { id text @include(if: $with) } } }`, { with: true })
    await ask(`query ($with: Boolean!) { comments { nodes { id text @include(if: $with) } } }`, { with: false })
    await ask('{ posts(first: 1) { nodes { comments { ...C } } } } fragment C on Comment { text again: text }')
    await ask('{ comments(first: 1) { nodes { content } } }')
    await ask('{ comments(first: 1) { nodes { text nothing } } }')
    const rows = await counted(service(), 'what=Comment.text')
    assert.deepEqual(
      rows.map(({ client, count }) => [client, count]),
      [['shop/2.1', 3]],
    )
    // The fifth month begins later than ninety days after this use.
    assert.equal(rows[0]!.removable_from, '2027-03-20T00:00:00.000Z')
  })

  test('9.4.1 so it is over a WebSocket, whose client says its name when it begins', async () => {
    const socket = new WebSocket(`${service().url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    const { promise: isDone, resolve } = Promise.withResolvers<void>()
    socket.on('open', () => socket.send('{"type":"connection_init","payload":{"X-Client-Name":"socket"}}'))
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data))
      if (type === 'connection_ack')
        socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: text } }))
      if (type === 'complete') resolve()
    })
    await isDone
    socket.terminate()
    assert.deepEqual(
      (await counted(service(), 'client=socket')).map(({ what, count }) => [what, count]),
      [['Comment.text', 1]],
    )
  })

  test('9.4.2 counts of several instances and times add up in one row for each day', async () => {
    const { headers } = { headers: { 'X-Client-Name': 'twice' } }
    for (let times = 0; times < 3; times++) {
      await service().send('GET /api/v1/products', { headers })
      await service().usage.flush()
    }
    service().advance(86_400_000)
    service().forgetTokens()
    await service().send('GET /api/v1/products', { headers })
    const rows = await counted(service(), 'client=twice&sort=day')
    assert.deepEqual(
      rows.map(({ day, count }) => [day.slice(0, 10), count]),
      [
        ['2026-11-20', 3],
        ['2026-11-21', 1],
      ],
    )
    assert.deepEqual((await counted(service(), 'client=twice&from=2026-11-21T00:00:00Z')).length, 1)
  })

  test('9.4.2 no request that counts writes anything', async () => {
    await service().usage.flush()
    const before = await service().tables('deprecation_usage')
    for (let times = 0; times < 10; times++) await service().send('GET /api/v1/products', named)
    await service().graphql(text)
    assert.deepEqual(await service().tables('deprecation_usage'), before)
    await service().usage.flush()
    assert.notDeepEqual(await service().tables('deprecation_usage'), before)
  })

  test('9.4.2 each deprecated thing says since when it is counted, once', async () => {
    await service().usage.begin()
    await service().usage.begin()
    const rows = await counted(service(), 'principal=none&sort=day')
    assert.deepEqual(rows.map(({ what, count }) => [what, count]).sort(), [
      ['Comment.text', 0],
      ['CreateCommentInput.text', 0],
      ['UpdateCommentInput.text', 0],
      ['v1', 0],
    ])
  })

  test('9.4.2 no other user reads the counts, and no user writes them', async () => {
    for (const [as, status] of [
      ['anonymous', 401],
      ['editor', 403],
    ] as const) {
      assert.equal((await service().send('GET /api/v2/deprecation-usage', { as })).status, status)
    }
    const { status } = await service().send('POST /api/v2/deprecation-usage', { as: 'admin', body: {} })
    assert.equal(status, 405)
    const { body } = await service().graphql('{ deprecationUsage(first: 1) { nodes { what } } }', { as: 'admin' })
    assert.equal(body.errors, undefined)
  })

  test('9.4.2 counts of long ago are removed, beginnings are not', async () => {
    await service().usage.begin()
    await service().usage.flush()
    await service().usage.forget(new Date(service().now().getTime() + 401 * 86_400_000))
    assert.ok((await counted(service(), 'principal=none')).length > 0)
    assert.deepEqual(
      (await counted(service())).filter(({ count }) => count > 0),
      [],
    )
  })
})
