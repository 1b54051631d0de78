// What counts requests. A counter knows buckets and subjects, never addresses, users or requests.

/** A limit that many subjects (addresses, users, …) meet, each with a window of its own. */
export interface Bucket {
  /** Unique in the service: with the subject it names a window, in memory and in Redis. */
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

/** One window that a request wants to be counted in. */
export interface WindowKey {
  readonly bucket: Bucket
  readonly subject: string
}

/** What a bucket answered. */
export interface TakeResult {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Requests left in the window after this one. */
  readonly remaining: number
  /** The end of the window in Unix seconds, rounded up. */
  readonly resetAt: number
  /** Seconds until the window has certainly ended: 1 to `windowSeconds`. */
  readonly retryAfterSeconds: number
}

export interface Counter {
  /**
   * Counts `count` requests in each window asked for, in order, and stops at the first that has no room for them:
   * the answer then ends with that refusal, which neither it nor the later windows count. All of it is one atomic
   * step. Windows are fixed and begin with the first request counted. Answers at once where it can. (contract 8.3.2)
   */
  take(
    windowKeys: readonly WindowKey[],
    count: number,
    now: Date,
  ): readonly TakeResult[] | Promise<readonly TakeResult[]>
  /** `lost`: what all instances should count together, each one now counts alone. */
  readonly state: 'ok' | 'lost'
  close(): void
}

/** Puts the state of a window into the words of an answer. `endsMs` and `nowMs` are of one clock. */
export function answer(bucket: Bucket, allowed: boolean, count: number, endsMs: number, nowMs: number): TakeResult {
  const leftSeconds = Math.ceil((endsMs - nowMs) / 1000)
  return {
    bucket,
    allowed,
    remaining: Math.max(0, bucket.limit - count),
    resetAt: Math.ceil(endsMs / 1000),
    retryAfterSeconds: Math.max(1, Math.min(leftSeconds, Math.ceil(bucket.windowSeconds))),
  }
}

/**
 * False once a window has ended. A clock that was set back must not make it last for hours: what ends more than two
 * windows from now began in a time that never was.
 */
export function isRunning(endsMs: number, nowMs: number, windowSeconds: number): boolean {
  return nowMs < endsMs && endsMs - nowMs <= 2000 * windowSeconds
}
