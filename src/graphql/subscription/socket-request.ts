// One operation of a WebSocket as a request: it ends with its answer, by the client, or when its time is over.

import { clientGone, outOfTime } from '../../budget/deadline.ts'
import type { RouteRequest } from '../../custom-route/run.ts'
import type { Failure } from '../../failure/failure.ts'

export class SocketRequest implements RouteRequest {
  readonly requestId: string
  readonly now: Date
  readonly secrets: () => readonly string[]
  asService = false
  readonly #endsAtMs: number
  #isEnded = false
  #abortion: AbortController | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(of: Pick<SocketRequest, 'requestId' | 'now' | 'secrets'>, timeLimitMs: number) {
    this.requestId = of.requestId
    this.now = of.now
    this.secrets = of.secrets
    this.#endsAtMs = performance.now() + timeLimitMs
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#abortion?.abort(clientGone)
  }

  ended(): Failure | null {
    return this.#isEnded ? clientGone : this.expired()
  }

  expired(): Failure | null {
    return performance.now() < this.#endsAtMs ? null : outOfTime
  }

  get signal(): AbortSignal {
    this.#abortion ??= this.#begin()
    return this.#abortion.signal
  }

  #begin(): AbortController {
    const abortion = new AbortController()
    const failure = this.ended()
    if (failure !== null) abortion.abort(failure)
    else this.#timer = setTimeout(() => abortion.abort(outOfTime), this.#endsAtMs - performance.now()).unref()
    return abortion
  }
}
