// All subscriptions of a client share one connection. When it ends it is made again, with a token that holds, until nobody
// listens any more or it can be of no use. (contract 6.3.3)

import type { Connection } from '../client.ts'
import { DuetError } from '../error.ts'
import { type OpenWebSocket, Socket } from './socket.ts'
import type { Subscription } from './subscription.ts'

/** How patiently a lost connection is made again. Times are in milliseconds. */
export interface LinkLimits {
  /** The pause before a new connection: from nothing to this, twice as long after each that fails, up to `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
  /** Connections in a row that may fail before subscriptions do. */
  readonly triesMax: number
}
/** Whatever is wrong, it is not mended by doing the same again. */
const finalCodes = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4406, 4409, 4429])
const forbidden = 4403
/** So many credentials in a row are refused before it is not the credential. */
const refusalsMax = 3
/** Failures of a single subscription that pass. */
const passing = new Set(['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'])

/** How one connection ended. */
interface ConnectionEnd {
  /** Null where there was no connection. */
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
  readonly #subscriptions = new Set<Subscription>()
  /** How often each was refused in a row. */
  readonly #refusals = new Map<Subscription, number>()
  #socket: Socket | null = null
  #isRunning = false
  /** Aborted when nobody listens any more. */
  #idle = new AbortController()

  constructor(connection: Connection, WebSocket: OpenWebSocket, limits: LinkLimits) {
    this.#connection = connection
    this.#WebSocket = WebSocket
    this.#limits = limits
    const { location } = globalThis as { readonly location?: { readonly href: string } }
    this.#url = new URL(`${connection.baseUrl}/graphql`, location?.href)
    this.#url.protocol = this.#url.protocol.replace('http', 'ws')
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

  /** One connection, from the first to the last of it. */
  async #connect(): Promise<ConnectionEnd> {
    const { credential, headers, surroundings } = this.#connection
    let credentials: Readonly<Record<string, string>> = {}
    try {
      // A token that is about to expire is renewed first.
      credentials = await credential.headers()
      this.#socket = new Socket(this.#url.href, this.#WebSocket, {
        headers: { ...headers, ...credentials },
        surroundings,
        subscriptions: this.#readable(),
        refuse: (subscription, error) => void this.#retry(subscription, error),
      })
      const { code, wasReady } = await this.#socket.ended
      return { code, wasReady, credentials, error: closedWith(code) }
    } catch (error) {
      return { code: null, wasReady: false, credentials, error: asError(error) }
    } finally {
      this.#socket = null
    }
  }

  /** Why another connection would be no better; null where it may be. */
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

  /** Starts a subscription again that the service refused, unless that cannot help. */
  async #retry(subscription: Subscription, error: DuetError): Promise<void> {
    const times = (this.#refusals.get(subscription) ?? 0) + 1
    this.#refusals.set(subscription, times)
    if (!passing.has(error.code) || times > this.#limits.triesMax) return subscription.fail(error)
    const socket = this.#socket
    await this.#pause(times)
    if (this.#subscriptions.has(subscription) && socket === this.#socket) socket?.start(subscription)
  }

  /** Chance keeps all clients of a service that restarts from coming back at once. */
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
