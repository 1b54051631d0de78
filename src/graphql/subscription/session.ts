// One WebSocket: the states of graphql-transport-ws and its operations. (contract 6.2)

import type { WebSocket } from 'ws'
import type { SharedRoom } from '../../budget/answer-room.ts'
import { isBeyond, type Position } from '../../event/outbox.ts'
import { isRefused, type LiveConnection } from '../../event/stream/live-connections.ts'
import { Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import { type CredentialHeaders, clientNameOf, credentialOf, misplacesCredential } from './connection-init.ts'
import { acknowledged, type ClientFrame, type Closing, closing, pinging, ponging, readFrame } from './frame.ts'
import {
  Operation,
  type OperationConnection,
  type OperationDependencies,
  type Origin,
  type SubscribeFrame,
} from './operation.ts'
import { Outgoing, type OutgoingLimits } from './outgoing.ts'

export type SessionLimits = OutgoingLimits &
  OperationDependencies['limits'] & {
    readonly jsonDepth: number
    readonly socketInitMs: number
    readonly socketPingMs: number
    readonly socketIdleMs: number
    readonly socketSubscriptions: number
  }
export interface SessionDependencies extends OperationDependencies {
  readonly limits: SessionLimits
  readonly answers: SharedRoom
  /** Fails as over HTTP. */
  readonly identify: (credential: CredentialHeaders, now: Date, origin: Origin) => Promise<Requester>
}

export class Session implements LiveConnection {
  readonly kind = 'socket'
  readonly #socket: WebSocket
  readonly #dependencies: SessionDependencies
  readonly #origin: Origin
  readonly #openedAt: number
  readonly #outgoing: Outgoing
  #state: 'new' | 'identifying' | 'ready' | 'closed' = 'new'
  #credential: CredentialHeaders = {}
  #lastFrameAt: number
  #pingedAt: number
  readonly #operations = new Map<string, Operation>()
  #connection: OperationConnection | null = null

  constructor(socket: WebSocket, origin: Origin, dependencies: SessionDependencies) {
    this.#socket = socket
    this.#origin = origin
    this.#dependencies = dependencies
    this.#outgoing = new Outgoing(socket, dependencies.limits, dependencies.answers, () => this.close('tooSlow'))
    this.#openedAt = this.#lastFrameAt = this.#pingedAt = performance.now()
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? null : String(data)))
    socket.on('pong', () => this.#noteFrame())
    socket.on('ping', () => this.#noteFrame())
    socket.on('close', () => this.#end())
    // An oversized or invalid frame: ws closes the connection with the right code.
    socket.on('error', () => this.#end())
  }

  get unreadBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Ends what timed out or whose credential expired. Durations use a monotonic clock. */
  tick(now: Date): void {
    const at = performance.now()
    const { socketInitMs, socketIdleMs, socketPingMs } = this.#dependencies.limits
    if (this.#state === 'closed') return
    if (this.#state !== 'ready' && at - this.#openedAt >= socketInitMs) this.close('initTimeout')
    else if (at - this.#lastFrameAt >= socketIdleMs) this.close('idle')
    else if (this.#state === 'ready') void this.#recheck(now)
    if (at - this.#pingedAt >= socketPingMs) this.#ping(at)
  }

  #ping(at: number): void {
    this.#pingedAt = at
    if (this.#state === 'closed') return
    this.#socket.ping()
    if (this.#state === 'ready') this.#send(pinging)
  }

  /** By default because the service is stopping. */
  close(why: Closing = 'stopping'): void {
    if (this.#state === 'closed') return
    const [code, reason] = closing[why]
    this.#end()
    this.#socket.close(code, reason)
  }

  /** Disconnects a client that leaves a large answer unread while others lack memory. */
  // Otherwise its ping timeout ends it.
  cutOffIfStalled(forMs: number): void {
    if (this.#outgoing.isStalled(forMs)) this.cutOff()
  }

  /** For a client that ignores the close. */
  cutOff(): void {
    this.#socket.terminate()
  }

  #end(): void {
    this.#state = 'closed'
    for (const operation of this.#operations.values()) operation.stop()
    this.#operations.clear()
    this.#outgoing.end()
  }

  #noteFrame(): void {
    this.#lastFrameAt = performance.now()
  }

  #receive(text: string | null): void {
    if (this.#state === 'closed') return
    this.#noteFrame()
    const frame = text === null ? null : readFrame(text, this.#dependencies.limits)
    if (frame === null) this.close('malformed')
    else this.#handle(frame)
  }

  #handle(frame: ClientFrame): void {
    switch (frame.type) {
      case 'connection_init':
        if (this.#state === 'new') void this.#initialise(frame.payload)
        else this.close('secondInit')
        break
      case 'ping':
        this.#send(ponging(this.#resumePoint()))
        break
      case 'pong':
        break
      case 'subscribe':
        if (this.#state !== 'ready') this.close('tooEarly')
        else if (this.#operations.has(frame.id)) this.close('duplicateId')
        else this.#start(frame)
        break
      case 'complete':
        this.#operations.get(frame.id)?.stop()
        this.#operations.delete(frame.id)
    }
  }

  /** Null while a subscription starts or catches up. (contract 6.3.1) */
  #resumePoint(): string | null {
    const { resumeIds, feed } = this.#dependencies
    const operations = [...this.#operations.values()]
    if (this.#state !== 'ready' || operations.some((operation) => !operation.isLive)) return null
    const positions = operations.map(({ reached }) => reached!)
    return resumeIds.ofProgress(positions.reduce(earlier, feed.deliveryPosition))
  }

  async #initialise(payload: Readonly<Record<string, unknown>>): Promise<void> {
    if (misplacesCredential(payload)) return this.close('misplaced')
    this.#state = 'identifying'
    this.#credential = credentialOf(payload)
    try {
      const actor = await this.#dependencies.identify(this.#credential, this.#dependencies.clock(), this.#origin)
      if ((this.#state as string) !== 'identifying') return
      this.#state = 'ready'
      this.#connection = this.#connectionOf(actor, clientNameOf(payload))
      this.#send(acknowledged)
    } catch (error) {
      // Other errors are refused too, and logged.
      if (!(error instanceof Failure)) this.#dependencies.reportBug(error, this.#origin.requestId)
      this.close('forbidden')
    }
  }

  /** An expired token, a suspended user, an ended session. */
  async #recheck(now: Date): Promise<void> {
    if (await isRefused(this.#dependencies.identify(this.#credential, now, this.#origin))) this.close('forbidden')
  }

  #connectionOf(actor: Requester, clientName: string | undefined): OperationConnection {
    return {
      origin: this.#origin,
      actor,
      clientName,
      credential: this.#credential,
      outgoing: this.#outgoing,
      isOpen: () => this.#state !== 'closed',
      requireRoom: () => this.#requireRoom(),
      remove: (id) => this.#operations.delete(id),
    }
  }

  #start(frame: SubscribeFrame): void {
    const operation = new Operation(frame.id, this.#connection!, this.#dependencies)
    this.#operations.set(frame.id, operation)
    void operation.start(frame)
  }

  #requireRoom(): void {
    const { socketSubscriptions } = this.#dependencies.limits
    if (this.#operations.size <= socketSubscriptions) return
    const message = `At most ${socketSubscriptions} operations run on one connection.`
    throw new Failure('RATE_LIMIT_EXCEEDED', { message })
  }

  #send(text: string): void {
    if (this.#state !== 'closed') this.#outgoing.send(text)
  }
}

const earlier = (one: Position, other: Position): Position => (isBeyond(one, other) ? other : one)
