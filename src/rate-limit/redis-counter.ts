// Counts in Redis or Valkey for all instances. While it is lost, each instance counts in memory.

import { Redis } from 'iovalkey'
import { answer, type Counter, type TakeResult, type WindowKey } from './counter.ts'
import { createMemoryCounter } from './memory-counter.ts'

export interface RedisCounterOptions {
  readonly url: string
  readonly log: CounterLog
  /** The prefix of every key, so that services can share a Redis. */
  readonly prefix?: string
  /** A slower response means that Redis is lost. */
  readonly timeoutMs?: number
  readonly retryMs?: number
}

export interface CounterLog {
  warn(sentence: string): void
  info(sentence: string): void
}

/**
 * Resolves when Redis has responded or counts as lost, after about a second; never rejects. Logs when Redis is lost and when it
 * is back. (contract 8.3.6)
 */
export async function connectRedisCounter(options: RedisCounterOptions): Promise<Counter> {
  const counter = new RedisCounter(options)
  await counter.firstAttempt
  return counter
}

/**
 * Windows end by the clock of Redis, so that instances agree. Each is a hash: `count`, and `ends` in milliseconds. KEYS are
 * windows; ARGV the count, then limit and length of each. Returns the time, 1 or 0 for allowed, then count and end of each
 * window used. The rules are those of `WindowQueue.take`.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local more = tonumber(ARGV[1])
local answer = { now, 1 }
for index, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[index * 2]), tonumber(ARGV[index * 2 + 1])
  local window = redis.call('HMGET', key, 'count', 'ends')
  local count, ends = tonumber(window[1] or 0), tonumber(window[2] or 0)
  local running = now < ends and ends - now <= 2 * length
  if not running then
    count, ends = 0, now + length
  end
  if count + more > limit then
    answer[2] = 0
  elseif running then
    count = redis.call('HINCRBY', key, 'count', more)
  else
    count = more
    redis.call('HSET', key, 'count', count, 'ends', ends)
    redis.call('PEXPIREAT', key, ends)
  end
  answer[#answer + 1] = count
  answer[#answer + 1] = ends
  if answer[2] == 0 then
    break
  end
end
return answer`

type Client = Redis & { takeWindows(keys: number, ...words: readonly (string | number)[]): Promise<number[]> }

class RedisCounter implements Counter {
  /** Resolves when the first connection attempt has ended. */
  readonly firstAttempt: Promise<void>
  readonly #settle: () => void
  readonly #client: Client
  readonly #memory: Counter
  readonly #log: CounterLog
  readonly #prefix: string
  readonly #timeoutMs: number
  #state: 'unknown' | 'ok' | 'lost' | 'closed' = 'unknown'
  #lastError = ''

  constructor({ url, log, prefix = 'duet:limit:', timeoutMs = 200, retryMs = 1000 }: RedisCounterOptions) {
    this.#log = log
    this.#prefix = prefix
    this.#timeoutMs = timeoutMs
    this.#memory = createMemoryCounter()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.firstAttempt = promise
    this.#settle = resolve
    this.#client = new Redis(url, {
      scripts: { takeWindows: { lua: takeScript } },
      connectTimeout: 1000,
      disconnectTimeout: 200,
      retryStrategy: () => retryMs,
      // Memory counts while Redis is lost, so nothing is queued.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // `#probe` checks more: whether the script may write.
      enableReadyCheck: false,
    }) as Client
    this.#client.on('error', (error: Error) => {
      this.#lastError = error.message
    })
    this.#client.on('close', () => this.#lose(this.#lastError || 'the connection closed'))
    this.#client.on('ready', () => this.#probe())
  }

  get state(): 'ok' | 'lost' {
    return this.#state === 'ok' ? 'ok' : 'lost'
  }

  take(
    windowKeys: readonly WindowKey[],
    count: number,
    now: Date,
  ): readonly TakeResult[] | Promise<readonly TakeResult[]> {
    if (this.#state !== 'ok') return this.#memory.take(windowKeys, count, now)
    // A lost Redis is no failure of the request.
    return this.#send(windowKeys, count).catch((error: Error) => {
      this.#lose(error.message)
      return this.#memory.take(windowKeys, count, now)
    })
  }

  close(): void {
    this.#state = 'closed'
    this.#client.disconnect()
    this.#memory.close()
  }

  async #send(windowKeys: readonly WindowKey[], count: number): Promise<readonly TakeResult[]> {
    const keys = windowKeys.map(({ bucket, subject }) => `${this.#prefix}${bucket.name}:${subject}`)
    const numbers = windowKeys.flatMap(({ bucket }) => [bucket.limit, bucket.windowSeconds * 1000])
    const reply = this.#client.takeWindows(keys.length, ...keys, count, ...numbers)
    const [nowMs, allowed, ...windows] = await this.#inTime(reply)
    const counted = windowKeys.slice(0, windows.length / 2)
    return counted.map(({ bucket }, index) => {
      const isLast = index === counted.length - 1
      return answer(bucket, allowed === 1 || !isLast, windows[index * 2]!, windows[index * 2 + 1]!, nowMs!)
    })
  }

  #inTime<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`no answer within ${this.#timeoutMs} ms`))
      // A response that arrived while this process was busy is read before `setImmediate`, and counts.
      const timer = setTimeout(() => setImmediate(giveUp), this.#timeoutMs)
      reply.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  #lose(reason: string): void {
    if (this.#state === 'lost' || this.#state === 'closed') return
    this.#state = 'lost'
    this.#log.warn(`Redis is lost (${reason}): this instance counts rate limits in its own memory.`)
    this.#reconnect()
    this.#settle()
  }

  /** Drops a connection that may never respond. The client reconnects after `retryMs`. */
  #reconnect(): void {
    if (this.#client.status === 'ready') this.#client.disconnect(true)
  }

  /** Redis is back when it counts in time, which a replica, a full or a loading Redis does not. */
  async #probe(): Promise<void> {
    this.#lastError = ''
    try {
      // Two round trips: by the second, a refused password or database is known.
      await this.#inTime(this.#client.ping())
      await this.#send([{ bucket: { name: 'probe', limit: 1e9, windowSeconds: 1 }, subject: '' }], 1)
      if (this.#lastError !== '') throw new Error(this.#lastError)
    } catch (error) {
      if (this.#state === 'lost') this.#reconnect()
      else this.#lose(this.#lastError || (error as Error).message)
      return
    }
    if (this.#state === 'closed') return
    if (this.#state === 'lost') this.#log.info('Redis is back: all instances count rate limits together again.')
    this.#state = 'ok'
    this.#settle()
  }
}
