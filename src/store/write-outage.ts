// Remembers that a database answers and takes no writes: its disk is full or mounted read-only, its server stands by, its
// file is gone.

import { Failure } from '../failure/failure.ts'
import type { Ability, StoreLog } from './store.ts'

/** Why nothing can be written. */
export type WriteObstacle = Extract<Ability, 'read-only' | 'full' | 'gone'>

/** A disk counts as full for so long although a small write found room: otherwise the log would tell of each change. */
const fullMs = 1_000

export class WriteOutage {
  #obstacle: WriteObstacle | null = null
  #latestMs = 0
  readonly #obstacleIn: (cause: unknown) => WriteObstacle | null
  readonly #log: StoreLog

  /** `obstacleIn` finds the obstacle in the database's own error. */
  constructor(obstacleIn: (cause: unknown) => WriteObstacle | null, log: StoreLog) {
    this.#obstacleIn = obstacleIn
    this.#log = log
  }

  get obstacle(): WriteObstacle | null {
    return this.#obstacle
  }

  /** A write has failed. True where an obstacle is the cause; logs the first one. */
  note(error: unknown): boolean {
    const obstacle = error instanceof Failure ? this.#obstacleIn(error.cause) : null
    if (obstacle === null) return false
    const sentence = `The database takes no writes: ${((error as Failure).cause as Error).message}`
    if (obstacle !== this.#obstacle) this.#log[obstacle === 'gone' ? 'error' : 'warn'](sentence)
    this.#obstacle = obstacle
    this.#latestMs = performance.now()
    return true
  }

  /** Something was written. */
  end(): void {
    if (this.#obstacle === null) return
    if (this.#obstacle === 'full' && performance.now() - this.#latestMs < fullMs) return
    this.#obstacle = null
    this.#log.warn('The database takes writes again.')
  }
}
