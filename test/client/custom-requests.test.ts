// The typed client asks custom routes: queries, bytes, other media types, and time limits of what is read as it comes.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createClient } from 'duet-api/client'
import type { api } from '../../reference/service.ts'
import { reportRoutes, type sales } from '../support/domain/custom-routes.ts'
import { type exported, mediaRoutes, type picture, rawRoutes } from '../support/domain/raw-routes.ts'
import { beginning, withService } from '../support/server/service.ts'

withService(
  'custom routes',
  (service) => {
    const open = async () => {
      const { viewer } = await service().fixtures().fill({ viewer: '{viewer}' })
      const token = await service().token(viewer)
      const json = { preferences: true, details: true } as const
      return createClient<typeof api>(service().url, { version: 'v2', json, accessToken: () => token })
    }

    test('a query is written, and the answer is typed', async () => {
      await service().fixtures().idOf('paid order')
      const client = await open()
      const { data } = await client.request<typeof sales>('GET', '/api/v2/reports/sales', {
        query: { min_total: 5, since: beginning, per_page: 1 },
      })
      assert.deepEqual([data.sum, data.orders[0]!.total], [1000, 1000])
      const query = { since: null, min_total: 1_001, per_page: undefined }
      assert.equal(
        ((await client.request('GET', '/api/v2/reports/sales', { query })) as typeof data & { data: { sum: number } })
          .data.sum,
        0,
      )
    })

    test('bytes are sent as they are', async () => {
      const client = await open()
      const headers = { 'Content-Type': 'image/png', 'Picture-Width': '7' }
      const body = new Uint8Array([0, 255, 128])
      const answer = await client.request('PUT' satisfies (typeof picture)['method'], '/api/v2/pictures/own', {
        headers,
        body,
      })
      assert.deepEqual(answer, { data: { size: 3, width: 7 } })
    })

    test('another media type is answered as the Response', async () => {
      const client = await open()
      const path = '/api/v2/exports/orders.csv' satisfies (typeof exported)['path']
      const response = await client.response('GET', path, { query: { status: 'paid' } })
      assert.equal(response.headers.get('Content-Type'), 'text/csv; charset=utf-8')
      assert.match(await response.text(), /^id,total\n/)
      await assert.rejects(client.response('GET', path, { query: { status: 'none' } }), { code: 'VALIDATION_ERROR' })
    })
  },
  { routes: [...reportRoutes, ...rawRoutes, ...mediaRoutes] },
)

test('a body that is read as it comes may take longer than a call, and ends with its signal', async (t) => {
  const server = createServer((_, response) => {
    response.write('first')
    setTimeout(() => response.write('second'), 1_200)
  }).listen(0)
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const client = createClient<typeof api>(`http://127.0.0.1:${port}`, {
    version: 'v2',
    json: { preferences: true, details: true },
    retry: { timeoutMs: 1_000, tryTimeoutMs: 500 },
  })
  const ending = new AbortController()
  const response = await client.response('GET', '/x', { signal: ending.signal })
  const pieces: string[] = []
  await assert.rejects(
    async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        pieces.push(piece)
        if (piece === 'second') ending.abort(new Error('enough'))
      }
    },
    { message: 'enough' },
  )
  assert.deepEqual(pieces, ['first', 'second'])
})
