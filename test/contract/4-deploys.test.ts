// What clients notice of a deploy: two releases of a service that share a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterDeploy, beforeDeploy } from '../support/domain/deploy.ts'
import { startInstance } from '../support/server/instance.ts'
import { withService } from '../support/server/service.ts'

withService(
  '4.11 ETags and deploys',
  (service) => {
    test('4.11.9, 4.11.10 a field that a deploy adds changes the ETag, and If-Match accepts both', async (t) => {
      const before = service().client
      const { body } = await before.send('POST /api/v2/memos', { body: { title: 'A' } })
      const path = `/api/v2/memos/${body.data.id}`
      const lines = [`GET ${path}`, `GET ${path}?fields=id,title`, `GET ${path}?fields=can`, 'GET /api/v2/memos']
      const old = await Promise.all(lines.map((line) => before.send(line)))
      const newer = await startInstance(service(), { definition: afterDeploy })
      t.after(() => newer.stop())
      for (const [index, line] of lines.entries()) {
        const { etag } = old[index]!.headers
        const answer = await newer.client.send(line, { headers: { 'If-None-Match': etag! } })
        const isSame = line.includes('fields')
        assert.equal(answer.status, isSame ? 304 : 200, line)
        assert.equal(answer.headers['etag'] === etag, isSame, line)
      }
      assert.equal((await newer.client.send(`GET ${path}`)).body.data.stars, 3)
      const [first, second] = [old[0]!, await newer.client.send(`GET ${path}`)].map(({ headers }) => headers['etag']!)
      for (const [etag, client] of [
        [first, newer.client],
        [second, before],
        [first, before],
      ] as const) {
        const update = { headers: { 'If-None-Match': etag! }, body: { title: 'B' } }
        assert.equal((await client.send(`PATCH ${path}`, update)).status, 409, 'the version of the ETag is current')
      }
      const change = (etag: string, client = newer.client) =>
        client.send(`PATCH ${path}`, { headers: { 'If-Match': etag }, body: { title: 'C' } })
      assert.equal((await change(first!)).status, 200)
      assert.equal((await change(second!, before)).status, 409)
      const third = await before.send(`GET ${path}`)
      assert.equal((await change(third.headers['etag']!)).status, 200)
      assert.equal((await change('"3.0"')).status, 200, 'the form of earlier releases')
    })
  },
  { definition: beforeDeploy },
)
