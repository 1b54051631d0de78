// Sheds load: when the event loop falls behind, new requests get 503 at once instead of all timing out.

import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'

export interface LoadShedderDependencies {
  readonly limits: Pick<Limits, 'lagSampleMs' | 'lagCredit' | 'lateMs' | 'veryLateMs' | 'refuseMs' | 'calmMs'>
  readonly now: () => number
  readonly afterTurn: (work: () => void) => void
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** By the lateness of a timer, and between the requests of a turn, which may serve thousands of connections. */
export class LoadShedder {
  refused = 0
  readonly #limits: LoadShedderDependencies['limits']
  readonly #now: () => number
  readonly #afterTurn: LoadShedderDependencies['afterTurn']
  readonly #log: LoadShedderDependencies['log']
  #credit = 0
  /** Infinity until the first, as starting takes long. */
  #sampledAt = Number.POSITIVE_INFINITY
  #refusingSince: number | null = null
  /** Null if it is calm. After overload a smaller lag counts as late. */
  #lateAt: number | null = null
  #refusedBefore = 0

  constructor({ limits, now, afterTurn, log }: LoadShedderDependencies) {
    this.#limits = limits
    this.#now = now
    this.#afterTurn = afterTurn
    this.#log = log
  }

  /** Whether another request may begin. Usually one comparison. */
  admit(): boolean {
    if (this.#credit > 0) {
      this.#credit--
      return true
    }
    return this.#decide()
  }

  /** To be called by a timer every `lagSampleMs`. */
  sample(): void {
    const now = this.#now()
    const { lateMs, calmMs } = this.#limits
    if (this.#lag(now) > lateMs) this.#lateAt = now
    else if (this.#lateAt !== null && now - this.#lateAt >= calmMs) this.#endOverload()
    this.#restart(now)
  }

  #restart(now: number): void {
    this.#sampledAt = now
    this.#refusingSince = null
    this.#credit = 0
  }

  #decide(): boolean {
    const { lagCredit, lateMs, veryLateMs, refuseMs } = this.#limits
    const now = this.#now()
    // Under constant load a turn never ends. The requests that waited are answered by now.
    if (this.#refusingSince !== null && now - this.#refusingSince >= refuseMs) this.#restart(now)
    // A single stall, such as a garbage collection, is not overload.
    const limit = this.#lateAt === null ? veryLateMs : lateMs
    if (this.#refusingSince !== null || this.#lag(now) > limit) return this.#refuse(now)
    this.#credit = lagCredit - 1
    return true
  }

  #refuse(now: number): false {
    if (this.refused === this.#refusedBefore) {
      const lateMs = Math.round(this.#lag(now))
      this.#log.warn('Overloaded: some requests get 503 with Retry-After.', { lateMs })
    }
    this.#lateAt = now
    this.refused++
    if (this.#refusingSince === null) {
      this.#refusingSince = now
      // Requests of the next turn have not waited.
      this.#afterTurn(() => this.#restart(this.#now()))
    }
    return false
  }

  #endOverload(): void {
    this.#lateAt = null
    const refused = this.refused - this.#refusedBefore
    this.#refusedBefore = this.refused
    if (refused > 0) this.#log.info('Every request is served again.', { refused })
  }

  #lag(now: number): number {
    return now - this.#sampledAt - this.#limits.lagSampleMs
  }
}

/**
 * Milliseconds to delay the next refusal, so that clients which retry at once cannot consume the CPU of accepted requests; 0 below
 * the rate. A waiting client sends nothing else.
 */
export type RefusalThrottle = () => number

export interface RefusalThrottleDependencies {
  readonly limits: Pick<Limits, 'refusalsPerSecond' | 'refusalsAtOnce' | 'refusalHoldMs'>
  readonly now: () => number
}

export function createRefusalThrottle({ limits, now }: RefusalThrottleDependencies): RefusalThrottle {
  const intervalMs = 1_000 / limits.refusalsPerSecond
  const burstMs = intervalMs * limits.refusalsAtOnce
  let dueAt = 0
  return () => {
    const at = now()
    // At most `refusalHoldMs`, even if that exceeds the rate.
    dueAt = Math.min(Math.max(dueAt, at) + intervalMs, at + burstMs + limits.refusalHoldMs)
    return Math.max(0, dueAt - at - burstMs)
  }
}
