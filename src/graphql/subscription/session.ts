// One WebSocket: the states of graphql-transport-ws, its operations, and everything that ends it. (contract 6.2)

import type { WebSocket } from 'ws'
import type { SharedRoom } from '../../budget/answer-room.ts'
import type { AnswerSize } from '../../budget/answer-size.ts'
import { clientGone, type Deadline, outOfTime } from '../../budget/deadline.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import { secretValuesIn } from '../../observation/secrets.ts'
import type { Traces } from '../../observation/trace.ts'
import type { Watch, WatchedReply, WatchedTrace } from '../../observation/watch.ts'
import type { Actor } from '../../resource/actor.ts'
import { type ErrorEntry, entryOf, Refusal } from '../error.ts'
import type { Asker } from '../execute/run-call.ts'
import type { Face, TakeRequests } from '../face.ts'
import { readRequest } from '../prepare/request.ts'
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
import { Outgoing, type OutgoingLimits } from './outgoing.ts'
import { type SubscribeContext, subscribe } from './subscribe.ts'

export interface SessionLimits extends OutgoingLimits {
  readonly jsonDepth: number
  readonly eventBatch: number
  readonly socketInitMs: number
  readonly socketPingMs: number
  readonly socketIdleMs: number
  readonly socketSubscriptions: number
  /** How long an operation may take, until its answer or until it is subscribed. */
  readonly executionTimeoutMs: number
}
export interface SessionContext extends SubscribeContext {
  readonly face: Face
  readonly limits: SessionLimits
  /** For the large answers of everybody. */
  readonly answers: SharedRoom
  readonly reportBug: (bug: unknown, requestId: string) => void
  /** The actor of this credential; fails as over HTTP. */
  readonly identify: (credential: Credential, now: Date) => Promise<Actor | null>
  readonly clock: () => Date
  /** Told of every operation: of a subscription when it begins. */
  readonly watch?: Watch | undefined
  readonly traces?: Traces | undefined
}
export interface Credential {
  readonly authorization?: string
  readonly 'x-api-key'?: string
}
/** What the upgrade request knew. */
export interface Origin {
  readonly requestId: string
  readonly address: string
  readonly takeRequests: (actor: Actor | null, count: number) => Promise<void>
}

export class Session {
  readonly #socket: WebSocket
  readonly #context: SessionContext
  readonly #origin: Origin
  readonly #openedAt: number
  readonly #outgoing: Outgoing
  #state: 'new' | 'identifying' | 'ready' | 'closed' = 'new'
  #credential: Credential = {}
  #clientName: string | undefined
  #actor: Actor | null = null
  #heardAt: number
  #pingedAt: number
  /** By id, how to end each; undefined while it is being started or is a query that still runs. */
  readonly #operations = new Map<string, { stop?: () => void }>()

  constructor(socket: WebSocket, origin: Origin, context: SessionContext) {
    this.#socket = socket
    this.#origin = origin
    this.#context = context
    this.#outgoing = new Outgoing(socket, context.limits, context.answers, () => this.close('tooSlow'))
    this.#openedAt = this.#heardAt = this.#pingedAt = performance.now()
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? null : String(data)))
    socket.on('pong', () => this.#hear())
    socket.on('ping', () => this.#hear())
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

  /** Cut off where it has left a large answer unread for so long, while others find no room for theirs. */
  letGoIfStalled(forMs: number): void {
    // A client that stops reading is otherwise ended by its silence.
    if (this.#outgoing.isStalled(forMs)) this.cutOff()
  }

  /** Ends the connection of a client that does not answer its close. */
  cutOff(): void {
    this.#socket.terminate()
  }

  #end(): void {
    this.#state = 'closed'
    for (const { stop } of this.#operations.values()) stop?.()
    this.#operations.clear()
    this.#outgoing.end()
  }

  #hear(): void {
    this.#heardAt = performance.now()
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
        this.#send(ponging(this.#reached()))
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

  /**
   * From where a client that comes back would miss nothing, though it has seen no event; null while something is being
   * started, or told of the past. (contract 6.3.1)
   */
  #reached(): string | null {
    const { outbox, feed } = this.#context
    const isLive = [...this.#operations.values()].every(({ stop }) => stop !== undefined)
    return this.#state === 'ready' && isLive ? outbox.id(feed.delivered) : null
  }

  async #initialise(payload: Readonly<Record<string, unknown>>): Promise<void> {
    this.#state = 'identifying'
    this.#credential = credentialOf(payload)
    this.#clientName = clientNameOf(payload)
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

  async #start(frame: Subscribe): Promise<void> {
    const { id, payload } = frame
    const operation: { stop?: () => void } = {}
    const isCurrent = () => this.#operations.get(id) === operation
    this.#operations.set(id, operation)
    const { requestId } = this.#origin
    const deadline = deadlineOf(isCurrent, this.#context.limits.executionTimeoutMs)
    const said = { secrets: () => [...Object.values(this.#credential), ...secretValuesIn(payload)] }
    const size = this.#outgoing.measure()
    const asker = { actor: this.#actor, requestId, deadline, clientName: this.#clientName, said, size }
    await this.#watched(() => this.#attempt(frame, operation, asker))
  }

  /** Tells whoever watches or traces of an operation. */
  async #watched(work: () => Promise<WatchedReply>): Promise<void> {
    const { watch, traces, clock } = this.#context
    const { requestId, address } = this.#origin
    const route = '/graphql'
    const asked = { method: 'WEBSOCKET', path: route, requestId, address }
    const begunMs = performance.now()
    let trace: WatchedTrace | null = null
    const begun = (its: WatchedTrace) => {
      trace = its
    }
    const traced = { ...asked, headers: {}, route: () => route }
    const reply = await (traces === undefined ? work() : traces.request(traced, begun, work))
    watch?.({ ...asked, route, principal: this.#actor, trace, now: clock() }, reply, performance.now() - begunMs)
  }

  /** Never rejects: its client is told of every failure. */
  async #attempt(frame: Subscribe, operation: { stop?: () => void }, asker: SocketAsker): Promise<WatchedReply> {
    const { id } = frame
    let failure: FailureCode | null
    try {
      failure = await this.#run(frame, operation, asker)
    } catch (error) {
      const entries = this.#entriesOf(error)
      failure = entries[0]!.extensions.code
      asker.size.release()
      // Where an operation could not begin, its id is free again.
      if (this.#operations.get(id) === operation) {
        this.#operations.delete(id)
        this.#send(failed(id, entries))
      } else failure = unheard(failure)
    }
    return { status: this.#state === 'closed' ? 0 : 200, failure, operation: asker.operation ?? null }
  }

  /** Answers what its client was told has failed. */
  async #run(
    { id, payload, failure: misfit }: Subscribe,
    operation: { stop?: () => void },
    asker: SocketAsker,
  ): Promise<FailureCode | null> {
    const isCurrent = () => this.#operations.get(id) === operation
    const { face, limits } = this.#context
    if (this.#operations.size > limits.socketSubscriptions) {
      throw new Failure('RATE_LIMIT_EXCEEDED', {
        message: `At most ${limits.socketSubscriptions} operations run on one connection.`,
      })
    }
    const takeRequests: TakeRequests = (count) => this.#origin.takeRequests(this.#actor, count)
    await takeRequests(1)
    if (misfit !== null) throw misfit
    const request = readRequest(payload, face.takesAnyId)
    const prepared = await face.prepare(request, asker)
    if (prepared.operation.type !== 'subscription') {
      const { body, failure } = await face.run(prepared, asker, takeRequests)
      if (isCurrent()) this.#outgoing.sendAnswer(next(id, body), asker.size)
      else asker.size.release()
      if (!isCurrent()) return unheard(failure)
      this.#operations.delete(id)
      this.#send(complete(id))
      return failure
    }
    const send = (result: string) => {
      if (isCurrent()) this.#outgoing.sendPayload(next(id, result))
    }
    const hasRead = async () => {
      await this.#outgoing.drained(() => this.#state !== 'closed')
      return isCurrent()
    }
    const stop = await subscribe(
      prepared,
      { actor: this.#actor, resumeAfter: request.resumeAfter ?? null, send, hasRead },
      this.#context,
    )
    if (isCurrent()) operation.stop = stop
    else stop()
    return null
  }

  #entriesOf(error: unknown): readonly ErrorEntry[] {
    if (error instanceof Refusal) return error.errors
    if (error instanceof Failure) return [entryOf(error)]
    this.#context.reportBug(error, this.#origin.requestId)
    return [entryOf(new Failure('INTERNAL_ERROR'))]
  }

  #send(text: string): void {
    if (this.#state !== 'closed') this.#outgoing.send(text)
  }
}

/** A failure of which nobody was told is none, but for a bug. */
const unheard = (failure: FailureCode | null): FailureCode | null => (failure === 'INTERNAL_ERROR' ? failure : null)

type Subscribe = Extract<ClientFrame, { type: 'subscribe' }>
type SocketAsker = Asker & { readonly size: AnswerSize }

/** Ends with its operation: when the client completes it, or the connection closes. */
function deadlineOf(isCurrent: () => boolean, timeLimitMs: number): Deadline {
  const endsAt = performance.now() + timeLimitMs
  const expired = () => (performance.now() < endsAt ? null : outOfTime)
  return { expired, ended: () => (isCurrent() ? expired() : clientGone) }
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

/** As the header of that name, which browsers cannot send with an upgrade. */
function clientNameOf(payload: Readonly<Record<string, unknown>>): string | undefined {
  const said = Object.entries(payload).find(([name]) => name.toLowerCase() === 'x-client-name')?.[1]
  return typeof said === 'string' ? said : undefined
}
