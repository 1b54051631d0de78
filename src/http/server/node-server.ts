// node:http with the contract's timeouts and sizes, and with none of its own answers. (contract 8.4)

import { createServer, type Server } from 'node:http'
import type { Limits } from '../../limits.ts'
import { upgradeOptions } from './upgrade.ts'

export type NodeServerLimits = Pick<
  Limits,
  | 'urlBytes'
  | 'headerBytes'
  | 'connections'
  | 'headersTimeoutMs'
  | 'requestTimeoutMs'
  | 'executionTimeoutMs'
  | 'keepAliveMs'
>

/** The types of the oldest Node lack it; what does not know it goes without. */
const laterOptions: object = { optimizeEmptyRequests: true }

/** A server that listens to nothing yet. Only WebSocket upgrades are upgrades, and only where `upgrades` is true. */
export function createNodeServer(limits: NodeServerLimits, upgrades: boolean): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.ceil(Math.min(1_000, limits.headersTimeoutMs / 4)),
    keepAliveTimeout: limits.keepAliveMs,
    // Room beyond the limits, so that most of what is too much can be told apart: 414 or 431.
    maxHeaderSize: 2 * (limits.urlBytes + limits.headerBytes),
    insecureHTTPParser: false,
    // Node would answer outside the envelope. The head of each request is looked at in request-head.ts.
    requireHostHeader: false,
    ...laterOptions,
    ...upgradeOptions(upgrades),
  })
  // Node would drop the headers beyond its number silently, and with them those that repeat another.
  server.maxHeadersCount = 0
  // Those that are too many are told so; where even that is too much, the door is shut.
  server.maxConnections = limits.connections + farewells
  // Ends the connection of a client that neither reads its answer nor goes away.
  server.timeout = limits.requestTimeoutMs + limits.executionTimeoutMs
  return server
}

/** Connections beyond the limit that are told so before they end. */
export const farewells = 1_000
