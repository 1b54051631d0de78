// Counts what runs, for whoever closes: nothing that was accepted is cut off.

export class Running {
  #count = 0
  #ended: PromiseWithResolvers<void> | null = null

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#ended?.resolve()
  }

  /** Resolves once nothing runs. Asked once. */
  async ended(): Promise<void> {
    if (this.#count === 0) return
    this.#ended = Promise.withResolvers<void>()
    await this.#ended.promise
  }
}
