// One operation of a WebSocket: a query until its answer, a subscription until either side ends it.

import type { AnswerSize } from '../../budget/answer-size.ts'
import type { Position } from '../../event/outbox.ts'
import type { Subscription } from '../../event/subscription.ts'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import { secretValuesIn } from '../../observation/secrets.ts'
import type { Traces } from '../../observation/trace.ts'
import type { Watch, WatchedReply, WatchedTrace } from '../../observation/watch.ts'
import { actorOf, type Requester } from '../../resource/actor.ts'
import { type ErrorEntry, entryOf, Refusal } from '../error.ts'
import type { Executed } from '../execute/execute.ts'
import type { Caller } from '../execute/run-call.ts'
import type { Face, TakeRequests, Takes } from '../face.ts'
import type { PreparedOperation } from '../prepare/prepare.ts'
import { readRequest } from '../prepare/request.ts'
import type { CredentialHeaders } from './connection-init.ts'
import { type ClientFrame, complete, failed, next } from './frame.ts'
import type { Outgoing } from './outgoing.ts'
import { SocketRequest } from './socket-request.ts'
import { type SubscribeContext, subscribe } from './subscribe.ts'

export interface OperationDependencies extends SubscribeContext {
  readonly face: Face
  readonly limits: SubscribeContext['limits'] & {
    readonly executionTimeoutMs: number
  }
  readonly reportBug: (bug: unknown, requestId: string) => void
  readonly clock: () => Date
  /** Called for every operation; for a subscription at its start. */
  readonly watch?: Watch | undefined
  readonly traces?: Traces | undefined
}
export interface Origin {
  readonly requestId: string
  readonly address: string
  readonly agent: string | null
  readonly takes: (actor: Requester) => Takes
}
export interface OperationConnection {
  readonly origin: Origin
  readonly actor: Requester
  readonly credential: CredentialHeaders
  readonly clientName: string | undefined
  readonly outgoing: Outgoing
  readonly isOpen: () => boolean
  /** Fails with RATE_LIMIT_EXCEEDED beyond the limit of concurrent operations. */
  readonly requireRoom: () => void
  /** Called when the operation ends by itself, to free its id. */
  readonly remove: (id: string) => void
}
export type SubscribeFrame = Extract<ClientFrame, { type: 'subscribe' }>
type SocketCaller = Caller & { readonly size: AnswerSize }

export class Operation {
  readonly #id: string
  readonly #connection: OperationConnection
  readonly #dependencies: OperationDependencies
  #isEnded = false
  #request: SocketRequest | null = null
  /** Null for a query, and until a subscription is authorized. */
  #subscription: Subscription | null = null

  constructor(id: string, connection: OperationConnection, dependencies: OperationDependencies) {
    this.#id = id
    this.#connection = connection
    this.#dependencies = dependencies
  }

  /** True once a subscription has caught up with past events. */
  get isLive(): boolean {
    return this.#subscription?.isLive ?? false
  }

  /** Every event up to here was sent; null if it is no subscription. */
  get reached(): Position | null {
    return this.#subscription?.reached ?? null
  }

  stop(): void {
    this.#isEnded = true
    this.#request?.end()
    this.#subscription?.stop()
  }

  /** Never rejects: failures are sent to the client. */
  async start(frame: SubscribeFrame): Promise<void> {
    const { actor, clientName, credential, origin, outgoing } = this.#connection
    const { requestId } = origin
    const now = this.#dependencies.clock()
    const secrets = () => [...Object.values(credential), ...secretValuesIn(frame.payload)]
    const request = new SocketRequest({ requestId, now, secrets }, this.#dependencies.limits.executionTimeoutMs)
    this.#request = request
    const takes = origin.takes(actor)
    const sender = { id: requestId, address: origin.address, agent: origin.agent }
    const caller = {
      actor,
      requestId,
      origin: sender,
      requestTime: now,
      deadline: request,
      request,
      clientName,
      size: outgoing.measure(),
      takeRoute: takes.takeRoute,
    }
    await this.#watched(request, () => this.#attempt(frame, caller, takes.takeRequests))
  }

  async #watched(socketRequest: SocketRequest, work: () => Promise<WatchedReply>): Promise<void> {
    const { watch, traces, clock } = this.#dependencies
    const { origin, actor } = this.#connection
    const route = '/graphql'
    const request = { method: 'WEBSOCKET', path: route, requestId: origin.requestId, address: origin.address }
    const begunMs = performance.now()
    let trace: WatchedTrace | null = null
    const begin = (its: WatchedTrace) => {
      trace = its
    }
    const traced = { ...request, headers: {}, route: () => route, asService: () => socketRequest.asService }
    const reply = await (traces === undefined ? work() : traces.request(traced, begin, work))
    const { asService } = socketRequest
    const watched = { ...request, route, principal: actorOf(actor), asService, trace, now: clock() }
    watch?.(watched, reply, performance.now() - begunMs)
  }

  async #attempt(frame: SubscribeFrame, caller: SocketCaller, takeRequests: TakeRequests): Promise<WatchedReply> {
    let failure: FailureCode | null
    try {
      failure = await this.#run(frame, caller, takeRequests)
    } catch (error) {
      failure = this.#fail(error, caller)
    }
    return { status: this.#connection.isOpen() ? 200 : 0, failure, operation: caller.operation ?? null }
  }

  /** Returns the failure sent to the client. */
  async #run(
    { payload, failure }: SubscribeFrame,
    caller: SocketCaller,
    takeRequests: TakeRequests,
  ): Promise<FailureCode | null> {
    const { requireRoom } = this.#connection
    const { face } = this.#dependencies
    requireRoom()
    await takeRequests(1)
    if (failure !== null) throw failure
    const request = readRequest(payload, face.takesAnyId)
    const prepared = await face.prepare(request, caller)
    if (prepared.operation.type === 'subscription') {
      await this.#subscribe(prepared, request.resumeAfter ?? null)
      return null
    }
    return this.#answer(await face.run(prepared, caller, takeRequests), caller.size)
  }

  #answer({ body, failure }: Executed, size: AnswerSize): FailureCode | null {
    const id = this.#id
    const { outgoing } = this.#connection
    if (this.#isEnded) size.release()
    else outgoing.sendAnswer(next(id, body), size)
    // The answer exceeded a slow reader's limit, and the connection has ended.
    if (this.#isEnded) return unheard(failure)
    this.#end()
    outgoing.send(complete(id))
    return failure
  }

  async #subscribe(prepared: PreparedOperation, resumeAfter: string | null): Promise<void> {
    const { outgoing, actor, isOpen } = this.#connection
    const send = (result: string) => {
      if (!this.#isEnded) outgoing.sendPayload(next(this.#id, result))
    }
    const hasRead = async () => {
      await outgoing.drained(isOpen)
      return !this.#isEnded
    }
    const end = (failure: Failure) => {
      this.#subscription?.stop()
      if (!this.#isEnded) outgoing.send(failed(this.#id, [entryOf(failure)]))
      this.#end()
    }
    const subscription = await subscribe(prepared, { actor, resumeAfter, send, end, hasRead }, this.#dependencies)
    if (this.#isEnded) return
    this.#subscription = subscription
    await subscription.start()
  }

  #fail(error: unknown, { size }: SocketCaller): FailureCode | null {
    const entries = this.#entriesOf(error)
    const { code } = entries[0]!.extensions
    size.release()
    if (this.#isEnded) return unheard(code)
    this.#end()
    this.#connection.outgoing.send(failed(this.#id, entries))
    return code
  }

  #entriesOf(error: unknown): readonly ErrorEntry[] {
    if (error instanceof Refusal) return error.errors
    if (error instanceof Failure) return [entryOf(error)]
    this.#dependencies.reportBug(error, this.#connection.origin.requestId)
    return [entryOf(new Failure('INTERNAL_ERROR'))]
  }

  #end(): void {
    this.#isEnded = true
    this.#request?.end()
    this.#connection.remove(this.#id)
  }
}

/** Unsent failures are not reported, except bugs. */
const unheard = (failure: FailureCode | null): FailureCode | null => (failure === 'INTERNAL_ERROR' ? failure : null)
