// Takes requests and upgrades from a host's node:http server and treats them like those of our own server.

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

interface HostRequest extends IncomingMessage {
  /** The target including the mount path. */
  readonly originalUrl?: string
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

  get connections(): number {
    return this.#connections.size
  }

  receive(request: HostRequest, response: ServerResponse, next?: () => void): void {
    const target = this.#targetOf(request)
    if (target === null && next !== undefined) {
      next()
      return
    }
    const connection = this.#connectionOf(request)
    if (connection === null) return
    // Set by Express; answers do not name their software. (contract 4.10.8)
    response.removeHeader('X-Powered-By')
    this.#inFlight.begin()
    response.once('close', () => this.#inFlight.end())
    this.#connections.receive(request, response, connection, { target: target ?? nowhere, stopping: this.#stopping })
  }

  /** Returns false and does nothing outside the base path. */
  upgrade(request: HostRequest, socket: Duplex, head: Buffer): boolean {
    const target = this.#targetOf(request)
    if (target === null) return false
    const connection = this.#connectionOf(request)
    socket.on('error', () => socket.destroy())
    // Pending answers would be written into the upgraded connection.
    if (connection === null || connection.isEnding || connection.isWaiting) socket.destroy()
    else {
      const stopping = this.#stopping
      void this.#connections.upgrade({ request, socket, head }, connection, { target, stopping })
    }
    return true
  }

  drain(): void {
    this.#connections.drain()
  }

  /** Resolves when earlier requests are answered, after `drainMs` by force. */
  async close(): Promise<void> {
    this.drain()
    this.#stopping = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
    if (await this.#inFlight.settled(this.#options.limits.drainMs)) return
    this.#connections.destroy(({ isWaiting }) => isWaiting)
  }

  #connectionOf({ socket }: IncomingMessage): Connection | null {
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
      log.warn({}, `The host has mounted the handler below ${mount}: pass basePath: '${mount}' to createHandler.`)
    }
    return targetBelow(basePath, request.originalUrl ?? request.url!)
  }
}

const nowhere = '/'
