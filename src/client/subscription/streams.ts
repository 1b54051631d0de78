// Subscriptions as streams of server-sent events, one request each, where WebSockets fail. (contract 6.3.3, 6.4)

import { DuetError } from '../send/error.ts'
import { Carrier, type CarrierOptions, errorOf, forbiddenCode, lostCode } from './carrier.ts'
import type { EventPayload, Subscription } from './subscription.ts'

export class Streams extends Carrier {
  readonly #url: string
  readonly #requests = new Map<Subscription, AbortController>()

  constructor(url: string, options: CarrierOptions) {
    super(options)
    this.#url = url
    for (const each of options.subscriptions) this.start(each)
    this.watch()
  }

  start(subscription: Subscription): void {
    if (this.isClosed || this.#requests.has(subscription)) return
    const abort = new AbortController()
    this.#requests.set(subscription, abort)
    this.#read(subscription, abort.signal).then(
      (code) => code === null || this.end(code),
      () => abort.signal.aborted || this.end(lostCode),
    )
  }

  stop(subscription: Subscription): void {
    this.#requests.get(subscription)?.abort()
    this.#requests.delete(subscription)
  }

  protected stopAll(): void {
    for (const abort of this.#requests.values()) abort.abort()
    this.#requests.clear()
  }

  /** Null if only this subscription has ended. */
  async #read(subscription: Subscription, signal: AbortSignal): Promise<number | null> {
    const { headers, surroundings } = this.options
    const response = await surroundings.fetch(this.#url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify(subscription.payload()),
      signal,
    })
    if (response.status === 401) return forbiddenCode
    if (response.status >= 502) return lostCode
    if (!response.ok || response.body === null) return this.#refuse(subscription, await refusalIn(response))
    this.isReady = true
    let text = ''
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      this.heardAt = surroundings.now()
      const blocks = (text + next.value).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) if (!this.#take(block, subscription)) return null
    }
    return lostCode
  }

  /** False once the subscription has ended here. */
  #take(block: string, subscription: Subscription): boolean {
    const fields = new Map(block.split('\n').map((line) => fieldOf(line)))
    const id = fields.get('id')
    switch (fields.get('event')) {
      case 'next': {
        const payload = JSON.parse(fields.get('data')!) as EventPayload
        if (payload.extensions?.eventId === undefined) {
          this.#refuse(subscription, errorOf(payload.errors ?? []))
          return false
        }
        subscription.take(payload)
        if (subscription.isFull) this.stop(subscription)
        break
      }
      case 'complete':
        this.#requests.delete(subscription)
        subscription.complete()
        return false
      default:
        if (id !== undefined) subscription.reached(id)
    }
    return this.#requests.has(subscription)
  }

  #refuse(subscription: Subscription, error: DuetError): null {
    this.stop(subscription)
    this.options.refuse(subscription, error)
    return null
  }
}

const fieldOf = (line: string): readonly [string, string] => {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
}

async function refusalIn(response: Response): Promise<DuetError> {
  const { errors = [] } = (await response.json().catch(() => ({}))) as { readonly errors?: EventPayload['errors'] }
  const { code, message, details, errors: entries } = errorOf(errors)
  return new DuetError(code, message, { status: response.status, details, errors: entries })
}
