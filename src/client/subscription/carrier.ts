// What carries subscriptions until it ends, by either side or because nothing was heard for too long: a WebSocket, or event streams.

import { DuetError, type GraphqlErrorEntry } from '../send/error.ts'
import type { Surroundings } from '../send/surroundings.ts'
import type { Subscription } from './subscription.ts'

export interface CarrierOptions {
  /** A WebSocket sends them first, in place of HTTP headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly surroundings: Pick<Surroundings, 'now' | 'expire' | 'fetch'>
  /** Subscribed when the connection is ready. */
  readonly subscriptions: Iterable<Subscription>
  readonly refuse: (subscription: Subscription, error: DuetError) => void
}
export interface CarrierEnd {
  readonly code: number
  readonly wasReady: boolean
}

export const lostCode = 1006
export const forbiddenCode = 4403
/** The service sends something every ten seconds. */
const [watchMs, silenceMs] = [10_000, 25_000]

export abstract class Carrier {
  readonly ended: Promise<CarrierEnd>
  readonly #resolveEnded: (end: CarrierEnd) => void
  protected readonly options: CarrierOptions
  protected isReady = false
  protected isClosed = false
  protected heardAt: number

  constructor(options: CarrierOptions) {
    const { promise, resolve } = Promise.withResolvers<CarrierEnd>()
    this.ended = promise
    this.#resolveEnded = resolve
    this.options = options
    this.heardAt = options.surroundings.now()
  }

  abstract start(subscription: Subscription): void
  abstract stop(subscription: Subscription): void
  protected abstract stopAll(): void
  /** Makes the service answer, unless it sends without being asked. */
  protected ping(): void {}

  close(): void {
    this.end(lostCode)
  }

  protected end(code: number): void {
    if (this.isClosed) return
    this.isClosed = true
    this.stopAll()
    this.#resolveEnded({ code, wasReady: this.isReady })
  }

  protected after(milliseconds: number, act: () => void): void {
    const signal = this.options.surroundings.expire(milliseconds)
    signal.addEventListener('abort', () => this.isClosed || act(), { once: true })
  }

  /** From now on, too long a silence closes it. */
  protected watch(): void {
    this.after(watchMs, () => {
      if (this.options.surroundings.now() - this.heardAt > silenceMs) this.close()
      else if (this.isReady) this.ping()
      this.watch()
    })
  }
}

export function errorOf(errors: readonly GraphqlErrorEntry[]): DuetError {
  const [first] = errors
  const { code = 'UNEXPECTED_ANSWER', details = [] } = first?.extensions ?? {}
  return new DuetError(code, first?.message ?? 'The subscription was refused.', { details, errors })
}
