// Accepts WebSockets.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { LiveConnections } from '../../event/stream/live-connections.ts'
import { Failure } from '../../failure/failure.ts'
import { closing } from './frame.ts'
import type { Origin } from './operation.ts'
import { Session, type SessionDependencies } from './session.ts'

export interface Sockets {
  /** Fails with VALIDATION_ERROR for an invalid handshake. (contract 7.2.7) */
  accept(
    upgrade: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
    origin: Origin,
  ): void
  /** Accepts no more. */
  close(): Promise<void>
}
export interface SocketsDependencies extends SessionDependencies {
  readonly limits: SessionDependencies['limits'] & { readonly frameBytes: number }
  readonly connections: LiveConnections
}

const subprotocol = 'graphql-transport-ws'

export function createSockets(dependencies: SocketsDependencies): Sockets {
  const { limits, connections } = dependencies
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  })
  // By default, ws answers a malformed handshake without the envelope.
  server.on('wsClientError', ({ message }) => {
    throw new Failure('VALIDATION_ERROR', { message: `This is no WebSocket handshake: ${message}.` })
  })
  function open(socket: WebSocket, origin: Origin): void {
    if (socket.protocol !== subprotocol) {
      // A late invalid frame without a listener would end the process.
      socket.on('error', () => {})
      socket.close(...closing.noSubprotocol)
      return
    }
    const session = new Session(socket, origin, dependencies)
    socket.once('close', connections.add(session))
  }

  return {
    accept: ({ request, socket, head }, origin) =>
      server.handleUpgrade(request, socket, head, (opened) => open(opened, origin)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
