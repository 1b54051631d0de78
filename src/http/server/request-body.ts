// Reads the body of a request: whole, no larger than allowed, or not at all.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure, invariant } from '../../failure/failure.ts'
import type { ByteBudget } from './byte-budget.ts'

/** The body that a request announced. It is read once or never. */
export class RequestBody {
  /** Set where nothing more can be read: why. */
  #broken: Failure | null = null
  #reject: ((failure: Failure) => void) | null = null
  #isRead = false
  readonly #request: IncomingMessage
  /** Where the client waits for `100 Continue` before it sends the body. */
  readonly #waiting: ServerResponse | null
  readonly #budget: ByteBudget
  /** How long it may take; null where the parser keeps the time. */
  readonly #timeoutMs: number | null
  #heldBytes = 0

  constructor(
    request: IncomingMessage,
    waiting: ServerResponse | null,
    budget: ByteBudget,
    timeoutMs: number | null = null,
  ) {
    this.#request = request
    this.#waiting = waiting
    this.#budget = budget
    this.#timeoutMs = timeoutMs
  }

  /** True where a head announces a body, be it empty in the end. */
  static isAnnounced({ headers }: IncomingMessage): boolean {
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  }

  /**
   * Resolves with all bytes.
   * PAYLOAD_TOO_LARGE as soon as there are or will be more than `maxBytes`, SERVICE_UNAVAILABLE where everybody's bodies
   * are too much together, and what `breakOff` was told.
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

  /** Ends all reading, now or later, with this failure: the rest of the body will not come or cannot be understood. */
  breakOff(failure: Failure): void {
    this.#broken ??= failure
    if (this.#reject === null) return
    this.#request.removeAllListeners('data').pause()
    this.#reject(failure)
  }

  /** True where the connection cannot go on after the answer, for what is still to come is too much or unknowable. */
  endsConnection(unreadBytesMax: number): boolean {
    if (this.#broken !== null) return true
    if (!this.isComing) return false
    const announced = this.#request.headers['content-length']
    return announced === undefined || Number(announced) > unreadBytesMax
  }

  /** True while more of it is on its way. */
  get isComing(): boolean {
    return !this.#request.complete
  }

  /** Reads on without keeping anything. */
  discard(): void {
    this.#request.resume()
  }

  /** The request has its answer: nothing made of the body is needed any more. */
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
      // No function of its own: the variables of this one would outlive the request with it, and be copied by each
      // collection of garbage. (80 MB under load, and every second one that takes 25 ms)
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

/** Why a body cannot be read that somebody else has read before. */
export const bodyTaken = new Failure('INTERNAL_ERROR', {
  message:
    'The host has read the body of this request. Mount the handler before whatever reads bodies, such as express.json().',
})
export const tooManyBodies = new Failure('SERVICE_UNAVAILABLE', {
  message: 'Too much is being sent at the moment.',
  retryAfterSeconds: 2,
})
export const bodyEnded = new Failure('VALIDATION_ERROR', { message: 'The body ended before it was complete.' })
