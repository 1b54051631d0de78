// The interface of request counters, in terms of buckets and subjects only.

/** A limit that applies to each subject (address, user, …) in a window of its own. */
export interface Bucket {
  /** Unique in the service; with the subject it identifies a window. */
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

export interface WindowKey {
  readonly bucket: Bucket
  readonly subject: string
}

export interface TakeResult {
  readonly bucket: Bucket
  readonly allowed: boolean
  /** Requests left in the window. */
  readonly remaining: number
  /** The end of the window in Unix seconds, rounded up. */
  readonly resetAt: number
  /** Seconds after which the window has certainly ended: 1 to `windowSeconds`. */
  readonly retryAfterSeconds: number
}

export interface Counter {
  /**
   * Counts `count` requests in each window in order, atomically. Stops at the first without room: that refusal is the last result,
   * and neither it nor later windows count. Windows are fixed and start with their first request. Synchronous if possible.
   * (contract 8.3.2)
   */
  take(
    windowKeys: readonly WindowKey[],
    count: number,
    now: Date,
  ): readonly TakeResult[] | Promise<readonly TakeResult[]>
  /** `lost`: each instance counts alone for now. */
  readonly state: 'ok' | 'lost'
  close(): void
}

/** `endsMs` and `nowMs` are of one clock. */
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
 * False once a window has ended, or ends more than two windows from now: then the clock was set back, which must not extend it for
 * hours.
 */
export function isRunning(endsMs: number, nowMs: number, windowSeconds: number): boolean {
  return nowMs < endsMs && endsMs - nowMs <= 2000 * windowSeconds
}
