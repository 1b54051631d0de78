// One graphql-transport-ws connection. (contract 6.2)

import { DuetError, type GraphqlErrorEntry } from '../send/error.ts'
import type { Surroundings } from '../send/surroundings.ts'
import type { EventPayload, Subscription } from './subscription.ts'

export interface WebSocketLike {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: string, listener: (event: never) => void): void
}
export type OpenWebSocket = new (url: string, protocol: string) => WebSocketLike

export interface SocketOptions {
  /** Sent first, in place of HTTP headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly surroundings: Pick<Surroundings, 'now' | 'expire'>
  /** Subscribed when the connection is ready. */
  readonly subscriptions: Iterable<Subscription>
  readonly refuse: (subscription: Subscription, error: DuetError) => void
}
export interface SocketEnd {
  readonly code: number
  readonly wasReady: boolean
}
/** What carries subscriptions until it ends. */
export interface Carrier {
  readonly ended: Promise<SocketEnd>
  start(subscription: Subscription): void
  stop(subscription: Subscription): void
  close(): void
}
interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}
/** The interval of pings, and the silence after which the connection counts as lost. */
const pingMs = 10_000
const silenceMs = 25_000
/** The interval of pings while a subscription is starting. */
const pingAgainMs = 50
export const lostCode = 1006
export const forbiddenCode = 4403

export class Socket implements Carrier {
  readonly ended: Promise<SocketEnd>
  readonly #resolveEnded: (end: SocketEnd) => void
  readonly #socket: WebSocketLike
  readonly #options: SocketOptions
  readonly #subscriptions = new Map<string, Subscription>()
  #count = 0
  #isReady = false
  #isClosed = false
  #lastFrameAt: number
  #pinged: readonly (readonly [id: string, subscription: Subscription])[] | null = null

  constructor(url: string, WebSocket: OpenWebSocket, options: SocketOptions) {
    const { promise, resolve } = Promise.withResolvers<SocketEnd>()
    this.ended = promise
    this.#resolveEnded = resolve
    this.#options = options
    this.#lastFrameAt = options.surroundings.now()
    const socket = new WebSocket(url, 'graphql-transport-ws')
    this.#socket = socket
    socket.addEventListener('open', () => this.#send({ type: 'connection_init', payload: options.headers }))
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      this.#lastFrameAt = options.surroundings.now()
      if (!this.#isClosed) this.#receive(JSON.parse(String(data)) as Frame)
    })
    socket.addEventListener('close', ({ code }: { code: number }) => this.#end(code))
    socket.addEventListener('error', () => this.#end(lostCode))
    this.#after(pingMs, () => this.#watch())
  }

  start(subscription: Subscription): void {
    if (!this.#isReady || this.#isClosed || [...this.#subscriptions.values()].includes(subscription)) return
    this.#count += 1
    const id = String(this.#count)
    this.#subscriptions.set(id, subscription)
    this.#send({ type: 'subscribe', id, payload: subscription.payload() })
    queueMicrotask(() => this.#isClosed || this.#ping())
  }

  stop(subscription: Subscription): void {
    for (const [id, each] of this.#subscriptions) {
      if (each !== subscription) continue
      this.#subscriptions.delete(id)
      this.#send({ type: 'complete', id })
    }
  }

  close(): void {
    // A lost network never closes, so this does not wait.
    this.#end(lostCode)
    this.#socket.close(1000)
  }

  #end(code: number): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#subscriptions.clear()
    this.#resolveEnded({ code, wasReady: this.#isReady })
  }

  #send(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame))
  }

  #after(milliseconds: number, act: () => void): void {
    const signal = this.#options.surroundings.expire(milliseconds)
    signal.addEventListener('abort', () => this.#isClosed || act(), { once: true })
  }

  #watch(): void {
    if (this.#options.surroundings.now() - this.#lastFrameAt > silenceMs) this.close()
    else if (this.#isReady) this.#ping()
    this.#after(pingMs, () => this.#watch())
  }

  #ping(): void {
    if (this.#pinged !== null) return
    this.#pinged = [...this.#subscriptions]
    this.#send({ type: 'ping' })
  }

  /** Frames are read in order, so the service knows every subscription sent before the ping. */
  #receivePong(payload: { readonly eventId?: string } | undefined): void {
    const pinged = this.#pinged ?? []
    this.#pinged = null
    const eventId = payload?.eventId
    if (eventId !== undefined) {
      for (const [id, subscription] of pinged)
        if (this.#subscriptions.get(id) === subscription) subscription.reached(eventId)
    }
    const isWaiting = [...this.#subscriptions.values()].some((subscription) => !subscription.isReady)
    if (isWaiting) this.#after(pingAgainMs, () => this.#ping())
  }

  #receive({ type, id = '', payload }: Frame): void {
    const subscription = this.#subscriptions.get(id)
    switch (type) {
      case 'connection_ack':
        this.#isReady = true
        for (const each of this.#options.subscriptions) this.start(each)
        break
      case 'ping':
        this.#send({ type: 'pong' })
        break
      case 'pong':
        this.#receivePong(payload as { readonly eventId?: string } | undefined)
        break
      case 'next':
        subscription?.take(payload as EventPayload)
        if (subscription?.isFull) this.stop(subscription)
        break
      case 'error':
        this.#subscriptions.delete(id)
        if (subscription !== undefined)
          this.#options.refuse(subscription, errorOf(payload as readonly GraphqlErrorEntry[]))
        break
      case 'complete':
        this.#subscriptions.delete(id)
        subscription?.complete()
    }
  }
}

export function errorOf(errors: readonly GraphqlErrorEntry[]): DuetError {
  const [first] = errors
  const { code = 'UNEXPECTED_ANSWER', details = [] } = first?.extensions ?? {}
  return new DuetError(code, first?.message ?? 'The subscription was refused.', { details, errors })
}
