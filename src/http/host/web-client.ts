// The client of a fetch request, as far as an exchange observes it.

import type { Client } from '../server/http-exchange.ts'

export class WebClient implements Client {
  readonly #request: Request
  #listeners: (() => void)[] = []
  #isListening = false

  constructor(request: Request) {
    this.#request = request
  }

  get destroyed(): boolean {
    return this.#request.signal.aborted
  }

  once(_event: 'close', listener: () => void): void {
    this.#listeners.push(listener)
    if (this.#isListening) return
    this.#isListening = true
    this.#request.signal.addEventListener('abort', () => this.close(), { once: true })
  }

  close(): void {
    for (const listener of this.#listeners) listener()
    this.#listeners = []
  }
}
