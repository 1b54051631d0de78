// How large an answer becomes: counted while it is read and made, so that nothing is made that is too large to be sent.
// (contract 8.4.6)

import { Failure } from '../failure/failure.ts'
import type { AnswerRoom } from './answer-room.ts'

export interface AnswerLimits {
  readonly answerBytes: number
  readonly busyRetrySeconds: number
}

/** Holding is counted in steps of this size, and only from the second one on: most answers never ask for room. */
const stepBytes = 65_536
/** About what one error takes, in text as in memory: a sentence, a place, a path and a code. */
const errorChars = 256
/** What may be read beyond the answer's own limit: keys that find records, and the record after a page. */
const readMarginChars = 1_048_576

/** The size of one answer. What it holds of the room is given back when the answer has left, by `release`. */
export class AnswerSize {
  /** Why no more of it is made; null while it may grow. */
  failure: Failure | null = null
  /** Characters so far. Each is a byte or more, so that too many of them are too many bytes. */
  chars = 0
  /** Up to so many characters nobody has to be asked. */
  #free = stepBytes
  #held = 0
  #charsMax: number
  /** Characters that were counted while they were read, and the most that all statements so far can read. */
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

  /** It has so many characters now. Fails with QUERY_TOO_COMPLEX where that is too many, SERVICE_UNAVAILABLE without room. */
  grow(chars: number): void {
    this.chars = chars
    if (chars > this.#free) this.#extend(chars, this.#charsMax)
  }

  /** So much may be read for it next. True where all of it may become too much, so that it has to be counted by `addRead`. */
  needsCount(charsMax: number): boolean {
    this.#readable += charsMax
    return this.#readable > this.#charsMax + readMarginChars
  }

  /** So many more characters were read for it, which hold the room in which they are printed later. Fails like `grow`. */
  addRead(chars: number): void {
    this.#read += chars
    if (chars > 0 && this.#read > this.#free) this.#extend(this.#read, this.#charsMax + readMarginChars)
  }

  /** It tells of one more error. Fails like `grow`. */
  addError(): void {
    this.#free -= errorChars
    this.#charsMax -= errorChars
    if (this.chars > this.#free) this.#extend(this.chars, this.#charsMax)
  }

  /** This is the answer, whose bytes count from here on. Fails like `grow`. */
  finish(body: string): void {
    // No character takes more than three bytes.
    if (this.#held === 0 && body.length * 3 <= Math.min(stepBytes, this.#limits.answerBytes)) return
    const bytes = Buffer.byteLength(body)
    if (bytes > this.#limits.answerBytes) this.#fail(this.#tooLarge())
    this.hold(bytes)
  }

  /** Holds as much room as this. Fails with SERVICE_UNAVAILABLE. */
  hold(bytes: number): void {
    const more = bytes - this.#held
    if (more < 0) this.#room.give(-more)
    else if (!this.#room.take(more)) this.#fail(this.#noRoom())
    this.#held = bytes
  }

  /** What it holds of the room for everybody. */
  get heldBytes(): number {
    return this.#held
  }

  /** It has left, or never will. */
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
    // Statements that run at once fail with the same, by which whoever answers knows it.
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

/** For what is read for no client. */
export const unlimitedSize = new AnswerSize(
  { answerBytes: Number.POSITIVE_INFINITY, busyRetrySeconds: 0 },
  { take: () => true, give: () => undefined },
)
