// A sample of the contract through each host. The whole of it: `npm run contract:host -- express`.

import { test } from 'node:test'
import { assertSampleThrough } from '../support/host/contract-through.ts'

for (const host of ['express', 'fastify', 'hono'] as const)
  test(`16.1.1 the contract holds through ${host}`, { timeout: 300_000 }, () => assertSampleThrough(host, 'sqlite'))
