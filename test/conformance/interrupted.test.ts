// Runs that end early: Ctrl-C removes what the run made, and `--clean` what a killed run left behind.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { withDemoService } from '../support/server/demo-service.ts'

const command = join(repository, 'conformance/src/main.ts')
const profile = join(repository, 'conformance/profiles/reference.json')
const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  DATABASE_URL: 'sqlite::memory:',
}

/** A way to the service that tells once this many products were created through it. */
async function startGate(service: string, count: number) {
  const reached = Promise.withResolvers<void>()
  let created = 0
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const way = forward(new URL(url!, service), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
      if (method === 'POST' && url === '/api/v2/products' && ++created === count) reached.resolve()
    })
    incoming.pipe(way)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached: reached.promise, close }
}

for (const signal of ['SIGINT', 'SIGKILL'] as const)
  test(`a run that ends by ${signal} leaves nothing behind, by itself or by --clean`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'duet-conformance-'))
    t.after(() => rm(folder, { recursive: true }))
    await withDemoService(variables, async (client, url) => {
      const total = async () => (await client.send('GET /api/v2/products')).body.meta.total
      const before = await total()
      const gate = await startGate(url, 20)
      const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
      const args = [command, gate.url, '--profile', profile, '--only', '2,4,12']
      // A group of its own, which is killed with the process of the tests in it.
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore', detached: true })
      await gate.reached
      if (signal === 'SIGINT') child.kill(signal)
      else process.kill(-child.pid!, signal)
      await once(child, 'exit')
      gate.close()
      const [journal] = globSync(join(folder, '.duet-conformance/*.jsonl')) as [string]
      assert.match(readFileSync(journal, 'utf8'), /"target":"\/api\/v2\/products\//)
      if (signal === 'SIGINT') assert.equal(await total(), before)
      else {
        assert.ok((await total()) > before)
        const clean = [command, url, '--profile', profile, '--clean', journal]
        const { code, printed } = await runProcess(process.execPath, clean, folder)
        assert.equal(code, 0, printed)
        // What was being created when the run was killed is not in the journal with its address.
        assert.ok((await total()) - before <= 8)
      }
    })
  })
