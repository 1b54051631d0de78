// Counts an answer while it is built, to stop before it is too large. (contract 8.4.6)

import { Failure } from '../failure/failure.ts'
import type { AnswerRoom } from './answer-room.ts'

export interface AnswerLimits {
  readonly answerBytes: number
  readonly busyRetrySeconds: number
}

/** Memory is reserved in such steps, from the second on: most answers reserve nothing. */
const stepBytes = 65_536
const errorChars = 256
/** Reads beyond the answer's limit: keys, and the record after a page. */
const readMarginChars = 1_048_576

/** The size of one answer. `release` returns its reservation. */
export class AnswerSize {
  /** Null while the answer may grow. */
  failure: Failure | null = null
  /** Each takes at least one byte. */
  chars = 0
  #free = stepBytes
  #held = 0
  #charsMax: number
  /** While reading, and the most that all statements so far can read. */
  #read = 0
  #readable = 0
  readonly #limits: AnswerLimits
  readonly #room: AnswerRoom

  constructor(limits: AnswerLimits, room: AnswerRoom) {
    this.#limits = limits
    this.#room = room
    this.#charsMax = limits.answerBytes
    this.#free = Math.min(stepBytes, limits.answerBytes)
  }

  /** Fails with QUERY_TOO_COMPLEX beyond the limit, SERVICE_UNAVAILABLE without memory. */
  grow(chars: number): void {
    this.chars = chars
    if (chars > this.#free) this.#extend(chars, this.#charsMax)
  }

  /** Announces a read. True if the total may exceed the limit, so `addRead` must count it. */
  needsCount(charsMax: number): boolean {
    this.#readable += charsMax
    return this.#readable > this.#charsMax + readMarginChars
  }

  get readableChars(): number {
    return this.#charsMax + readMarginChars - this.#read
  }

  /** For printing, memory is reserved. Fails like `grow`. */
  addRead(chars: number): void {
    this.#read += chars
    if (chars > 0 && this.#read > this.#free) this.#extend(this.#read, this.#charsMax + readMarginChars)
  }

  /** Counts an error. Fails like `grow`. */
  addError(): void {
    this.#free -= errorChars
    this.#charsMax -= errorChars
    if (this.chars > this.#free) this.#extend(this.chars, this.#charsMax)
  }

  /** From now on counts bytes. Fails like `grow`. */
  finish(body: string): void {
    // A character takes at most three bytes.
    if (this.#held === 0 && body.length * 3 <= Math.min(stepBytes, this.#limits.answerBytes)) return
    const bytes = Buffer.byteLength(body)
    if (bytes > this.#limits.answerBytes) this.#fail(this.#tooLarge())
    this.hold(bytes)
  }

  /** Reserves this many bytes in all. Fails with SERVICE_UNAVAILABLE. */
  hold(bytes: number): void {
    const more = bytes - this.#held
    if (more < 0) this.#room.give(-more)
    else if (!this.#room.take(more)) this.#fail(this.#noRoom())
    this.#held = bytes
  }

  get heldBytes(): number {
    return this.#held
  }

  /** To be called when the answer was sent or will not be sent. */
  release(): void {
    this.#room.give(this.#held)
    this.#held = 0
  }

  #extend(chars: number, charsMax: number): void {
    if (chars > charsMax) this.#fail(this.#tooLarge())
    const more = Math.ceil((chars - this.#free) / stepBytes) * stepBytes
    if (!this.#room.take(more)) this.#fail(this.#noRoom())
    this.#held += more
    this.#free += more
  }

  #fail(failure: Failure): never {
    // Concurrent statements fail with the same object, which identifies the failure.
    this.failure ??= failure
    throw this.failure
  }

  #tooLarge(): Failure {
    const message = `The answer exceeds the maximum of ${this.#limits.answerBytes} bytes.`
    return new Failure('QUERY_TOO_COMPLEX', { message })
  }

  #noRoom(): Failure {
    return new Failure('SERVICE_UNAVAILABLE', {
      message: 'Too many large answers are being made at the moment.',
      retryAfterSeconds: this.#limits.busyRetrySeconds,
    })
  }
}

export const unlimitedSize = new AnswerSize(
  { answerBytes: Number.POSITIVE_INFINITY, busyRetrySeconds: 0 },
  { take: () => true, give: () => undefined },
)
