import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'iovalkey'
import { redisUrl, startRedisServer, withoutRedis, withoutRedisServer } from '../../test/support/server/redis.ts'
import type { Bucket, Counter } from './counter.ts'
import { connectRedisCounter } from './redis-counter.ts'

const prefix = `duet-test:${randomUUID()}:`
const skip = await withoutRedis()
const skipServer = withoutRedisServer()
const now = new Date('2001-01-01T00:00:00Z') // far from Redis's own clock, which must decide
const perMinute = (limit: number, name: string): Bucket => ({ name, limit, windowSeconds: 60 })

after(async () => {
  if (skip) return
  const redis = new Redis(redisUrl)
  const keys = await redis.keys(`${prefix}*`)
  if (keys.length > 0) await redis.del(keys)
  await redis.quit()
})

/** Keeps what was logged, and lets a test wait for the next sentence. */
function listeningLog() {
  const sentences: string[] = []
  const logTo = (level: string) => (sentence: string) => void sentences.push(`${level}: ${sentence}`)
  const until = async (count: number) => {
    while (sentences.length < count) await wait(5)
  }
  return { sentences, until, warn: logTo('warn'), info: logTo('info') }
}

async function connectForTest(
  t: TestContext,
  url = redisUrl,
  log = listeningLog(),
  timeoutMs = 5000,
): Promise<Counter> {
  const counter = await connectRedisCounter({ url, prefix, log, retryMs: 50, timeoutMs })
  t.after(() => counter.close())
  return counter
}

async function takeOne(counter: Counter, bucket: Bucket, subject = 'a', count = 1) {
  return (await counter.take([{ bucket, subject }], count, now))[0]!
}

test('counts up to the limit and not beyond, by the clock of Redis (contract 8.1.1)', { skip }, async (t) => {
  const counter = await connectForTest(t)
  assert.equal(counter.state, 'ok')
  const bucket = perMinute(2, 'boundary')
  const before = Date.now()
  const first = await takeOne(counter, bucket)
  const { allowed, remaining, resetAt, retryAfterSeconds } = first
  assert.deepEqual({ allowed, remaining, retryAfterSeconds }, { allowed: true, remaining: 1, retryAfterSeconds: 60 })
  assert.ok(resetAt >= Math.ceil((before - 1000) / 1000) + 60 && resetAt <= Math.ceil((Date.now() + 1000) / 1000) + 60)
  assert.equal((await takeOne(counter, bucket)).remaining, 0)
  const refused = await takeOne(counter, bucket)
  assert.equal(refused.allowed, false)
  assert.equal(refused.resetAt, resetAt)
  assert.ok(refused.retryAfterSeconds >= 59 && refused.retryAfterSeconds <= 60)
})

test('8.3.2 a window ends when its time is over, and the next begins', { skip }, async (t) => {
  const counter = await connectForTest(t)
  const redis = new Redis(redisUrl)
  t.after(() => redis.quit())
  const bucket = { name: 'short', limit: 1, windowSeconds: 0.3 }
  assert.equal((await takeOne(counter, bucket)).allowed, true)
  const refused = await takeOne(counter, bucket)
  assert.equal(refused.allowed, false)
  const endsMs = Number(await redis.hget(`${prefix}short:a`, 'ends'))
  while ((await redisTimeMs(redis)) < endsMs) await wait(10)
  assert.equal((await takeOne(counter, bucket)).allowed, true)
  assert.ok((await redis.pttl(`${prefix}short:a`)) > 0, 'a window leaves Redis when it ends')
})

async function redisTimeMs(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
}

test('counts several at once, wholly or not at all', { skip }, async (t) => {
  const counter = await connectForTest(t)
  const bucket = perMinute(4, 'several')
  assert.equal((await takeOne(counter, bucket, 'a', 5)).allowed, false)
  assert.equal((await takeOne(counter, bucket, 'a', 2)).remaining, 2)
  const refused = await takeOne(counter, bucket, 'a', 3)
  assert.equal(refused.allowed, false)
  assert.equal(refused.remaining, 2)
  assert.equal((await takeOne(counter, bucket, 'a', 2)).remaining, 0)
})

test('8.3.2 later windows do not count what an earlier one refused', { skip }, async (t) => {
  const counter = await connectForTest(t)
  const windowKeys = [
    { bucket: perMinute(9, 'order-1'), subject: 'a' },
    { bucket: perMinute(1, 'order-2'), subject: 'a' },
    { bucket: perMinute(9, 'order-3'), subject: 'a' },
  ]
  const allowed = (await counter.take(windowKeys, 1, now)).map((result) => [
    result.bucket.name,
    result.allowed,
    result.remaining,
  ])
  assert.deepEqual(allowed, [
    ['order-1', true, 8],
    ['order-2', true, 0],
    ['order-3', true, 8],
  ])
  const refused = (await counter.take(windowKeys, 1, now)).map((result) => [
    result.bucket.name,
    result.allowed,
    result.remaining,
  ])
  assert.deepEqual(refused, [
    ['order-1', true, 7],
    ['order-2', false, 0],
  ])
  assert.equal((await takeOne(counter, windowKeys[2]!.bucket)).remaining, 7)
})

test('8.3.5 of N+1 simultaneous requests on two instances exactly one is refused', { skip }, async (t) => {
  const instances = [await connectForTest(t), await connectForTest(t)]
  const bucket = perMinute(200, 'simultaneous')
  const answers = await Promise.all(Array.from({ length: 201 }, (_, index) => takeOne(instances[index % 2]!, bucket)))
  assert.equal(answers.filter((result) => !result.allowed).length, 1)
  assert.deepEqual(
    answers
      .filter((result) => result.allowed)
      .map((result) => result.remaining)
      .sort((one, other) => one - other),
    Array.from({ length: 200 }, (_, index) => index),
  )
  assert.equal(new Set(answers.map((result) => result.resetAt)).size, 1, 'instances agree on the end')
})

test('8.3.6 counts in memory while Redis is killed, and together again when it is back', {
  skip: skipServer,
}, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  const log = listeningLog()
  const counter = await connectForTest(t, server.url, log)
  const bucket = perMinute(1, 'killed')
  assert.equal((await takeOne(counter, bucket)).allowed, true)
  assert.equal((await takeOne(counter, bucket)).allowed, false)

  await server.kill()
  await log.until(1)
  assert.equal(counter.state, 'lost')
  const result = counter.take([{ bucket, subject: 'a' }], 1, now)
  assert.ok(!(result instanceof Promise), 'memory answers at once')
  assert.equal(result[0]!.allowed, true)
  assert.equal((await takeOne(counter, bucket)).allowed, false)

  await server.start()
  await log.until(2)
  assert.equal(counter.state, 'ok')
  assert.equal((await takeOne(counter, bucket)).allowed, true, 'counted by the new, empty Redis')
  assert.equal((await takeOne(counter, bucket)).allowed, false)
  assert.equal(log.sentences.length, 2)
  assert.match(log.sentences[0]!, /^warn: Redis is lost \(.+\): this instance counts/)
  assert.match(log.sentences[1]!, /^info: Redis is back/)
})

test('a request that is waiting when Redis dies is answered from memory', { skip: skipServer }, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  const log = listeningLog()
  // Were the answers waited for, this test would not end.
  const counter = await connectForTest(t, server.url, log, 2 ** 31 - 1)
  server.freeze()
  const waiting = Array.from({ length: 50 }, () => takeOne(counter, perMinute(49, 'waiting')))
  await server.kill()
  const answers = await Promise.all(waiting)
  assert.equal(answers.filter((result) => !result.allowed).length, 1)
  assert.equal(log.sentences.length, 1)
})

test('a Redis that answers too late counts as lost until it answers in time', { skip: skipServer }, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  const log = listeningLog()
  const counter = await connectForTest(t, server.url, log, 500)
  const bucket = perMinute(5, 'late')
  server.freeze()
  const startMs = performance.now()
  assert.equal((await takeOne(counter, bucket)).remaining, 4)
  const waitedMs = performance.now() - startMs
  assert.ok(waitedMs >= 495, `${waitedMs} ms`)
  assert.equal(counter.state, 'lost')
  await wait(1_200) // Several tries on a server that takes connections and answers none.
  assert.equal(counter.state, 'lost')
  server.resume()
  await log.until(2)
  assert.equal(counter.state, 'ok')
  assert.equal(log.sentences.length, 2)
})

test('an answer that came in time counts, however late this process reads it', { skip }, async (t) => {
  const counter = await connectForTest(t, redisUrl, listeningLog(), 500)
  const bucket = perMinute(5, 'stalled')
  await takeOne(counter, bucket)
  const waiting = takeOne(counter, bucket)
  const busyUntil = performance.now() + 1_000
  while (performance.now() < busyUntil);
  assert.equal((await waiting).remaining, 3)
  assert.equal(counter.state, 'ok')
})

test('a Redis that may not write counts as lost', { skip: skipServer }, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  const log = listeningLog()
  const counter = await connectForTest(t, server.url, log)
  const admin = new Redis(server.url, { disconnectTimeout: 50 })
  t.after(() => admin.disconnect())
  await admin.config('SET', 'maxmemory', '1')
  assert.equal((await takeOne(counter, perMinute(5, 'full'))).remaining, 4)
  assert.equal(counter.state, 'lost')
  await wait(300) // Several probes, all refused.
  assert.equal(log.sentences.length, 1)
  await admin.config('SET', 'maxmemory', '0')
  await log.until(2)
  assert.equal(counter.state, 'ok')
})

test('the script survives being flushed from Redis', { skip: skipServer }, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  const counter = await connectForTest(t, server.url)
  const admin = new Redis(server.url, { disconnectTimeout: 50 })
  t.after(() => admin.disconnect())
  const bucket = perMinute(5, 'flushed')
  await takeOne(counter, bucket)
  await admin.script('FLUSH')
  assert.equal((await takeOne(counter, bucket)).remaining, 3)
  assert.equal(counter.state, 'ok')
})

test('starts without Redis, and finds it when it comes', { skip: skipServer }, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  await server.kill()
  const log = listeningLog()
  const counter = await connectForTest(t, server.url, log)
  assert.equal(counter.state, 'lost')
  assert.equal(log.sentences.length, 1)
  assert.equal((await takeOne(counter, perMinute(5, 'early'))).remaining, 4)
  await server.start()
  await log.until(2)
  assert.equal(counter.state, 'ok')
})

test('a refused password is lost for good, not again and again, and never logged', { skip }, async (t) => {
  const log = listeningLog()
  const url = new URL(redisUrl)
  url.username = 'nobody'
  url.password = 'planted-secret'
  const counter = await connectForTest(t, url.href, log)
  assert.equal(counter.state, 'lost')
  await wait(300) // Several tries, each refused by a Redis that would serve strangers too.
  assert.equal(counter.state, 'lost')
  assert.equal(log.sentences.length, 1)
  assert.match(log.sentences[0]!, /WRONGPASS/)
  assert.doesNotMatch(log.sentences[0]!, /planted-secret/)
})

test('a database that Redis does not have counts as lost, not as database 0', { skip }, async (t) => {
  const log = listeningLog()
  const url = new URL(redisUrl)
  url.pathname = '/99999'
  const counter = await connectForTest(t, url.href, log)
  assert.equal(counter.state, 'lost')
  await wait(300)
  assert.equal(log.sentences.length, 1)
  assert.match(log.sentences[0]!, /DB index/)
})
