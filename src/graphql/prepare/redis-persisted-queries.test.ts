import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { Redis } from 'iovalkey'
import { redisUrl, startRedisServer, withoutRedis, withoutRedisServer } from '../../../test/support/server/redis.ts'
import { openRedisQueries } from './redis-persisted-queries.ts'

const sha = (text: string) => hash('sha256', text, 'hex')
const skip = await withoutRedis()

/** Two instances that share what they know, within these bounds. */
async function twoInstances(t: TestContext, persistedQueries = 100, persistedQueryBytes = 10_000) {
  const prefix = `duet:test:{${randomBytes(8).toString('hex')}}:`
  const options = { url: redisUrl, prefix, limits: { persistedQueries, persistedQueryBytes }, timeoutMs: 2_000 }
  const [one, other] = [await openRedisQueries(options), await openRedisQueries(options)]
  const redis = new Redis(redisUrl)
  t.after(async () => {
    await redis.del(...['text', 'used', 'bytes'].map((name) => prefix + name))
    for (const each of [one, other]) each.close()
    redis.disconnect()
  })
  const keep = (text: string) => one.keep(sha(text), text)
  const storedTexts = async (...texts: readonly string[]) => {
    const found = await Promise.all(texts.map((text) => other.find(sha(text))))
    return texts.filter((text, index) => found[index] === text)
  }
  return { keep, storedTexts, redis, prefix }
}

test('a query that one instance keeps is known to the others', { skip }, async (t) => {
  const { keep, storedTexts } = await twoInstances(t)
  await keep('{ a }')
  assert.deepEqual(await storedTexts('{ a }', '{ b }'), ['{ a }'])
})

test('beyond their number, what was not used for longest goes', { skip }, async (t) => {
  const { keep, storedTexts, redis, prefix } = await twoInstances(t, 3)
  for (const text of ['a', 'b', 'c']) {
    await keep(text)
    // Redis counts milliseconds; these must not be the same.
    await redis.zincrby(`${prefix}used`, -1_000 + text.charCodeAt(0), sha(text))
  }
  assert.deepEqual(await storedTexts('a'), ['a'])
  await keep('d')
  assert.deepEqual(await storedTexts('a', 'b', 'c', 'd'), ['a', 'c', 'd'])
  assert.equal(await redis.hlen(`${prefix}text`), 3)
})

test('beyond their size too, and what is kept twice counts once', { skip }, async (t) => {
  const { keep, storedTexts, redis, prefix } = await twoInstances(t, 100, 1_000)
  const long = (name: string) => name.repeat(400)
  for (const name of ['a', 'b', 'a', 'b']) {
    await keep(long(name))
    await redis.zincrby(`${prefix}used`, -1_000 + name.charCodeAt(0), sha(long(name)))
  }
  assert.equal(await redis.get(`${prefix}bytes`), '800')
  await keep(long('c'))
  assert.deepEqual(await storedTexts(long('a'), long('b'), long('c')), [long('b'), long('c')])
  assert.equal(await redis.get(`${prefix}bytes`), '800')
})

test('where Redis drops a part for want of memory, the bounds still hold', { skip }, async (t) => {
  const { keep, storedTexts, redis, prefix } = await twoInstances(t, 2)
  for (const lost of ['text', 'used', 'bytes']) {
    for (const text of ['a', 'b']) await keep(text)
    await redis.del(prefix + lost)
    for (const text of ['c', 'd', 'e']) await keep(text)
    assert.equal(await redis.hlen(`${prefix}text`), 2)
    assert.equal(await redis.get(`${prefix}bytes`), '2')
    assert.equal((await storedTexts('a', 'b', 'c', 'd', 'e')).length, 2)
  }
})

test('a text that another client put under a hash is not believed', { skip }, async (t) => {
  const { keep, storedTexts, redis, prefix } = await twoInstances(t)
  await keep('{ a }')
  await redis.hset(`${prefix}text`, sha('{ a }'), '{ other }')
  assert.deepEqual(await storedTexts('{ a }'), [])
})

test('without Redis nothing is known and nothing fails, until it is back', {
  skip: withoutRedisServer(),
}, async (t) => {
  const server = await startRedisServer()
  t.after(() => server.kill())
  await server.kill()
  const limits = { persistedQueries: 10, persistedQueryBytes: 1_000 }
  const queries = await openRedisQueries({ url: server.url, limits, pauseMs: 10, timeoutMs: 50 })
  t.after(() => queries.close())
  const isKept = async () => {
    await queries.keep(sha('a'), 'a')
    return (await queries.find(sha('a'))) === 'a'
  }
  assert.equal(await isKept(), false)
  await server.start()
  while (!(await isKept())) await new Promise(setImmediate)
  server.freeze()
  assert.equal(await isKept(), false)
  server.resume()
  while (!(await isKept())) await new Promise(setImmediate)
  await server.kill()
  assert.equal(await isKept(), false)
})
