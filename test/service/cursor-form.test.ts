// The flat form of cursors is a choice of the service. (contract 4.4.16)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from 'duet-api'
import { api } from '../../reference/service.ts'

test('a service may tell of further pages beside the data', async () => {
  const environment = { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:' }
  const service = await start(api, { environment, cursorForm: 'flat' })
  const answer = await fetch(`${service.url}/api/v2/posts?limit=5`)
  assert.deepEqual(await answer.json(), { data: [], has_more: false })
  await service.stop()
})
