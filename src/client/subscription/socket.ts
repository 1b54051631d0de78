// One connection of graphql-transport-ws, from its first frame to its close code. (contract 6.2)

import { DuetError, type GraphqlErrorEntry } from '../error.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Happening, Operation } from './operation.ts'

/** What is used of a WebSocket; that of browsers and of Node will do. */
export interface WebSocketLike {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: string, told: (event: never) => void): void
}
export type OpenWebSocket = new (url: string, protocol: string) => WebSocketLike

export interface SocketGiven {
  readonly url: string
  readonly WebSocket: OpenWebSocket
  /** Sent first, as headers would be. */
  readonly headers: Readonly<Record<string, string>>
  readonly surroundings: Pick<Surroundings, 'now' | 'expire'>
  /** Subscribed as soon as that can be, and again whenever they are started. */
  readonly operations: Iterable<Operation>
  /** The service cannot take this operation at the moment. */
  readonly refused: (operation: Operation, error: DuetError) => void
}
export interface Socket {
  /** Its close code, and whether it was of any use before. */
  readonly ended: Promise<{ readonly code: number; readonly wasReady: boolean }>
  start(operation: Operation): void
  stop(operation: Operation): void
  close(): void
}
interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}
/** How often this side asks whether anybody is there, and after what silence it gives up. */
const pingMs = 10_000
const silenceMs = 25_000
/** How soon it asks again how far everything has been told, while something is being started. */
const askAgainMs = 50
/** As from a network that is gone. */
const lostCode = 1006

export function openSocket({ url, WebSocket, headers, surroundings, operations, refused }: SocketGiven): Socket {
  const { now, expire } = surroundings
  const ended = Promise.withResolvers<{ code: number; wasReady: boolean }>()
  const socket = new WebSocket(url, 'graphql-transport-ws')
  const byId = new Map<string, Operation>()
  let count = 0
  let isReady = false
  let isOver = false
  let heardAt = now()
  /** Those that were subscribed when the ping was sent that waits for its pong. */
  let asked: readonly (readonly [id: string, operation: Operation])[] | null = null

  const send = (frame: Frame) => socket.send(JSON.stringify(frame))
  const after = (milliseconds: number, act: () => void) =>
    expire(milliseconds).addEventListener('abort', () => isOver || act(), { once: true })

  function end(code: number): void {
    if (isOver) return
    isOver = true
    byId.clear()
    ended.resolve({ code, wasReady: isReady })
  }
  function close(): void {
    // A network that is gone never closes: nobody waits for it.
    end(lostCode)
    socket.close(1000)
  }
  function watch(): void {
    if (now() - heardAt > silenceMs) close()
    else if (isReady) ping()
    after(pingMs, watch)
  }
  function ping(): void {
    if (asked !== null) return
    asked = [...byId]
    send({ type: 'ping' })
  }
  /** Frames are read in order: whoever was subscribed before the ping is known to whoever answers it. */
  function hearPong(payload: { readonly eventId?: string } | undefined): void {
    const those = asked ?? []
    asked = null
    const eventId = payload?.eventId
    if (eventId !== undefined) {
      for (const [id, operation] of those) if (byId.get(id) === operation) operation.reached(eventId)
    }
    const isWaiting = [...byId.values()].some((operation) => !operation.isReady)
    if (isWaiting) after(askAgainMs, ping)
  }
  function start(operation: Operation): void {
    if (!isReady || isOver || [...byId.values()].includes(operation)) return
    count += 1
    byId.set(String(count), operation)
    send({ type: 'subscribe', id: String(count), payload: operation.payload() })
    queueMicrotask(() => isOver || ping())
  }
  function stop(operation: Operation): void {
    for (const [id, each] of byId) {
      if (each !== operation) continue
      byId.delete(id)
      send({ type: 'complete', id })
    }
  }
  function hear({ type, id = '', payload }: Frame): void {
    const operation = byId.get(id)
    switch (type) {
      case 'connection_ack':
        isReady = true
        for (const each of operations) start(each)
        break
      case 'ping':
        send({ type: 'pong' })
        break
      case 'pong':
        hearPong(payload as { readonly eventId?: string } | undefined)
        break
      case 'next':
        operation?.take(payload as Happening)
        if (operation?.isFull) stop(operation)
        break
      case 'error':
        byId.delete(id)
        if (operation !== undefined) refused(operation, errorOf(payload as readonly GraphqlErrorEntry[]))
        break
      case 'complete':
        byId.delete(id)
        operation?.complete()
    }
  }

  socket.addEventListener('open', () => send({ type: 'connection_init', payload: headers }))
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
    heardAt = now()
    if (!isOver) hear(JSON.parse(String(data)) as Frame)
  })
  socket.addEventListener('close', ({ code }: { code: number }) => end(code))
  socket.addEventListener('error', () => end(lostCode))
  after(pingMs, watch)
  return { ended: ended.promise, start, stop, close }
}

function errorOf(errors: readonly GraphqlErrorEntry[]): DuetError {
  const [first] = errors
  const { code = 'UNEXPECTED_ANSWER', details = [] } = first?.extensions ?? {}
  // A database that was restored knows nothing of the events of before.
  const isUnknown = details.some(({ field }) => field === 'extensions.resumeAfter')
  if (isUnknown)
    return new DuetError('EVENTS_GONE', 'The service does not know the last event that was seen.', { errors })
  return new DuetError(code, first?.message ?? 'The subscription was refused.', { details, errors })
}
