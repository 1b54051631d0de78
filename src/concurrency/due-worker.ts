// Begins what is due, some at a time, until the service stops.

import { WakeLoop, type WakeLoopOptions } from './wake-loop.ts'

export interface DueWorkerOptions extends Omit<WakeLoopOptions, 'work'> {
  readonly clock: () => Date
  readonly pollMs: number
  /** How long a stop waits before what runs is cut off. */
  readonly drainMs: number
}

export abstract class DueWorker {
  readonly #options: DueWorkerOptions
  readonly #loop: WakeLoop
  readonly #running = new Set<Promise<unknown>>()
  /** Since when something is due that has not begun; null if nothing is. */
  protected dueSince: Date | null = null

  constructor(options: DueWorkerOptions) {
    this.#options = options
    this.#loop = new WakeLoop({ ...options, work: () => this.#workThrough() })
  }

  /** Makes what is due, from events or by the clock. */
  protected abstract makeDue(): Promise<void>
  /** Begins some of it, each with `run`. False if nothing is due, or no more may run. */
  protected abstract beginSome(): Promise<boolean>
  /** Ends what runs. */
  protected abstract cutOff(): void

  /** `work` never rejects. */
  protected run(work: Promise<unknown>): void {
    const running = work.finally(() => {
      this.#running.delete(running)
      this.wake()
    })
    this.#running.add(running)
  }

  protected get isStopping(): boolean {
    return this.#loop.isStopping
  }

  get running(): number {
    return this.#running.size
  }

  get lagSeconds(): number {
    const since = this.dueSince
    return since === null ? 0 : Math.max(0, this.#options.clock().getTime() - since.getTime()) / 1000
  }

  start(): void {
    this.#loop.start(this.#options.pollMs)
    this.wake()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Resolves when it looks for nothing. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Resolves when nothing due waits, and nothing runs. */
  async settled(): Promise<void> {
    do {
      await this.#loop.settled()
      await Promise.all(this.#running)
    } while (this.#running.size > 0 || this.#loop.isRunning)
  }

  /** Begins nothing more, and ends what has not ended in time. Never rejects. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const timer = setTimeout(() => this.cutOff(), this.#options.drainMs)
    await Promise.all(this.#running)
    clearTimeout(timer)
  }

  async #workThrough(): Promise<void> {
    await this.makeDue()
    while (await this.beginSome());
  }
}
