// The connection shared by all subscriptions of a client: a WebSocket, or event streams if none can be opened. It reconnects
// until there are no listeners or reconnecting is pointless. (contract 6.3.3)

import type { Connection } from '../client.ts'
import { DuetError } from '../send/error.ts'
import { type Carrier, forbiddenCode as forbidden } from './carrier.ts'
import { type OpenWebSocket, Socket } from './socket.ts'
import { Streams } from './streams.ts'
import type { Subscription } from './subscription.ts'

/** Reconnection. Times are in milliseconds. */
export interface LinkLimits {
  /** The longest first pause, doubled after each failure up to `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
  /** Consecutive failures after which subscriptions fail. */
  readonly triesMax: number
}
/** Codes that reconnecting cannot fix. */
const finalCodes = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4406, 4409, 4429])
/** Before each attempt by event streams, until one of them is ready. */
const socketAttempts = 2
/** Consecutive refusals after which the credential is not the cause. */
const refusalsMax = 3
const passing = new Set(['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'])

interface ConnectionEnd {
  readonly code: number | null
  readonly wasReady: boolean
  readonly credentials: Readonly<Record<string, string>>
  readonly error: DuetError
}

export class Link {
  readonly #connection: Connection
  readonly #WebSocket: OpenWebSocket
  readonly #limits: LinkLimits
  readonly #url: URL
  #attempts = 0
  readonly #subscriptions = new Set<Subscription>()
  readonly #refusals = new Map<Subscription, number>()
  #socket: Carrier | null = null
  /** What was ready once is used from then on. */
  #proven: 'socket' | 'streams' | null = null
  #isRunning = false
  #idle = new AbortController()

  constructor(connection: Connection, WebSocket: OpenWebSocket, limits: LinkLimits) {
    this.#connection = connection
    this.#WebSocket = WebSocket
    this.#limits = limits
    const { location } = globalThis as { readonly location?: { readonly href: string } }
    this.#url = new URL(`${connection.baseUrl}/graphql`, location?.href)
  }

  start(subscription: Subscription): void {
    if (this.#subscriptions.size === 0) this.#idle = new AbortController()
    this.#subscriptions.add(subscription)
    this.#socket?.start(subscription)
    this.#ensureRunning()
  }

  stop(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return
    this.#refusals.delete(subscription)
    this.#socket?.stop(subscription)
    if (this.#subscriptions.size > 0) return
    this.#idle.abort()
    this.#socket?.close()
  }

  #ensureRunning(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
      if (this.#subscriptions.size > 0) this.#ensureRunning()
    })
  }

  async #run(): Promise<void> {
    let failures = 0
    let forbiddenInRow = 0
    while (this.#subscriptions.size > 0) {
      const end = await this.#connect()
      if (this.#subscriptions.size === 0) return
      failures = end.wasReady ? 1 : failures + 1
      forbiddenInRow = end.code === forbidden ? (end.wasReady ? 1 : forbiddenInRow + 1) : 0
      const error =
        (await this.#finalError(end, forbiddenInRow)) ?? (failures > this.#limits.triesMax ? end.error : null)
      if (error === null) await this.#pause(failures)
      else for (const subscription of [...this.#subscriptions]) subscription.fail(error)
    }
  }

  async #connect(): Promise<ConnectionEnd> {
    const { credential, headers, surroundings } = this.#connection
    let credentials: Readonly<Record<string, string>> = {}
    try {
      // Renews a token that is about to expire.
      credentials = await credential.headers()
      const kind = this.#proven ?? (this.#attempts++ % (socketAttempts + 1) < socketAttempts ? 'socket' : 'streams')
      const options = {
        headers: { ...headers, ...credentials },
        surroundings,
        subscriptions: this.#readable(),
        refuse: (subscription: Subscription, error: DuetError) => void this.#retry(subscription, error),
      }
      this.#socket =
        kind === 'socket'
          ? new Socket(this.#url.href.replace('http', 'ws'), this.#WebSocket, options)
          : new Streams(this.#url.href, options)
      const { code, wasReady } = await this.#socket.ended
      if (wasReady) this.#proven = kind
      return { code, wasReady, credentials, error: closedWith(code) }
    } catch (error) {
      return { code: null, wasReady: false, credentials, error: asError(error) }
    } finally {
      this.#socket = null
    }
  }

  async #finalError({ code, credentials, error }: ConnectionEnd, forbiddenInRow: number): Promise<DuetError | null> {
    if (error.status === 401 || finalCodes.has(code ?? 0)) return error
    if (code !== forbidden) return null
    if (forbiddenInRow > refusalsMax) return refusedCredential()
    const renewal = await this.#connection.credential.renew(credentials).catch(asError)
    if (renewal === false) return refusedCredential()
    return renewal !== true && renewal.status === 401 ? renewal : null
  }

  *#readable(): Generator<Subscription> {
    for (const subscription of this.#subscriptions) if (!subscription.isFull) yield subscription
  }

  async #retry(subscription: Subscription, error: DuetError): Promise<void> {
    const times = (this.#refusals.get(subscription) ?? 0) + 1
    this.#refusals.set(subscription, times)
    if (!passing.has(error.code) || times > this.#limits.triesMax) return subscription.fail(error)
    const socket = this.#socket
    await this.#pause(times)
    if (this.#subscriptions.has(subscription) && socket === this.#socket) socket?.start(subscription)
  }

  /** Random, so that clients of a restarting service do not return at once. */
  #pause(failures: number): Promise<void> {
    const { pauseMs, pauseMaxMs } = this.#limits
    const { random, sleep } = this.#connection.surroundings
    return sleep(random() * Math.min(pauseMaxMs, pauseMs * 2 ** (failures - 1)), this.#idle.signal).catch(() => {})
  }
}

const asError = (thrown: unknown): DuetError =>
  thrown instanceof DuetError
    ? thrown
    : new DuetError('NETWORK_ERROR', 'The service cannot be reached.', { cause: thrown })
const closedWith = (code: number): DuetError =>
  new DuetError('UNEXPECTED_ANSWER', `The service ended the connection with ${code}.`)
const refusedCredential = (): DuetError =>
  new DuetError('INVALID_CREDENTIALS', 'The credential is not accepted.', { status: 401 })
