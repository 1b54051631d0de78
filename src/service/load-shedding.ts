// Says no early when the process is late: whoever is told at once to come back is better served than everybody late.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

/**
 * How late the process is shows in how late its own timer comes: as late as whoever asks at this moment. One turn of the
 * event loop may hold the requests of thousands of connections, so lateness is looked at within it as well.
 */
export interface Gate {
  /** True where one more request may begin. Nearly always one comparison. */
  enter(): boolean
  /** To be called every `gateLookMs`, by a timer that is late when the process is. */
  look(): void
  /** Requests that were told to come back, since the start. */
  readonly refused: number
}

export interface GateGiven {
  readonly limits: Pick<Limits, 'gateLookMs' | 'gateStep' | 'lateMs' | 'veryLateMs' | 'refuseMs' | 'calmMs'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Runs something when this turn of the event loop has done its work, as `setImmediate` does. */
  readonly afterTurn: (work: () => void) => void
  readonly log: Pick<Log, 'warn' | 'info'>
}

export const createGate = (given: GateGiven): Gate => new LatenessGate(given)

class LatenessGate implements Gate {
  refused = 0
  readonly #limits: GateGiven['limits']
  readonly #now: () => number
  readonly #afterTurn: GateGiven['afterTurn']
  readonly #log: GateGiven['log']
  /** Requests that may begin before the clock is looked at again. */
  #room = 0
  /** When the clock was last known to be in time: what waits has waited since then at the longest. Starting takes its time. */
  #lookedAt = Number.POSITIVE_INFINITY
  /** Since when everybody is told to come back; null while requests may begin. */
  #refusingSince: number | null = null
  /** When the process was last seen late; null while it is calm. Once late, it is so again sooner. */
  #lateAt: number | null = null
  #refusedBefore = 0

  constructor({ limits, now, afterTurn, log }: GateGiven) {
    this.#limits = limits
    this.#now = now
    this.#afterTurn = afterTurn
    this.#log = log
  }

  enter(): boolean {
    if (this.#room > 0) {
      this.#room--
      return true
    }
    return this.#judge()
  }

  look(): void {
    const now = this.#now()
    const { lateMs, calmMs } = this.#limits
    if (this.#lateness(now) > lateMs) this.#lateAt = now
    else if (this.#lateAt !== null && now - this.#lateAt >= calmMs) this.#calm()
    this.#begin(now)
  }

  #begin(now: number): void {
    this.#lookedAt = now
    this.#refusingSince = null
    this.#room = 0
  }

  #judge(): boolean {
    const { gateStep, lateMs, veryLateMs, refuseMs } = this.#limits
    const now = this.#now()
    // While enough keeps coming, a turn does not end. What waited when it began has had its answer by now.
    if (this.#refusingSince !== null && now - this.#refusingSince >= refuseMs) this.#begin(now)
    // One stall, such as a large collection of garbage, is nobody's overload: what follows it is done soon.
    const limit = this.#lateAt === null ? veryLateMs : lateMs
    if (this.#refusingSince !== null || this.#lateness(now) > limit) return this.#refuse(now)
    this.#room = gateStep - 1
    return true
  }

  #refuse(now: number): false {
    if (this.refused === this.#refusedBefore) {
      const lateMs = Math.round(this.#lateness(now))
      this.#log.warn('Too much is asked: some requests are told to come back.', { lateMs })
    }
    this.#lateAt = now
    this.refused++
    if (this.#refusingSince === null) {
      this.#refusingSince = now
      // What comes in the next turn has not waited yet.
      this.#afterTurn(() => this.#begin(this.#now()))
    }
    return false
  }

  #calm(): void {
    this.#lateAt = null
    const refused = this.refused - this.#refusedBefore
    this.#refusedBefore = this.refused
    if (refused > 0) this.#log.info('Every request is served again.', { refused })
  }

  /** Milliseconds by which the next look is overdue. */
  #lateness(now: number): number {
    return now - this.#lookedAt - this.#limits.gateLookMs
  }
}
