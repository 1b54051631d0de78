// Sheds load: when the event loop falls behind, new requests get 503 at once instead of everyone timing out.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

/**
 * The lag of the event loop is measured by how late a timer is. One turn of the loop may hold the requests of thousands of
 * connections, so the lag is also measured between the requests of one turn.
 */
export interface LoadShedder {
  /** True where one more request may begin. Nearly always one comparison. */
  admit(): boolean
  /** To be called every `lagSampleMs`, by a timer that is late when the event loop is. */
  sample(): void
  /** Requests refused since the start. */
  readonly refused: number
}

export interface LoadShedderDependencies {
  readonly limits: Pick<Limits, 'lagSampleMs' | 'lagCredit' | 'lateMs' | 'veryLateMs' | 'refuseMs' | 'calmMs'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Runs something when this turn of the event loop has done its work, as `setImmediate` does. */
  readonly afterTurn: (work: () => void) => void
  readonly log: Pick<Log, 'warn' | 'info'>
}

export const createLoadShedder = (dependencies: LoadShedderDependencies): LoadShedder => new LagShedder(dependencies)

class LagShedder implements LoadShedder {
  refused = 0
  readonly #limits: LoadShedderDependencies['limits']
  readonly #now: () => number
  readonly #afterTurn: LoadShedderDependencies['afterTurn']
  readonly #log: LoadShedderDependencies['log']
  /** Requests that may begin before the lag is measured again. */
  #credit = 0
  /** The time of the last sample: no request has waited since before it. Infinity until the first, for starting takes long. */
  #sampledAt = Number.POSITIVE_INFINITY
  /** Since when every request is refused; null while requests may begin. */
  #refusingSince: number | null = null
  /** When the event loop was last late; null while it is calm. After overload a smaller lag counts as late. */
  #lateAt: number | null = null
  #refusedBefore = 0

  constructor({ limits, now, afterTurn, log }: LoadShedderDependencies) {
    this.#limits = limits
    this.#now = now
    this.#afterTurn = afterTurn
    this.#log = log
  }

  admit(): boolean {
    if (this.#credit > 0) {
      this.#credit--
      return true
    }
    return this.#decide()
  }

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
    // Under constant load a turn does not end. The requests that waited when refusing began are answered by now.
    if (this.#refusingSince !== null && now - this.#refusingSince >= refuseMs) this.#restart(now)
    // A single stall, such as a long garbage collection, is no overload: the requests behind it are answered soon.
    const limit = this.#lateAt === null ? veryLateMs : lateMs
    if (this.#refusingSince !== null || this.#lag(now) > limit) return this.#refuse(now)
    this.#credit = lagCredit - 1
    return true
  }

  #refuse(now: number): false {
    if (this.refused === this.#refusedBefore) {
      const lateMs = Math.round(this.#lag(now))
      this.#log.warn('Too much is asked: some requests are told to come back.', { lateMs })
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

  /** Milliseconds by which the next sample is overdue. */
  #lag(now: number): number {
    return now - this.#sampledAt - this.#limits.lagSampleMs
  }
}
