// One WebSocket: the states of graphql-transport-ws, its operations, and everything that ends it. (contract 6.2)

import type { WebSocket } from 'ws'
import type { SharedRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import { type CredentialHeaders, clientNameOf, credentialOf } from './connection-init.ts'
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
  /** For the large answers of everybody. */
  readonly answers: SharedRoom
  /** The actor of this credential; fails as over HTTP. */
  readonly identify: (credential: CredentialHeaders, now: Date, origin: Origin) => Promise<Requester>
}

export class Session {
  readonly #socket: WebSocket
  readonly #dependencies: SessionDependencies
  readonly #origin: Origin
  readonly #openedAt: number
  readonly #outgoing: Outgoing
  #state: 'new' | 'identifying' | 'ready' | 'closed' = 'new'
  #credential: CredentialHeaders = {}
  #lastFrameAt: number
  #pingedAt: number
  /** Those that have not ended, by id. */
  readonly #operations = new Map<string, Operation>()
  /** What operations see of this connection; null until its client is identified. */
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
    // A frame that is too large, or no frame at all: ws closes the connection with the fitting code.
    socket.on('error', () => this.#end())
  }

  /** What was sent and has not left. */
  get unreadBytes(): number {
    return this.#socket.bufferedAmount
  }

  /**
   * Called every second or so: ends what has waited too long, or whose credential no longer holds. How long is measured on
   * a clock that nobody sets: a leap of the other one would end all connections.
   */
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

  close(why: Closing): void {
    if (this.#state === 'closed') return
    const [code, reason] = closing[why]
    this.#end()
    this.#socket.close(code, reason)
  }

  /** Cut off where it has left a large answer unread for so long, while others find no room for theirs. */
  cutOffIfStalled(forMs: number): void {
    // A client that stops reading is otherwise ended by its silence.
    if (this.#outgoing.isStalled(forMs)) this.cutOff()
  }

  /** Ends the connection of a client that does not answer its close. */
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

  /**
   * From where a client that comes back would miss nothing, though it has seen no event; null while something is being
   * started, or told of the past. (contract 6.3.1)
   */
  #resumePoint(): string | null {
    const { resumeIds, feed } = this.#dependencies
    const isLive = [...this.#operations.values()].every((operation) => operation.isLive)
    return this.#state === 'ready' && isLive ? resumeIds.ofProgress(feed.deliveryPosition) : null
  }

  async #initialise(payload: Readonly<Record<string, unknown>>): Promise<void> {
    this.#state = 'identifying'
    this.#credential = credentialOf(payload)
    try {
      const actor = await this.#dependencies.identify(this.#credential, this.#dependencies.clock(), this.#origin)
      if ((this.#state as string) !== 'identifying') return
      this.#state = 'ready'
      this.#connection = this.#connectionOf(actor, clientNameOf(payload))
      this.#send(acknowledged)
    } catch (error) {
      // A refused credential; anything else is refused as well, and told to the log.
      if (!(error instanceof Failure)) this.#dependencies.reportBug(error, this.#origin.requestId)
      this.close('forbidden')
    }
  }

  /** A token that expired, a user who was suspended, a session that ended. */
  async #recheck(now: Date): Promise<void> {
    try {
      await this.#dependencies.identify(this.#credential, now, this.#origin)
    } catch (error) {
      // Only a credential that is refused ends the connection; a database that is away does not.
      if (error instanceof Failure && error.status === 401) this.close('forbidden')
    }
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
