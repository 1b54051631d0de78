// Counts work in flight, so that closing can wait for it.

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
    if (this.#count > 0) return
    this.#idle?.resolve()
    this.#idle = null
  }

  /** Resolves with true when nothing is in flight, or with false after `limitMs`. */
  async settled(limitMs?: number): Promise<boolean> {
    if (this.#count === 0) return true
    this.#idle ??= Promise.withResolvers<void>()
    const idle = this.#idle.promise.then(() => true)
    if (limitMs === undefined) return idle
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), limitMs)
    const isSettled = await Promise.race([idle, late])
    clearTimeout(timer)
    return isSettled
  }
}
