// Reads the body of a request, up to a maximal size.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SharedRoom } from '../../budget/answer-room.ts'
import { Failure, invariant } from '../../failure/failure.ts'

/** Read once or never. */
export class RequestBody {
  #broken: Failure | null = null
  #reject: ((failure: Failure) => void) | null = null
  #isRead = false
  readonly #request: IncomingMessage
  readonly #waiting: ServerResponse | null
  readonly #budget: SharedRoom
  /** Null if the parser limits the time. */
  readonly #timeoutMs: number | null
  #heldBytes = 0

  constructor(
    request: IncomingMessage,
    waiting: ServerResponse | null,
    budget: SharedRoom,
    timeoutMs: number | null = null,
  ) {
    this.#request = request
    this.#waiting = waiting
    this.#budget = budget
    this.#timeoutMs = timeoutMs
  }

  /** True for an announced body, even if it turns out empty. */
  static isAnnounced({ headers }: IncomingMessage): boolean {
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  }

  /**
   * PAYLOAD_TOO_LARGE beyond `maxBytes`, SERVICE_UNAVAILABLE if all bodies are too large together, or the failure of
   * `breakOff`.
   */
  read(maxBytes: number): Promise<Uint8Array> {
    invariant(!this.#isRead, 'a body is read once')
    this.#isRead = true
    const request = this.#request
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) this.breakOff(new Failure('PAYLOAD_TOO_LARGE'))
    if (request.destroyed) this.breakOff(bodyEnded)
    if (this.#broken !== null) return Promise.reject(this.#broken)
    this.#waiting?.writeContinue()
    return this.#collect(maxBytes)
  }

  /** Fails the current or a later read: the rest will not arrive or cannot be parsed. */
  breakOff(failure: Failure): void {
    this.#broken ??= failure
    if (this.#reject === null) return
    this.#request.removeAllListeners('data').pause()
    this.#reject(failure)
  }

  /** The rest of the body is too large or of unknown length. */
  endsConnection(unreadBytesMax: number): boolean {
    if (this.#broken !== null) return true
    if (!this.isComing) return false
    const announced = this.#request.headers['content-length']
    return announced === undefined || Number(announced) > unreadBytesMax
  }

  get isComing(): boolean {
    return !this.#request.complete
  }

  discard(): void {
    this.#request.resume()
  }

  /** To be called after the answer: frees the budget. */
  release(): void {
    this.#budget.give(this.#heldBytes)
    this.#heldBytes = 0
  }

  #hold(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false
    this.#heldBytes += bytes
    return true
  }

  #collect(maxBytes: number): Promise<Uint8Array> {
    const request = this.#request
    const chunks: Uint8Array[] = []
    let length = 0
    const take = (chunk: Uint8Array): void => {
      length += chunk.length
      if (length > maxBytes) this.breakOff(new Failure('PAYLOAD_TOO_LARGE'))
      else if (this.#hold(chunk.length)) chunks.push(chunk)
      else this.breakOff(tooManyBodies)
    }
    return new Promise((resolve, reject) => {
      // Closures would outlive the request (80 MB under load, and every second collection takes 25 ms).
      this.#reject = reject
      request.on('data', take)
      request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)))
      request.once('close', () => request.complete || this.breakOff(bodyEnded))
      if (this.#timeoutMs !== null) this.#breakOffAfter(this.#timeoutMs)
    })
  }

  #breakOffAfter(waitMs: number): void {
    const timer = setTimeout(() => this.breakOff(new Failure('REQUEST_TIMEOUT')), waitMs)
    this.#request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
  }
}

export const bodyTaken = new Failure('INTERNAL_ERROR', {
  message:
    'The host has read the body of this request. Mount the handler before whatever reads bodies, such as express.json().',
})
export const tooManyBodies = new Failure('SERVICE_UNAVAILABLE', {
  message: 'Too much is being sent at the moment.',
  retryAfterSeconds: 2,
})
export const bodyEnded = new Failure('VALIDATION_ERROR', { message: 'The body ended before it was complete.' })
