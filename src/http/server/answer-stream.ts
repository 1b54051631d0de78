// An answer that is made while it is sent: taken from its producer piece by piece, and ended whatever happens.

import { outOfTime } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { BodyStream } from '../message/exchange.ts'

export type StreamLimits = Pick<Limits, 'streams' | 'streamIdleMs' | 'busyRetrySeconds'>
type Piece = string | Uint8Array

export interface StreamReader {
  /** Aborts when nobody reads on, or the time is over. */
  readonly signal: AbortSignal
  /** Told of what the producer throws when it is ended early, for nobody else will be. */
  readonly report: (thrown: unknown) => void
  /** Told once that it has ended, and why it was stopped: null where it came to its end. */
  readonly ended?: (reason: unknown) => void
}

/** The streamed answers of this process. */
export class AnswerStreams {
  /** How many are being sent. */
  count = 0
  readonly #limits: StreamLimits

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /**
   * Takes the first piece, so that whatever fails until then can be answered like any other failure: rejects with what the
   * producer throws, and with SERVICE_UNAVAILABLE where too many are being sent.
   */
  async open(body: BodyStream, reader: StreamReader): Promise<AnswerStream> {
    if (this.count >= this.#limits.streams) {
      void discard(body, reader.report)
      throw tooMany(this.#limits)
    }
    this.count++
    const ended = (reason: unknown): void => {
      this.count--
      reader.ended?.(reason)
    }
    const stream = new AnswerStream(body, { ...reader, ...this.#limits, ended })
    await stream.begin()
    return stream
  }
}

interface StreamDependencies extends StreamReader, StreamLimits {
  readonly ended: (reason: unknown) => void
}

export class AnswerStream {
  readonly #iterator: AsyncIterator<unknown>
  readonly #dependencies: StreamDependencies
  /** Runs out where neither a piece is made nor one is read. */
  readonly #idle: NodeJS.Timeout
  readonly #leave: () => void
  /** The piece that was taken before anybody asked. */
  #first: Piece | null = null
  /** Rejects what is waited for at this moment. */
  #interrupt: ((reason: unknown) => void) | null = null
  #isProducing = false
  #isOver = false
  /** Why it was stopped; null where it came to its end. */
  #reason: unknown = null

  constructor(body: BodyStream, dependencies: StreamDependencies) {
    const { signal, streamIdleMs } = dependencies
    this.#iterator = iteratorOf(body)
    this.#dependencies = dependencies
    this.#idle = setTimeout(() => this.stop(this.#isProducing ? standstill(streamIdleMs) : outOfTime), streamIdleMs)
    this.#leave = () => this.stop(signal.reason)
    signal.addEventListener('abort', this.#leave)
    if (signal.aborted) this.#leave()
  }

  /** To be called once, before `next`. */
  async begin(): Promise<void> {
    this.#first = await this.#take()
  }

  /** The next piece, never an empty one; null at the end. Rejects with what the producer throws, or why it was stopped. */
  next(): Promise<Piece | null> {
    const first = this.#first
    if (first === null || this.#reason !== null) return this.#take()
    this.#first = null
    return Promise.resolve(first)
  }

  /** Waits for a reader that has enough for now. Rejects with why the stream was stopped. */
  pause(whenReady: (resume: () => void) => void): Promise<void> {
    return this.#interruptible<void>((resolve) => whenReady(resolve))
  }

  /** Ends it early: the producer's `finally` runs. Whoever waits is rejected with this reason. */
  stop(reason: unknown): void {
    if (this.#isOver) return
    this.#end(reason)
    this.#interrupt?.(reason)
    void end(this.#iterator, this.#dependencies.report)
  }

  async #take(): Promise<Piece | null> {
    while (!this.#isOver || this.#reason !== null) {
      const { done, value } = await this.#askProducer()
      if (done === true) this.#end(null)
      else if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
        this.stop(new Error('A streamed answer is made of text or bytes.'))
      } else if (value.length > 0) return value
    }
    return null
  }

  async #askProducer(): Promise<IteratorResult<unknown>> {
    this.#isProducing = true
    try {
      return await this.#interruptible((resolve, reject) => {
        this.#iterator.next().then(resolve, reject)
      })
    } catch (thrown) {
      // A producer that throws has ended itself.
      if (!this.#isOver) this.#end(thrown)
      throw thrown
    } finally {
      this.#isProducing = false
    }
  }

  /** Not by `Promise.race` with one that lasts as long as the stream: it would keep something of every piece. */
  #interruptible<T>(start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void): Promise<T> {
    if (this.#isOver) return Promise.reject(this.#reason)
    this.#idle.refresh()
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = reject
      start(resolve, reject)
    })
  }

  #end(reason: unknown): void {
    this.#isOver = true
    this.#reason = reason
    clearTimeout(this.#idle)
    this.#dependencies.signal.removeEventListener('abort', this.#leave)
    this.#dependencies.ended(reason)
  }
}

/** Ends a body of which nothing is sent, such as the answer to HEAD. */
export const discard = (body: BodyStream, report: StreamReader['report']): Promise<void> =>
  end(iteratorOf(body), report)

/** The iterator of a ReadableStream would cancel it only when its next piece has come. */
function iteratorOf(body: BodyStream): AsyncIterator<unknown> {
  if (!(body instanceof ReadableStream)) return body[Symbol.asyncIterator]()
  const reader: ReadableStreamDefaultReader<unknown> = body.getReader()
  return {
    next: async () => (await reader.read()) as IteratorResult<unknown>,
    async return() {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}

async function end(iterator: AsyncIterator<unknown>, report: StreamReader['report']): Promise<void> {
  try {
    await iterator.return?.()
  } catch (thrown) {
    // Its `finally` has failed, and nobody waits for it.
    report(thrown)
  }
}

const standstill = (idleMs: number): Error => new Error(`A streamed answer has made nothing for ${idleMs} ms.`)

const tooMany = ({ busyRetrySeconds }: StreamLimits): Failure =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'Too many answers are being streamed at the moment.',
    retryAfterSeconds: busyRetrySeconds,
  })
