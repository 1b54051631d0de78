// Counts in memory, bounded and synchronous.

import { answer, type Bucket, type Counter, isRunning, type TakeResult, type WindowKey } from './counter.ts'

export interface MemoryCounterOptions {
  /** Windows per bucket. Beyond it the one that ends first is dropped early. */
  readonly windowsMax?: number
}

export interface MemoryCounter extends Counter {
  take(windowKeys: readonly WindowKey[], count: number, now: Date): readonly TakeResult[]
  /** Includes ended windows not yet swept. */
  readonly windows: number
}

/** About 15 MB per full bucket. */
const defaultWindowsMax = 100_000

/** Exact for one process. */
export function createMemoryCounter({ windowsMax = defaultWindowsMax }: MemoryCounterOptions = {}): MemoryCounter {
  // Separate queues, so that a flood in one bucket cannot drop windows of another.
  const queues = new Map<string, WindowQueue>()
  const queueOf = (bucket: Bucket): WindowQueue => {
    const existing = queues.get(bucket.name)
    if (existing !== undefined) return existing
    const queue = new WindowQueue(windowsMax)
    queues.set(bucket.name, queue)
    return queue
  }
  return {
    take(windowKeys, count, now) {
      const nowMs = now.getTime()
      const all: TakeResult[] = []
      for (const { bucket, subject } of windowKeys) {
        const result = queueOf(bucket).take(bucket, subject, count, nowMs)
        all.push(result)
        if (!result.allowed) break
      }
      return all
    },
    state: 'ok',
    get windows() {
      return queues.values().reduce((sum, queue) => sum + queue.size, 0)
    },
    close: () => queues.clear(),
  }
}

interface Window {
  readonly subject: string
  readonly endsMs: number
  count: number
  next: Window | undefined
}

/** The windows of a bucket are equally long, so they end in the order of their start. */
class WindowQueue {
  size = 0
  readonly #max: number
  readonly #bySubject = new Map<string, Window>()
  #first: Window | undefined
  #last: Window | undefined

  constructor(max: number) {
    this.#max = max
  }

  take(bucket: Bucket, subject: string, count: number, nowMs: number): TakeResult {
    const window = this.#bySubject.get(subject)
    if (window !== undefined && isRunning(window.endsMs, nowMs, bucket.windowSeconds)) {
      const allowed = window.count + count <= bucket.limit
      if (allowed) window.count += count
      return answer(bucket, allowed, window.count, window.endsMs, nowMs)
    }
    const endsMs = nowMs + bucket.windowSeconds * 1000
    if (count > bucket.limit) return answer(bucket, false, 0, endsMs, nowMs)
    this.#sweep(nowMs)
    this.#append({ subject, endsMs, count, next: undefined })
    return answer(bucket, true, count, endsMs, nowMs)
  }

  /** Removes up to two windows per new one, so that ended windows go without a scan. */
  #sweep(nowMs: number): void {
    for (let step = 0; step < 2 && this.#first !== undefined && this.#first.endsMs <= nowMs; step++) this.#drop()
    if (this.size >= this.#max) this.#drop()
  }

  #drop(): void {
    const window = this.#first
    if (window === undefined) return
    this.#first = window.next
    if (this.#first === undefined) this.#last = undefined
    this.size--
    // The subject may have another window meanwhile.
    if (this.#bySubject.get(window.subject) === window) this.#bySubject.delete(window.subject)
  }

  #append(window: Window): void {
    if (this.#last === undefined) this.#first = window
    else this.#last.next = window
    this.#last = window
    this.size++
    this.#bySubject.set(window.subject, window)
  }
}
