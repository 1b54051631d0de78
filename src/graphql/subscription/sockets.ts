// All WebSockets of this process: upgrades, timers and shutdown.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
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
  /** Ends every session with 1001, and disconnects after `lingerMs`. */
  close(): Promise<void>
  readonly size: number
}
export interface SocketsDependencies extends SessionDependencies {
  readonly limits: SessionDependencies['limits'] & {
    readonly frameBytes: number
    readonly socketTickMs: number
    readonly lingerMs: number
    readonly stalledReaderMs: number
    readonly socketsBufferBytes: number
  }
}

const subprotocol = 'graphql-transport-ws'

export function createSockets(dependencies: SocketsDependencies): Sockets {
  const { limits, clock } = dependencies
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
  const sessions = new Set<Session>()
  dependencies.answers.onFull(() => {
    for (const session of sessions) session.cutOffIfStalled(limits.stalledReaderMs)
  })
  const timer = setInterval(() => {
    const now = clock()
    for (const session of sessions) session.tick(now)
    shed(sessions, limits.socketsBufferBytes)
  }, limits.socketTickMs).unref()

  function open(socket: WebSocket, origin: Origin): void {
    if (socket.protocol !== subprotocol) {
      // A late invalid frame without a listener would end the process.
      socket.on('error', () => {})
      socket.close(...closing.noSubprotocol)
      return
    }
    const session = new Session(socket, origin, dependencies)
    sessions.add(session)
    socket.once('close', () => sessions.delete(session))
  }

  return {
    accept: ({ request, socket, head }, origin) =>
      server.handleUpgrade(request, socket, head, (opened) => open(opened, origin)),
    async close() {
      clearInterval(timer)
      for (const session of sessions) session.close('stopping')
      setTimeout(() => {
        for (const session of sessions) session.cutOff()
      }, limits.lingerMs).unref()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
    get size() {
      return sessions.size
    },
  }
}

/** If the total of unread bytes is too large, disconnects the sessions with the most. */
function shed(sessions: ReadonlySet<Session>, bytesMax: number): void {
  let unreadBytes = 0
  for (const session of sessions) unreadBytes += session.unreadBytes
  if (unreadBytes <= bytesMax) return
  for (const slowest of [...sessions].sort((left, right) => right.unreadBytes - left.unreadBytes)) {
    if (unreadBytes <= bytesMax) return
    unreadBytes -= slowest.unreadBytes
    slowest.cutOff()
  }
}
