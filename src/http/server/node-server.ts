// node:http with the contract's timeouts and sizes, and without its own answers. (contract 8.4)

import type { Server } from 'node:http'
import { http } from '../../dependency/node-http.ts'
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

/** Missing in the types of the oldest supported Node, which ignores it. */
const laterOptions: object = { optimizeEmptyRequests: true }

/** Does not listen yet. Only WebSocket upgrades are upgrades, and only with `upgrades`. */
export function createNodeServer(limits: NodeServerLimits, upgrades: boolean): Server {
  const server = http.createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.ceil(Math.min(1_000, limits.headersTimeoutMs / 4)),
    keepAliveTimeout: limits.keepAliveMs,
    // Larger than the limits, to distinguish 414 from 431.
    maxHeaderSize: 2 * (limits.urlBytes + limits.headerBytes),
    insecureHTTPParser: false,
    // Node would answer in its own form; request-head.ts checks instead.
    requireHostHeader: false,
    ...laterOptions,
    ...upgradeOptions(upgrades),
  })
  // By default Node silently drops headers beyond a number, and repeated ones with them.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connections + farewells
  // Closes connections of clients that neither read their answer nor leave.
  server.timeout = limits.requestTimeoutMs + limits.executionTimeoutMs
  return server
}

/** Connections beyond the limit that get an answer before they are closed. */
export const farewells = 1_000
