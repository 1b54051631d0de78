// Counts work in flight, so that closing waits for what was accepted.

export class InFlight {
  #count = 0
  #idle: PromiseWithResolvers<void> | null = null

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#idle?.resolve()
  }

  /** Resolves once nothing is in flight. To be called once. */
  async settled(): Promise<void> {
    if (this.#count === 0) return
    this.#idle = Promise.withResolvers<void>()
    await this.#idle.promise
  }
}
