// Closing a handler: what it refuses, and what it waits for.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { anyone, boolean, createHandler, route } from 'duet-api'
import { api } from '../../reference/service.ts'
import { serve } from '../support/server/http-listener.ts'

const environment = { DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' }

test('16.1.5 close refuses what comes, and waits for what runs', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  let running = 0
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = route('GET', '/api/v2/slow', {
    summary: 'Wait',
    access: anyone,
    answer: { done: boolean() },
    async handle() {
      if (++running === 2) begin()
      await released
      return { done: true }
    },
  })
  const handler = await createHandler({ ...api, routes: [slow] } as typeof api, {
    environment,
    clientAddress: () => '203.0.113.7',
  })
  const url = await serve(t, handler.listener)
  const answers = [fetch(`${url}/api/v2/slow`), handler.fetch(new Request('http://test/api/v2/slow'))]
  await begun
  const closing = handler.close()
  assert.equal(handler.close(), closing)
  // Nothing drains first: in the next turn it refuses.
  await new Promise(setImmediate)
  const late = await handler.fetch(new Request('http://test/health'))
  assert.equal(late.status, 503)
  const lateByListener = await fetch(`${url}/health`)
  assert.equal(lateByListener.status, 503)
  release()
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200)
  await closing
})

test('16.1.5 close does not wait for what was pipelined by who has left', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const slow = route('POST', '/api/v2/slow', {
    summary: 'Wait',
    access: anyone,
    answer: { done: boolean() },
    async handle() {
      begin()
      await left
      return { done: true }
    },
  })
  const handler = await createHandler({ ...api, routes: [slow] } as typeof api, { environment })
  const url = await serve(t, (request, response) => {
    request.socket.once('close', leave)
    handler.listener(request, response)
  })
  const head = 'Host: localhost\r\nContent-Length: 0\r\n\r\n'
  const client = connect(Number(new URL(url).port))
  // The first runs, and those behind it wait for it.
  client.write(`POST /api/v2/slow HTTP/1.1\r\n${head}`.repeat(3))
  await begun
  client.destroy()
  await left
  // Only a timer ends the wait for requests.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await handler.close()
})
