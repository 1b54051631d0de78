// A request as the pipeline sees it, built from node:http.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerRoom } from '../../budget/answer-room.ts'
import { AnswerSize } from '../../budget/answer-size.ts'
import { clientGone, outOfTime } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { Json } from '../../json/json.ts'
import { readJson } from '../../json/read-json.ts'
import type { Limits } from '../../limits.ts'
import { secretValuesIn } from '../../observation/secrets.ts'
import type { Principal, WatchedTrace } from '../../observation/watch.ts'
import type { Exchange } from '../message/exchange.ts'
import { requireJsonType } from '../message/media-type.ts'
import type { RequestBody } from './request-body.ts'
import { originForm } from './request-target.ts'

/** Only the pipeline may add headers. */
export interface ServerExchange extends Exchange {
  /** Such as `X-RateLimit-Limit`; also to an unexpected 500. */
  addHeader(name: string, value: string): void
  /** The pattern of the path, such as `/api/v2/posts/{id}`, once known. */
  route: string | null
  principal: Principal | null
  trace: WatchedTrace | null
}

export interface RequestHead {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}
export interface BodyReader {
  read(maxBytes: number): Promise<Uint8Array>
}
/** The receiver of the answer, such as a socket, which may disconnect. */
export interface Client {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}
export interface ExchangeOrigin<Body> {
  readonly target: string
  readonly body: Body | null
  readonly response: ServerResponse | null
  readonly client: Client
  /** The start in `performance.now()`; 0 without `watch`. */
  readonly begunMs: number
  readonly address: string
  readonly requestId: string
  readonly now: Date
  readonly limits: Pick<Limits, 'jsonDepth' | 'executionTimeoutMs' | 'answerBytes' | 'busyRetrySeconds'>
  readonly room: AnswerRoom
}

export class HttpExchange<Body extends BodyReader = RequestBody> implements ServerExchange {
  readonly method: string
  readonly path: string
  query: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly requestId: string
  readonly now: Date
  readonly expectsTooMuch: boolean
  readonly body: Body | null
  readonly added: string[] = []
  readonly response: ServerResponse | null
  route: string | null = null
  principal: Principal | null = null
  asService = false
  trace: WatchedTrace | null = null
  readonly begunMs: number
  endsConnection = false
  readonly #client: Client
  readonly #limits: ExchangeOrigin<Body>['limits']
  /** Restarts when the body has arrived. */
  #arrivedAt = performance.now()
  #timeLimitMs: number
  readonly #room: AnswerRoom
  #deadline: AbortController | null = null
  #timer: NodeJS.Timeout | undefined
  #size: AnswerSize | null = null
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

  async json(maxBytes: number, roundsNumbers = false): Promise<Json> {
    const json = await this.jsonIfSent(maxBytes, roundsNumbers)
    if (json === undefined) throw new Failure('VALIDATION_ERROR', { message: 'A JSON body is missing.' })
    return json
  }

  async jsonIfSent(maxBytes: number, roundsNumbers = false): Promise<Json | undefined> {
    if (this.body === null) return undefined
    const isLengthKnown = this.headers['content-length'] !== undefined
    if (isLengthKnown) requireJsonType(this.headers)
    const bytes = this.#bytes ?? this.#arrived(await this.body.read(maxBytes).catch((error) => this.#refuse(error)))
    if (!isLengthKnown && bytes.length === 0) return undefined
    requireJsonType(this.headers)
    this.#json = readJson(bytes, { jsonDepth: this.#limits.jsonDepth, roundsNumbers })
    return this.#json
  }

  /** A wrong media type takes precedence over other problems of a body. (contract 4.1) */
  #refuse(error: unknown): never {
    requireJsonType(this.headers)
    throw error
  }

  async bytes(maxBytes: number): Promise<Uint8Array> {
    this.#bytes ??= this.body === null ? noBytes : this.#arrived(await this.body.read(maxBytes))
    return this.#bytes
  }

  #arrived(bytes: Uint8Array): Uint8Array {
    this.#arrivedAt = performance.now()
    return bytes
  }

  /** Infinite for an endless one. */
  beginStream(timeLimitMs: number): void {
    this.#arrivedAt = performance.now()
    this.#timeLimitMs = timeLimitMs
    if (this.#deadline !== null) this.#armDeadline(this.#deadline)
  }

  secrets(): readonly string[] {
    const { authorization = '', cookie = '', 'x-api-key': apiKey = '', 'x-access-code': code = '' } = this.headers
    const cookies = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    const credentials = [authorization, authorization.replace(/^\S+\s+/, ''), ...cookies, String(apiKey)]
    return [
      ...credentials,
      ...String(code)
        .split(',')
        .map((each) => each.trim()),
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

  /** To be called when the answer has been sent or will not be sent. */
  releaseAnswer(): void {
    this.#size?.release()
  }

  get signal(): AbortSignal {
    this.#deadline ??= this.#startDeadline()
    return this.#deadline.signal
  }

  #startDeadline(): AbortController {
    // A response closes after every answer, a connection only after its last.
    const client = this.response ?? this.#client
    const deadline = new AbortController()
    if (client.destroyed) deadline.abort(clientGone)
    else this.#armDeadline(deadline)
    // 'close' follows every answer, when the signal has no listeners any more.
    client.once('close', () => {
      clearTimeout(this.#timer)
      deadline.abort(clientGone)
    })
    return deadline
  }

  #armDeadline(deadline: AbortController): void {
    clearTimeout(this.#timer)
    if (this.#timeLimitMs === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => deadline.abort(outOfTime), this.#timeLimitMs)
  }
}

const noBytes = new Uint8Array()

/** Whether the client waits for `100 Continue`. HTTP/1.0 has no interim answers. (RFC 9110 10.1.1) */
export const waitsToSend = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  headers.expect !== undefined && httpVersionMinor !== 0 && isToContinue(headers.expect)

const isToContinue = (expect: string): boolean => expect.toLowerCase() === '100-continue'
