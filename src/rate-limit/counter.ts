// The interface of request counters, in terms of buckets and subjects only.

/** Applies to each subject (address, user, …) in a window of its own. */
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
  readonly remaining: number
  readonly resetAt: number
  /** From 1 to `windowSeconds`. */
  readonly retryAfterSeconds: number
}

export interface Counter {
  /**
   * Counts in each window in order, atomically. Stops at the first without room: that refusal is the last result, and neither
   * it nor later windows count. Windows start with their first request. Synchronous if possible. (contract 8.3.2)
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

/** Also false if it ends more than two windows from now: the clock was set back, which must not extend it for hours. */
export function isRunning(endsMs: number, nowMs: number, windowSeconds: number): boolean {
  return nowMs < endsMs && endsMs - nowMs <= 2000 * windowSeconds
}
