// A service with too much to do says so at once. How it finds out is measured in src/service/pipeline/load-shedding.test.ts. (contract 8.5)

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import { TestSocket } from '../support/client/websocket.ts'

/** Later than late from the first look on. */
const late = { lateMs: -1e9, veryLateMs: -1e9, refuseMs: 1e9, lagSampleMs: 1 }
/** How long somebody who comes back at once waits, who is not among the first few. */
const holdMs = 50
const paced = { refusalsPerSecond: 1_000 / holdMs, refusalsAtOnce: 2 }
const busy = 'The service is too busy at the moment.'

withQuietService(
  '8.5 Overload',
  (service) => {
    before(async () => {
      while ((await service().send('GET /api/v2/posts')).status !== 503);
    })

    test('8.5.1 503 with Retry-After, before anything is read or looked up', async () => {
      const headers = { Authorization: 'Bearer nonsense' }
      const spent = await cost(service(), async () => {
        for (const [line, body] of [
          ['GET /api/v2/posts', undefined],
          ['GET /api/v1/nothing', undefined],
          ['POST /api/v2/posts', '{"title":'],
          ['POST /auth/login', { email: 'viewer@example.com', password: 'x' }],
          ['POST /graphql', { query: '{ me { id } }' }],
        ] as const) {
          const answer = await service().send(line, { headers, ...(body === undefined ? {} : { body }) })
          const error = answer.body.error ?? { ...answer.body.errors[0].extensions, ...answer.body.errors[0] }
          assert.deepEqual([answer.status, error.code, error.message], [503, 'SERVICE_UNAVAILABLE', busy], line)
          assert.equal(answer.headers['retry-after'], '2')
        }
      })
      assert.deepEqual(spent, nothing)
    })

    test('8.5.2 health is answered all the same', async () => {
      assert.equal((await service().send('GET /health')).status, 200)
      assert.equal((await service().send('GET /health/ready')).status, 200)
    })

    test('8.5.1 an upgrade is a request like any other', async () => {
      await assert.rejects(TestSocket.open(service().url), /refused with 503/)
    })

    test('8.5.3 clients that retry at once are refused one after the other, so that there is time for others', async () => {
      const count = 6
      for (const ask of [
        () => service().send('GET /api/v2/posts'),
        () => service().graphql('{ me { id } }'),
        () => assert.rejects(TestSocket.open(service().url), /refused with 503/),
      ]) {
        const begun = performance.now()
        for (let at = 0; at < count; at++) await ask()
        // Timers may come a millisecond early.
        const leastMs = (count - paced.refusalsAtOnce) * (holdMs - 1)
        assert(performance.now() - begun >= leastMs, `${performance.now() - begun} ms`)
      }
    })

    test('8.5.1 the log reports it once', () => {
      const logged = service()
        .log()
        .filter((line) => line.includes('Overloaded'))
      assert.equal(logged.length, 1)
    })
  },
  { limits: { ...late, ...paced }, environment: { LIMIT_IP_PER_MINUTE: '1000' } },
)
