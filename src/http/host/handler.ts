// The interface for mounting the service in another server.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A service for the server of a host: a listener for `node:http`, or `fetch`. */
export interface Handler<Host = unknown> {
  /**
   * Answers a fetch request, never rejects. `host` is what the runtime passes along, for `clientAddress`. In production, reading
   * this property throws unless `clientAddress` is given or the limits per address are 0.
   */
  readonly fetch: (request: Request, host?: Host) => Promise<Response>
  /** A node:http listener. A request outside the base path is passed to `next`, if there is one. */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** Accepts or refuses a WebSocket for subscriptions. Returns false and does nothing outside the base path. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  /** Becomes not ready; after `DRAIN_SECONDS` refuses new requests, finishes running ones, closes everything. */
  readonly close: () => Promise<void>
}
