// One graphql-transport-ws connection. (contract 6.2)

import type { GraphqlErrorEntry } from '../send/error.ts'
import { Carrier, type CarrierOptions, errorOf, lostCode } from './carrier.ts'
import type { EventPayload, Subscription } from './subscription.ts'

export interface WebSocketLike {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: string, listener: (event: never) => void): void
}
export type OpenWebSocket = new (url: string, protocol: string) => WebSocketLike

interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}
/** The interval of pings while a subscription is starting. */
const pingAgainMs = 50

export class Socket extends Carrier {
  readonly #socket: WebSocketLike
  readonly #subscriptions = new Map<string, Subscription>()
  #count = 0
  #pinged: readonly (readonly [id: string, subscription: Subscription])[] | null = null

  constructor(url: string, WebSocket: OpenWebSocket, options: CarrierOptions) {
    super(options)
    const socket = new WebSocket(url, 'graphql-transport-ws')
    this.#socket = socket
    socket.addEventListener('open', () => this.#send({ type: 'connection_init', payload: options.headers }))
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
      this.heardAt = options.surroundings.now()
      if (!this.isClosed) this.#receive(JSON.parse(String(data)) as Frame)
    })
    socket.addEventListener('close', ({ code }: { code: number }) => this.end(code))
    socket.addEventListener('error', () => this.end(lostCode))
    this.watch()
  }

  start(subscription: Subscription): void {
    if (!this.isReady || this.isClosed || [...this.#subscriptions.values()].includes(subscription)) return
    this.#count += 1
    const id = String(this.#count)
    this.#subscriptions.set(id, subscription)
    this.#send({ type: 'subscribe', id, payload: subscription.payload() })
    queueMicrotask(() => this.isClosed || this.ping())
  }

  stop(subscription: Subscription): void {
    for (const [id, each] of this.#subscriptions) {
      if (each !== subscription) continue
      this.#subscriptions.delete(id)
      this.#send({ type: 'complete', id })
    }
  }

  override close(): void {
    // A lost network never closes, so this does not wait.
    super.close()
    this.#socket.close(1000)
  }

  protected stopAll(): void {
    this.#subscriptions.clear()
  }

  #send(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame))
  }

  protected override ping(): void {
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
    if (isWaiting) this.after(pingAgainMs, () => this.ping())
  }

  #receive({ type, id = '', payload }: Frame): void {
    const subscription = this.#subscriptions.get(id)
    switch (type) {
      case 'connection_ack':
        this.isReady = true
        for (const each of this.options.subscriptions) this.start(each)
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
          this.options.refuse(subscription, errorOf(payload as readonly GraphqlErrorEntry[]))
        break
      case 'complete':
        this.#subscriptions.delete(id)
        subscription?.complete()
    }
  }
}
