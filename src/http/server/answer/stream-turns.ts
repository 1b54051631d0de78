// Shares the event loop between streamed answers and other work: a producer that never waits would otherwise run to its end.
// (contract 8.5.6)

/** Time for all producers together per event-loop turn; then each waits for a turn. */
const turnMs = 5

export class StreamTurns {
  readonly #waiting: (() => void)[] = []
  #begunMs: number | null = null

  /** Null if the next piece may be produced now; otherwise resolves when it may, in call order. */
  wait(): Promise<void> | null {
    if (this.#begunMs === null) this.#begin()
    else if (performance.now() - this.#begunMs >= turnMs) {
      return new Promise((resolve) => this.#waiting.push(resolve))
    }
    return null
  }

  #begin(): void {
    this.#begunMs = performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    this.#begunMs = null
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#begin()
    next()
  }
}
