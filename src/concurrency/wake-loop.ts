// Work that is done whenever it is woken, or polled: one run at a time, and another if it was woken meanwhile.

import { setTimeout as wait } from 'node:timers/promises'
import type { Outage } from '../observation/outage.ts'

export interface WakeLoopOptions {
  /** Does all there is to do. A rejection is reported, and the work done at the next call. */
  readonly work: () => Promise<void>
  readonly outage: Outage
  /** How long a run waits for others that wake it, if it was woken during the one before. */
  readonly restMs?: number
}

export class WakeLoop {
  readonly #options: WakeLoopOptions
  #poll: NodeJS.Timeout | undefined
  #isWoken = false
  #isStopping = false
  #run: Promise<void> | null = null

  constructor(options: WakeLoopOptions) {
    this.#options = options
  }

  /** Polls from now on. */
  start(pollMs: number): void {
    this.#poll = setInterval(this.wake, pollMs).unref()
  }

  get isRunning(): boolean {
    return this.#run !== null
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  readonly wake = (): void => {
    this.#isWoken = true
    if (this.#isStopping || this.#run !== null) return
    this.#run = this.#workThrough().then(
      () => this.#ended(true),
      (error: unknown) => this.#ended(false, error),
    )
  }

  /** Works once more. Resolves when nothing runs. */
  settled(): Promise<void> {
    this.wake()
    return this.idle()
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#run !== null) await this.#run
  }

  /** Starts no more runs, and resolves when the present one has ended. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#poll)
    await this.#run
  }

  async #workThrough(): Promise<void> {
    const { work, restMs = 0 } = this.#options
    do {
      this.#isWoken = false
      await work()
      if (this.#isWoken && restMs > 0) await wait(restMs)
    } while (this.#isWoken && !this.#isStopping)
  }

  #ended(isDone: boolean, error?: unknown): void {
    const { outage } = this.#options
    this.#run = null
    if (isDone) outage.succeeded()
    else outage.failed(error)
    // Woken after the last look.
    if (isDone && this.#isWoken) this.wake()
  }
}
