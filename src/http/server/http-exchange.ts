// One request as the server hands it to the pipeline, made from what node:http knows.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerRoom } from '../../budget/answer-room.ts'
import { AnswerSize } from '../../budget/answer-size.ts'
import { clientGone, outOfTime } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { secretValuesIn } from '../../observation/secrets.ts'
import type { Principal, WatchedTrace } from '../../observation/watch.ts'
import type { Exchange, Json } from '../message/exchange.ts'
import { requireJsonType } from '../message/media-type.ts'
import { readJson } from '../message/read-json.ts'
import type { RequestBody } from './request-body.ts'
import { originForm } from './request-target.ts'

/** An exchange to which the pipeline, and no face, may add headers: to the answer, whichever it becomes. */
export interface ServerExchange extends Exchange {
  /** Adds a header, such as `X-RateLimit-Limit`. It goes out as well when the answer is a 500 that nobody foresaw. */
  addHeader(name: string, value: string): void
  /** Set once it is known, for whoever watches: the pattern of the path, such as `/api/v2/posts/{id}`. */
  route: string | null
  /** Set once it is known, for whoever watches. */
  principal: Principal | null
  /** Set where the request is traced. */
  trace: WatchedTrace | null
}

/** The head of a request: an IncomingMessage has it, and whatever else can say as much. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}
/** Reads the body that a head announces, once. */
export interface BodyReader {
  read(maxBytes: number): Promise<Uint8Array>
}
/** Whoever waits for the answer, as far as they can leave: a socket has it, and whatever else can tell as much. */
export interface Client {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}
export interface ExchangeOrigin<Body> {
  /** What it asks for, as the request line has it. */
  readonly target: string
  /** Null where none is announced. */
  readonly body: Body | null
  /** Null for an upgrade, and where node:http is not there. */
  readonly response: ServerResponse | null
  readonly client: Client
  /** When it began, on the clock of `performance.now()`; 0 where nobody watches. */
  readonly begunMs: number
  readonly address: string
  readonly requestId: string
  readonly now: Date
  readonly limits: Pick<Limits, 'jsonDepth' | 'executionTimeoutMs' | 'answerBytes' | 'busyRetrySeconds'>
  /** For the answers on this connection. */
  readonly room: AnswerRoom
}

export class HttpExchange<Body extends BodyReader = RequestBody> implements ServerExchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly requestId: string
  readonly now: Date
  /** True where it expects what nobody here can do. */
  readonly expectsTooMuch: boolean
  readonly body: Body | null
  /** Names and values in turn. */
  readonly added: string[] = []
  readonly response: ServerResponse | null
  route: string | null = null
  principal: Principal | null = null
  asService = false
  trace: WatchedTrace | null = null
  readonly begunMs: number
  /** Set where the connection must not outlive the answer. */
  endsConnection = false
  readonly #client: Client
  readonly #limits: ExchangeOrigin<Body>['limits']
  /** In the milliseconds of `performance.now()`; it arrives anew with its body. */
  #arrivedAt = performance.now()
  #timeLimitMs: number
  readonly #room: AnswerRoom
  #deadline: AbortController | null = null
  #timer: NodeJS.Timeout | undefined
  #size: AnswerSize | null = null
  /** The body, once it was read. */
  #json: Json = null
  #bytes: Uint8Array | null = null

  constructor(head: RequestHead, origin: ExchangeOrigin<Body>) {
    this.method = head.method!
    const { target, host } = originForm(this.method, origin.target)
    const mark = target.indexOf('?')
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? '' : target.slice(mark + 1)
    this.headers = head.headers
    if (host !== null) this.headers.host = host
    this.address = origin.address
    this.requestId = origin.requestId
    this.now = origin.now
    this.begunMs = origin.begunMs
    this.expectsTooMuch = head.headers.expect !== undefined && !isToContinue(head.headers.expect)
    this.body = origin.body
    this.response = origin.response
    this.#client = origin.client
    this.#limits = origin.limits
    this.#timeLimitMs = origin.limits.executionTimeoutMs
    this.#room = origin.room
  }

  get hasBody(): boolean {
    return this.body !== null
  }

  addHeader(name: string, value: string): void {
    this.added.push(name, value)
  }

  async json(maxBytes: number): Promise<Json> {
    if (this.body === null) throw new Failure('VALIDATION_ERROR', { message: 'A JSON body is missing.' })
    requireJsonType(this.headers)
    this.#json = readJson(this.#bytes ?? this.#arrived(await this.body.read(maxBytes)), this.#limits)
    return this.#json
  }

  async bytes(maxBytes: number): Promise<Uint8Array> {
    this.#bytes ??= this.body === null ? noBytes : this.#arrived(await this.body.read(maxBytes))
    return this.#bytes
  }

  #arrived(bytes: Uint8Array): Uint8Array {
    this.#arrivedAt = performance.now()
    return bytes
  }

  /** From now on its time limit is that of an answer which is made while it is sent. */
  beginStream(timeLimitMs: number): void {
    this.#arrivedAt = performance.now()
    this.#timeLimitMs = timeLimitMs
    if (this.#deadline !== null) this.#armDeadline(this.#deadline)
  }

  secrets(): readonly string[] {
    const { authorization = '', cookie = '', 'x-api-key': apiKey = '', 'x-access-code': code = '' } = this.headers
    const cookies = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    const credentials = [authorization, authorization.replace(/^\S+\s+/, ''), ...cookies, String(apiKey), String(code)]
    return [
      ...credentials,
      ...secretValuesIn(Object.fromEntries(new URLSearchParams(this.query))),
      ...secretValuesIn(this.#json),
    ]
  }

  ended(): Failure | null {
    return this.#client.destroyed ? clientGone : this.expired()
  }

  expired(): Failure | null {
    return performance.now() - this.#arrivedAt < this.#timeLimitMs ? null : outOfTime
  }

  get size(): AnswerSize {
    this.#size ??= new AnswerSize(this.#limits, this.#room)
    return this.#size
  }

  /** To be called when its answer has left, or will not be sent. */
  releaseAnswer(): void {
    this.#size?.release()
  }

  get signal(): AbortSignal {
    this.#deadline ??= this.#startDeadline()
    return this.#deadline.signal
  }

  #startDeadline(): AbortController {
    // A response is through after every answer, a connection only after its last.
    const client = this.response ?? this.#client
    const deadline = new AbortController()
    if (client.destroyed) deadline.abort(clientGone)
    else this.#armDeadline(deadline)
    // 'close' comes after every answer, too; nobody listens to the signal then.
    client.once('close', () => {
      clearTimeout(this.#timer)
      deadline.abort(clientGone)
    })
    return deadline
  }

  #armDeadline(deadline: AbortController): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => deadline.abort(outOfTime), this.#timeLimitMs)
  }
}

const noBytes = new Uint8Array()

/** True where the client sends the body once it is told to. HTTP/1.0 cannot wait for an interim answer. (RFC 9110 10.1.1) */
export const waitsToSend = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersionMinor !== 0 && isToContinue(headers.expect)

const isToContinue = (expect: string): boolean => expect.toLowerCase() === '100-continue'
