// Takes requests and upgrades from the node:http server of a host. From its parser on they are treated like those of our own.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { InFlight } from '../../concurrency/in-flight.ts'
import { Failure } from '../../failure/failure.ts'
import type { Connection } from '../server/connection.ts'
import { Connections, type ConnectionsOptions } from '../server/connections.ts'
import { targetBelow } from './base-path.ts'

export interface HostListenerOptions extends Omit<ConnectionsOptions, 'isHosted'> {
  readonly basePath: string
}

/** A request as frameworks hand it on. */
interface HostRequest extends IncomingMessage {
  /** The target before a framework took the path off below which we are mounted. */
  readonly originalUrl?: string
  /** That path. */
  readonly baseUrl?: string
}

export class HostListener {
  readonly #options: HostListenerOptions
  readonly #connections: Connections
  readonly #inFlight = new InFlight()
  #stopping: Failure | null = null
  #hasWarned = false

  constructor(options: HostListenerOptions) {
    this.#options = options
    this.#connections = new Connections({ ...options, isHosted: true })
  }

  /** Those of the host that have sent us a request, as long as they are open. */
  get connections(): number {
    return this.#connections.size
  }

  /** Answers a request; one that is not below the base path is passed to `next`, where there is one. */
  receive(request: HostRequest, response: ServerResponse, next?: () => void): void {
    const target = this.#targetOf(request)
    if (target === null && next !== undefined) {
      next()
      return
    }
    const connection = this.#connectionOf(request)
    if (connection === null) return
    // Express says what it is; we say of no answer what made it. (contract 4.10.8)
    response.removeHeader('X-Powered-By')
    this.#inFlight.begin()
    response.once('close', () => this.#inFlight.end())
    this.#connections.receive(request, response, connection, { target: target ?? nowhere, stopping: this.#stopping })
  }

  /** Takes an upgrade over, or refuses it. False, and nothing happens, where it is not below the base path. */
  upgrade(request: HostRequest, socket: Duplex, head: Buffer): boolean {
    const target = this.#targetOf(request)
    if (target === null) return false
    const connection = this.#connectionOf(request)
    socket.on('error', () => socket.destroy())
    // Answers that are still to come would be written into the upgraded connection.
    if (connection === null || connection.isEnding || connection.isWaiting) socket.destroy()
    else {
      const stopping = this.#stopping
      void this.#connections.upgrade({ request, socket, head }, connection, { target, stopping })
    }
    return true
  }

  /** From now on each connection that is open ends with its next answer. */
  drain(): void {
    this.#connections.drain()
  }

  /** Refuses what comes from now on, and resolves when everything before has its answer: after `drainMs` by force. */
  async close(): Promise<void> {
    this.drain()
    this.#stopping = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
    if (await this.#inFlight.settled(this.#options.limits.drainMs)) return
    this.#connections.destroy(({ isWaiting }) => isWaiting)
  }

  #connectionOf({ socket }: IncomingMessage): Connection | null {
    // It has closed: whoever sent this has left.
    if (socket.destroyed) return null
    const before = this.#connections.of(socket)
    if (before !== undefined) return before
    const connection = this.#connections.make(socket)
    this.#connections.add(connection)
    return connection
  }

  #targetOf(request: HostRequest): string | null {
    const { basePath, log } = this.#options
    const mount = request.baseUrl ?? ''
    if (!basePath.startsWith(mount) && !this.#hasWarned) {
      this.#hasWarned = true
      log.warn({}, `The host has mounted the handler below ${mount}: say basePath: '${mount}' to createHandler.`)
    }
    return targetBelow(basePath, request.originalUrl ?? request.url!)
  }
}

/** Leads nowhere, and is counted like everything that does. */
const nowhere = '/'
