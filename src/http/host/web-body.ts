// Reads the body of a fetch request: whole, no larger than allowed, or not at all.

import { Failure, invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { ByteBudget } from '../server/byte-budget.ts'
import type { BodyReader } from '../server/http-exchange.ts'
import { bodyEnded, bodyTaken, tooManyBodies } from '../server/request-body.ts'

export class WebBody implements BodyReader {
  readonly #request: Request
  readonly #budget: ByteBudget
  readonly #limits: Pick<Limits, 'requestTimeoutMs'>
  #heldBytes = 0
  #isRead = false

  constructor(request: Request, budget: ByteBudget, limits: Pick<Limits, 'requestTimeoutMs'>) {
    this.#request = request
    this.#budget = budget
    this.#limits = limits
  }

  /** True where there is one, be it empty in the end. A body that the host has read is there as well. */
  static isAnnounced(request: Request): boolean {
    const { method } = request
    if (method === 'GET' || method === 'HEAD') return false
    return (request.body !== null || request.bodyUsed) && request.headers.get('content-length') !== '0'
  }

  /**
   * Resolves with all bytes. PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE where everybody's bodies are too much together,
   * REQUEST_TIMEOUT, VALIDATION_ERROR where it breaks off, and INTERNAL_ERROR where the host has read it.
   */
  async read(maxBytes: number): Promise<Uint8Array> {
    invariant(!this.#isRead, 'a body is read once')
    this.#isRead = true
    const { bodyUsed, body, headers } = this.#request
    if (bodyUsed || body === null || body.locked) throw bodyTaken
    if (Number(headers.get('content-length') ?? 0) > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
    const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Failure('REQUEST_TIMEOUT')), this.#limits.requestTimeoutMs)
    })
    try {
      return await Promise.race([this.#collect(reader, maxBytes), late])
    } catch (thrown) {
      // Nothing waits for it: the host may take its time to stop sending.
      reader.cancel().catch(() => undefined)
      throw thrown instanceof Failure ? thrown : bodyEnded
    } finally {
      clearTimeout(timer)
    }
  }

  /** The request has its answer: nothing made of the body is needed any more. */
  release(): void {
    this.#budget.give(this.#heldBytes)
    this.#heldBytes = 0
  }

  async #collect(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)
      length += value.length
      if (length > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
      if (!this.#budget.take(value.length)) throw tooManyBodies
      this.#heldBytes += value.length
      chunks.push(value)
    }
  }
}
