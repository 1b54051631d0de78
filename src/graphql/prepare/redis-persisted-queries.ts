// Persisted queries that all instances share, in Redis or Valkey. It is a help and no more: without it, or when it is gone,
// each instance knows what was registered there, and clients send the text again.

import { Redis } from 'iovalkey'
import { isHashOf, type PersistedQueries, type PersistedQueryLimits } from './persisted-queries.ts'

export interface RedisQueriesOptions {
  readonly url: string
  readonly limits: PersistedQueryLimits
  /** Begins every key, so that services can share a Redis. What is in braces keeps the keys together in a cluster. */
  readonly prefix?: string
  /** An answer that takes longer counts as none; so long nothing is asked after that. */
  readonly timeoutMs?: number
  readonly pauseMs?: number
}
export interface RedisQueries extends PersistedQueries {
  close(): void
}

// The keys: texts by their hashes, when each was used last, and how many bytes all texts have. Whatever of them Redis drops
// for want of memory, the rest goes with it, so that the bounds hold. What nobody uses for thirty days goes by itself.
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
 * Resolves once Redis answered or was found lost, after about a second at most, and tries again by itself. Nothing here
 * ever rejects: who cannot be asked knows nothing.
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
  // The rate limits, which depend on it, tell the log that it is lost.
  client.on('error', () => undefined)
  await client.connect().catch(() => undefined)
  const keys = ['text', 'used', 'bytes'].map((name) => prefix + name)
  let silentUntilMs = 0

  async function ask<T>(question: () => Promise<T>): Promise<T | null> {
    if (client.status !== 'ready' || performance.now() < silentUntilMs) return null
    try {
      return await question()
    } catch {
      // No Redis is no failure of the request.
      silentUntilMs = performance.now() + pauseMs
      return null
    }
  }
  return {
    async find(hash) {
      const text = await ask(() => client.findQuery(...keys, hash))
      return text !== null && isHashOf(hash, text) ? text : null
    },
    async keep(hash, text) {
      await ask(() => client.keepQuery(...keys, hash, text, limits.persistedQueries, limits.persistedQueryBytes))
    },
    close: () => client.disconnect(),
  }
}
