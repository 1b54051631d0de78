// What a service refuses for a moment is sent again: neither its rate limits nor its load break a clause.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Kit } from '../../conformance/src/kit/kit.ts'
import type { Profile } from '../../conformance/src/profile.ts'

for (const [status, retryAfter] of [
  [429, '1'],
  [503, '1'],
  [503, undefined],
] as const)
  test(`${status} with Retry-After ${retryAfter} is waited for`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'duet-conformance-'))
    const refused = [true, false]
    const server = createServer((_, outgoing) => {
      if (refused.shift()) outgoing.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter })
      outgoing.end()
    })
    t.after(() => rm(folder, { recursive: true }))
    t.after(() => server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const seen: number[] = []
    const profile = { url, accounts: {}, resources: {}, versions: { current: 'v1' } } as unknown as Profile
    const kit = new Kit(profile, 'run', join(folder, 'journal'), (answer) => void seen.push(answer.status))
    assert.equal((await kit.send('GET /')).status, 200)
    assert.deepEqual(seen, [status, 200])
    kit.close()
  })
