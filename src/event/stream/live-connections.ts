// The connections of this process that carry events, WebSockets and event streams: their timer, their limits, and their end.

import type { SharedRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'

export interface LiveConnection {
  readonly kind: 'socket' | 'stream'
  /** Waiting for its reader. */
  readonly unreadBytes: number
  /** Called about every half second. */
  tick(now: Date): void
  /** The service is stopping. */
  close(): void
  cutOff(): void
  /** Disconnects a client that leaves a large answer unread while others lack memory. */
  cutOffIfStalled(forMs: number): void
}
export interface LiveConnectionsDependencies {
  readonly answers: SharedRoom
  readonly clock: () => Date
  readonly limits: Pick<Limits, 'socketTickMs' | 'lingerMs' | 'stalledReaderMs' | 'socketsBufferBytes'>
}

export type LiveConnections = ReturnType<typeof createLiveConnections>

export function createLiveConnections({ answers, clock, limits }: LiveConnectionsDependencies) {
  const connections = new Set<LiveConnection>()
  answers.onFull(() => {
    for (const connection of connections) connection.cutOffIfStalled(limits.stalledReaderMs)
  })
  const timer = setInterval(() => {
    const now = clock()
    for (const connection of connections) connection.tick(now)
    shed(connections, limits.socketsBufferBytes)
  }, limits.socketTickMs).unref()
  return {
    /** Returns a function that removes it. */
    add(connection: LiveConnection): () => void {
      connections.add(connection)
      return () => connections.delete(connection)
    },
    count: (kind: LiveConnection['kind']): number => [...connections].filter((each) => each.kind === kind).length,
    /** Ends every connection, and disconnects those left after `lingerMs`. */
    close(): void {
      clearInterval(timer)
      for (const connection of connections) connection.close()
      setTimeout(() => {
        for (const connection of connections) connection.cutOff()
      }, limits.lingerMs).unref()
    },
  }
}

/** If the total of unread bytes is too large, disconnects the connections with the most. */
function shed(connections: ReadonlySet<LiveConnection>, bytesMax: number): void {
  let unreadBytes = 0
  for (const connection of connections) unreadBytes += connection.unreadBytes
  if (unreadBytes <= bytesMax) return
  for (const slowest of [...connections].sort((left, right) => right.unreadBytes - left.unreadBytes)) {
    if (unreadBytes <= bytesMax) return
    unreadBytes -= slowest.unreadBytes
    slowest.cutOff()
  }
}

/** Only a refused credential ends a connection, not an unavailable database. (contract 6.2.3) */
export const isRefused = (identified: Promise<unknown>): Promise<boolean> =>
  identified.then(
    () => false,
    (error: unknown) => error instanceof Failure && error.status === 401,
  )
