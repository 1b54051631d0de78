// Each example as its readers start it: both faces below the base path, the host's own route beside them, subscriptions.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestSocket } from '../support/client/websocket.ts'
import { startExample, useExample } from '../support/host/example.ts'
import { examples } from '../support/process/example.ts'
import { duetConditions, programPath } from '../support/process/program.ts'

const patient = programPath('test/support/process/patient.ts')

test('all examples serve the same service', () => {
  const [first, ...others] = ['express', 'fastify', 'hono', 'next', 'bun', 'deno'].map((host) =>
    readFileSync(join(examples, 'embedding', host, 'service.ts'), 'utf8'),
  )
  for (const other of others) assert.equal(other, first)
})

for (const host of ['express', 'fastify', 'hono'])
  test(`examples/embedding/${host} serves both faces, subscriptions and its own route`, async (t) => {
    const url = await startExample(t, host, {
      program: process.execPath,
      args: [...duetConditions, '--import', patient],
    })
    const socket = await TestSocket.ready(`${url}/backend`)
    socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { noteCreated { title } }' } })
    socket.send({ type: 'ping' })
    await socket.next()
    await useExample(url, host)
    const { data } = (await socket.next()).payload as { readonly data: unknown }
    assert.deepEqual(data, { noteCreated: { title: 'Hello' } })
  })
