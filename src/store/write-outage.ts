// Remembers that a database takes no writes: its disk is full or read-only, its server is a standby, or its file is gone.

import { Failure } from '../failure/failure.ts'
import type { Ability, StoreLog } from './store.ts'

export type WriteObstacle = Extract<Ability, 'read-only' | 'full' | 'gone'>

/** Minimum time that a disk counts as full: small writes may still succeed, and the log would alternate. */
const fullMs = 1_000

export class WriteOutage {
  /** When the database last took writes again; a session that began before may still refuse them. */
  endedMs = 0
  #obstacle: WriteObstacle | null = null
  #latestMs = 0
  readonly #obstacleIn: (cause: unknown) => WriteObstacle | null
  readonly #log: StoreLog

  constructor(obstacleIn: (cause: unknown) => WriteObstacle | null, log: StoreLog) {
    this.#obstacleIn = obstacleIn
    this.#log = log
  }

  get obstacle(): WriteObstacle | null {
    return this.#obstacle
  }

  /** True if an obstacle is the cause; logs the first one. */
  note(error: unknown): boolean {
    const obstacle = error instanceof Failure ? this.#obstacleIn(error.cause) : null
    if (obstacle === null) return false
    const sentence = `The database takes no writes: ${((error as Failure).cause as Error).message}`
    if (obstacle !== this.#obstacle) this.#log[obstacle === 'gone' ? 'error' : 'warn'](sentence)
    this.#obstacle = obstacle
    this.#latestMs = performance.now()
    return true
  }

  end(): void {
    if (this.#obstacle === null) return
    if (this.#obstacle === 'full' && performance.now() - this.#latestMs < fullMs) return
    this.#obstacle = null
    this.endedMs = performance.now()
    this.#log.warn('The database takes writes again.')
  }
}
