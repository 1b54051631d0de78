// Carries the log over into a SQLite file once nobody writes any more: a copy of the file alone then has everything. While
// somebody does, SQLite does it by itself, each time that the log has grown by four megabytes.

export class IdleCheckpoint {
  readonly #run: () => boolean
  readonly #idleMs: number
  #timer: NodeJS.Timeout | null = null
  #hasWritten = false

  /** `run` answers whether all of the log was carried over. */
  constructor(run: () => boolean, idleMs: number) {
    this.#run = run
    this.#idleMs = idleMs
  }

  /** Something was committed. Costs a commit nothing: the timer checks a flag. */
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
