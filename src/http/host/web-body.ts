// Reads the body of a fetch request, up to a maximal size.

import type { SharedRoom } from '../../budget/answer-room.ts'
import { Failure, invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { BodyReader } from '../server/http-exchange.ts'
import { bodyEnded, bodyTaken, tooManyBodies } from '../server/request-body.ts'

interface BodyDependencies {
  readonly budget: SharedRoom
  readonly limits: Pick<Limits, 'requestTimeoutMs'>
}
type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

export class WebBody implements BodyReader {
  readonly #request: Request
  readonly #dependencies: BodyDependencies
  /** Null if the host has read the body. */
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null
  #first: Chunk | null = null
  #heldBytes = 0
  #isRead = false

  private constructor(request: Request, dependencies: BodyDependencies) {
    this.#request = request
    this.#dependencies = dependencies
    const { body, bodyUsed } = request
    this.#reader = bodyUsed || body === null || body.locked ? null : body.getReader()
  }

  /** Null if there is no body. A body that the host has read counts. */
  static async of(request: Request, dependencies: BodyDependencies): Promise<WebBody | null> {
    const { method, headers } = request
    if (method === 'GET' || method === 'HEAD') return null
    const length = headers.get('content-length')
    if (length === '0' || (request.body === null && !request.bodyUsed)) return null
    const body = new WebBody(request, dependencies)
    // Some runtimes create an empty stream without a body; only reading shows that.
    const isAnnounced = length !== null || headers.has('transfer-encoding')
    return isAnnounced || !(await body.#isEmpty()) ? body : null
  }

  /**
   * PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, SERVICE_UNAVAILABLE, VALIDATION_ERROR if it breaks off, INTERNAL_ERROR if the host has
   * read it.
   */
  async read(maxBytes: number): Promise<Uint8Array> {
    invariant(!this.#isRead, 'a body is read once')
    this.#isRead = true
    const reader = this.#reader
    if (reader === null) throw bodyTaken
    if (Number(this.#request.headers.get('content-length') ?? 0) > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
    try {
      return await this.#within(this.#collect(reader, maxBytes))
    } catch (thrown) {
      // Not awaited: the host may take long to stop.
      reader.cancel().catch(() => undefined)
      throw thrown instanceof Failure ? thrown : bodyEnded
    }
  }

  /** To be called after the answer: frees the budget. */
  release(): void {
    this.#dependencies.budget.give(this.#heldBytes)
    this.#heldBytes = 0
  }

  async #isEmpty(): Promise<boolean> {
    if (this.#reader === null) return false
    try {
      // An empty chunk does not mean an empty body.
      do this.#first = await this.#within(this.#reader.read())
      while (this.#first.value?.length === 0)
      return this.#first.done
    } catch {
      // Reported when the body is read.
      return false
    }
  }

  async #within<T>(work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const waitMs = this.#dependencies.limits.requestTimeoutMs
    const timer = setTimeout(() => reject(new Failure('REQUEST_TIMEOUT')), waitMs)
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #collect(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    for (let next = this.#first ?? (await reader.read()); !next.done; next = await reader.read()) {
      length += next.value.length
      if (length > maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
      if (!this.#dependencies.budget.take(next.value.length)) throw tooManyBodies
      this.#heldBytes += next.value.length
      chunks.push(next.value)
    }
    this.#first = null
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)
  }
}
