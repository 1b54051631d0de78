// Counts the requests that a host has handed over and that have no answer yet, so that a stop can wait for them.

export class InFlight {
  #count = 0
  #settled: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count > 0) return
    for (const resolve of this.#settled) resolve()
    this.#settled = []
  }

  /** Resolves with true when there is none, and with false where there is one after so long. */
  async settled(waitMs: number): Promise<boolean> {
    if (this.#count === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#settled.push(() => resolve(true))
    const timer = setTimeout(() => resolve(false), waitMs)
    const isSettled = await promise
    clearTimeout(timer)
    return isSettled
  }
}
