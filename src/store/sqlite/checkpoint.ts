// Checkpoints when writes pause, so that a copy of the file alone is complete. During writes, SQLite checkpoints after every four
// megabytes of log.

export class IdleCheckpoint {
  readonly #run: () => boolean
  readonly #idleMs: number
  #timer: NodeJS.Timeout | null = null
  #hasWritten = false

  /** `run` returns whether the checkpoint was complete. */
  constructor(run: () => boolean, idleMs: number) {
    this.#run = run
    this.#idleMs = idleMs
  }

  /** Costs a commit nothing: the timer checks a flag. */
  committed(): void {
    this.#hasWritten = true
    this.#timer ??= setInterval(() => this.#check(), this.#idleMs).unref()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    if (this.#hasWritten) this.#hasWritten = false
    else if (this.#run()) this.close()
  }
}
