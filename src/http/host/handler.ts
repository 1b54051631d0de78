// What a host is given, to hand requests over.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A service that takes requests from a server that is not its own. */
export interface Handler<Host = unknown> {
  /**
   * Answers a fetch request, and never rejects; `host` is what the runtime hands over beside it, for `clientAddress`. In
   * production, to take it fails where neither `clientAddress` is given nor the limits per address are 0.
   */
  readonly fetch: (request: Request, host?: Host) => Promise<Response>
  /** Answers a request of a node:http server. One that is not below the base path is passed to `next`, where there is one. */
  readonly listener: (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** Takes over a WebSocket for subscriptions, or refuses it. False, and nothing happens, where it is not below the base path. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  /** Is not ready any more; then, after `DRAIN_SECONDS`, refuses what comes, finishes what runs, closes everything. */
  readonly close: () => Promise<void>
}
