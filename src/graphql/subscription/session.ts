// One WebSocket: the states of graphql-transport-ws, its operations, and everything that ends it. (contract 6)

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { Failure } from '../../failure/failure.ts'
import type { Actor } from '../../resource/actor.ts'
import { type ErrorEntry, entryOf, Refusal } from '../error.ts'
import type { Face, TakeRequests } from '../face.ts'
import { readRequest } from '../request.ts'
import {
  acknowledged,
  type ClientFrame,
  type Closing,
  closing,
  complete,
  failed,
  next,
  pinging,
  ponging,
  readFrame,
} from './frame.ts'
import { type SubscribeContext, subscribe } from './subscribe.ts'

export interface SessionLimits {
  readonly jsonDepth: number
  readonly eventBatch: number
  readonly socketInitMs: number
  readonly socketPingMs: number
  readonly socketIdleMs: number
  readonly socketSubscriptions: number
  /** What may wait to be read by a slow client, in bytes. */
  readonly socketBufferBytes: number
}
export interface SessionContext extends SubscribeContext {
  readonly face: Face
  readonly limits: SessionLimits
  readonly reportBug: (bug: unknown, requestId: string) => void
  /** The actor of this credential; fails as over HTTP. */
  readonly identify: (credential: Credential, now: Date) => Promise<Actor | null>
  readonly clock: () => Date
}
export interface Credential {
  readonly authorization?: string
  readonly 'x-api-key'?: string
}
/** What the upgrade request knew. */
export interface Origin {
  readonly requestId: string
  readonly takeRequests: (actor: Actor | null, count: number) => Promise<void>
}

const drainPollMs = 5

export class Session {
  readonly #socket: WebSocket
  readonly #context: SessionContext
  readonly #origin: Origin
  readonly #openedAt: number
  #state: 'new' | 'identifying' | 'ready' | 'closed' = 'new'
  #credential: Credential = {}
  #actor: Actor | null = null
  #heardAt: number
  #pingedAt: number
  /** By id, how to end each; undefined while it is being started or is a query that still runs. */
  readonly #operations = new Map<string, { stop?: () => void }>()

  constructor(socket: WebSocket, origin: Origin, context: SessionContext) {
    this.#socket = socket
    this.#origin = origin
    this.#context = context
    this.#openedAt = this.#heardAt = this.#pingedAt = context.clock().getTime()
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? null : String(data)))
    socket.on('pong', () => this.#hear())
    socket.on('ping', () => this.#hear())
    socket.on('close', () => this.#end())
    // A frame that is too large, or no frame at all: ws closes the connection with the fitting code.
    socket.on('error', () => this.#end())
  }

  /** Called every second or so: ends what has waited too long, or whose credential no longer holds. */
  tick(now: Date): void {
    const at = now.getTime()
    const { socketInitMs, socketIdleMs, socketPingMs } = this.#context.limits
    if (this.#state === 'closed') return
    if (this.#state !== 'ready' && at - this.#openedAt >= socketInitMs) this.close('initTimeout')
    else if (at - this.#heardAt >= socketIdleMs) this.close('idle')
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

  #end(): void {
    this.#state = 'closed'
    for (const { stop } of this.#operations.values()) stop?.()
    this.#operations.clear()
  }

  #hear(): void {
    this.#heardAt = this.#context.clock().getTime()
  }

  #receive(text: string | null): void {
    if (this.#state === 'closed') return
    this.#hear()
    const frame = text === null ? null : readFrame(text, this.#context.limits)
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
        this.#send(ponging)
        break
      case 'pong':
        break
      case 'subscribe':
        if (this.#state !== 'ready') this.close('tooEarly')
        else if (this.#operations.has(frame.id)) this.close('duplicateId')
        else void this.#start(frame)
        break
      case 'complete':
        this.#operations.get(frame.id)?.stop?.()
        this.#operations.delete(frame.id)
    }
  }

  async #initialise(payload: Readonly<Record<string, unknown>>): Promise<void> {
    this.#state = 'identifying'
    this.#credential = credentialOf(payload)
    try {
      this.#actor = await this.#context.identify(this.#credential, this.#context.clock())
      if ((this.#state as string) !== 'identifying') return
      this.#state = 'ready'
      this.#send(acknowledged)
    } catch (error) {
      // A refused credential; anything else is refused as well, and told to the log.
      if (!(error instanceof Failure)) this.#context.reportBug(error, this.#origin.requestId)
      this.close('forbidden')
    }
  }

  /** A token that expired, a user who was suspended, a session that ended. */
  async #recheck(now: Date): Promise<void> {
    try {
      await this.#context.identify(this.#credential, now)
    } catch (error) {
      // Only a credential that is refused ends the connection; a database that is away does not.
      if (error instanceof Failure && error.status === 401) this.close('forbidden')
    }
  }

  async #start({ id, payload }: Extract<ClientFrame, { type: 'subscribe' }>): Promise<void> {
    const operation: { stop?: () => void } = {}
    const isCurrent = () => this.#operations.get(id) === operation
    this.#operations.set(id, operation)
    try {
      await this.#run(id, payload, operation, isCurrent)
    } catch (error) {
      // Where an operation could not begin, its id is free again.
      if (!isCurrent()) return
      this.#operations.delete(id)
      this.#send(failed(id, this.#entriesOf(error)))
    }
  }

  async #run(
    id: string,
    payload: Parameters<typeof readRequest>[0],
    operation: { stop?: () => void },
    isCurrent: () => boolean,
  ): Promise<void> {
    const { face, limits } = this.#context
    if (this.#operations.size > limits.socketSubscriptions) {
      throw new Failure('RATE_LIMIT_EXCEEDED', {
        message: `At most ${limits.socketSubscriptions} operations run on one connection.`,
      })
    }
    const takeRequests: TakeRequests = (count) => this.#origin.takeRequests(this.#actor, count)
    await takeRequests(1)
    const request = readRequest(payload)
    const asker = { actor: this.#actor, requestId: this.#origin.requestId, isGone: () => !isCurrent() }
    const prepared = await face.prepare(request, asker)
    if (prepared.operation.type !== 'subscription') {
      const { body } = await face.run(prepared, asker, takeRequests)
      if (!isCurrent()) return
      this.#send(next(id, body))
      this.#operations.delete(id)
      this.#send(complete(id))
      return
    }
    const send = (result: string) => {
      if (isCurrent()) this.#send(next(id, result))
    }
    const hasRead = async () => {
      await this.#drained()
      return isCurrent()
    }
    const stop = await subscribe(
      prepared,
      { actor: this.#actor, resumeAfter: request.resumeAfter ?? null, send, hasRead },
      this.#context,
    )
    if (isCurrent()) operation.stop = stop
    else stop()
  }

  #entriesOf(error: unknown): readonly ErrorEntry[] {
    if (error instanceof Refusal) return error.errors
    if (error instanceof Failure) return [entryOf(error)]
    this.#context.reportBug(error, this.#origin.requestId)
    return [entryOf(new Failure('INTERNAL_ERROR'))]
  }

  /** A client that stops reading is ended by its silence. */
  async #drained(): Promise<void> {
    await turn()
    while (this.#state !== 'closed' && this.#socket.bufferedAmount > this.#context.limits.socketBufferBytes / 2) {
      await pause(drainPollMs)
    }
  }

  #send(text: string): void {
    if (this.#state === 'closed') return
    if (this.#socket.bufferedAmount > this.#context.limits.socketBufferBytes) this.close('tooSlow')
    else this.#socket.send(text)
  }
}

/** `Authorization` or `X-API-Key`, in any case, as headers are. One that is no text, or there twice, is no good one. */
function credentialOf(payload: Readonly<Record<string, unknown>>): Credential {
  const entries = Object.entries(payload).map(([name, value]) => [name.toLowerCase(), value] as const)
  const known = entries.filter(
    ([name, value]) => (name === 'authorization' || name === 'x-api-key') && value !== undefined && value !== null,
  )
  const isTwice = new Set(known.map(([name]) => name)).size < known.length
  return Object.fromEntries(known.map(([name, value]) => [name, typeof value === 'string' && !isTwice ? value : '']))
}
