// Persisted queries shared by all instances through Redis or Valkey. Without it, clients send texts again to each.

import { Redis } from 'iovalkey'
import { isHashOf, type PersistedQueries, type PersistedQueryLimits } from './persisted-queries.ts'

export interface RedisQueriesOptions {
  readonly url: string
  readonly limits: PersistedQueryLimits
  /** Key prefix, so that services can share a Redis. Its braces keep the keys in one cluster slot. */
  readonly prefix?: string
  /** After a timeout, Redis is skipped for `pauseMs`. */
  readonly timeoutMs?: number
  readonly pauseMs?: number
}
export interface RedisQueries extends PersistedQueries {
  close(): void
}

// Keys: texts by hash, last uses, and total bytes. If Redis evicts one, the others are deleted. Unused texts expire after
// thirty days.
const tidy = `
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) end
local function use()
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 2592000) end
end`
const findScript = `${tidy}
local text = redis.call('HGET', KEYS[1], ARGV[1])
if text then use() end
return text`
const keepScript = `${tidy}
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 1 then redis.call('INCRBY', KEYS[3], #ARGV[2]) end
use()
while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[3]) or tonumber(redis.call('GET', KEYS[3])) > tonumber(ARGV[4]) do
  local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
  if not oldest then break end
  redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[1], oldest))
  redis.call('HDEL', KEYS[1], oldest)
end`

type Client = Redis & {
  findQuery(...words: readonly string[]): Promise<string | null>
  keepQuery(...words: readonly (string | number)[]): Promise<null>
}

/**
 * Resolves once Redis answered or failed, after about a second at most; reconnects by itself. Never rejects: an unreachable Redis
 * counts as empty.
 */
export async function openRedisQueries(options: RedisQueriesOptions): Promise<RedisQueries> {
  const { url, limits, prefix = 'duet:{query}:', timeoutMs = 200, pauseMs = 1000 } = options
  const client = new Redis(url, {
    scripts: {
      findQuery: { lua: findScript, numberOfKeys: 3 },
      keepQuery: { lua: keepScript, numberOfKeys: 3 },
    },
    lazyConnect: true,
    connectTimeout: 1000,
    disconnectTimeout: 200,
    commandTimeout: timeoutMs,
    retryStrategy: () => pauseMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  }) as Client
  // The rate limits log the lost connection.
  client.on('error', () => undefined)
  await client.connect().catch(() => undefined)
  const keys = ['text', 'used', 'bytes'].map((name) => prefix + name)
  let silentUntilMs = 0

  async function request<T>(question: () => Promise<T>): Promise<T | null> {
    if (client.status !== 'ready' || performance.now() < silentUntilMs) return null
    try {
      return await question()
    } catch {
      silentUntilMs = performance.now() + pauseMs
      return null
    }
  }
  return {
    async find(hash) {
      const text = await request(() => client.findQuery(...keys, hash))
      return text !== null && isHashOf(hash, text) ? text : null
    },
    async keep(hash, text) {
      await request(() => client.keepQuery(...keys, hash, text, limits.persistedQueries, limits.persistedQueryBytes))
    },
    close: () => client.disconnect(),
  }
}
