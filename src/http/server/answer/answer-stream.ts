// A streamed answer: pulled from its producer piece by piece, and always ended.

import { outOfTime } from '../../../budget/deadline.ts'
import { Failure } from '../../../failure/failure.ts'
import type { Limits } from '../../../limits.ts'
import type { BodyStream } from '../../message/exchange.ts'
import { StreamTurns } from './stream-turns.ts'

export type StreamLimits = Pick<Limits, 'streams' | 'streamIdleMs' | 'busyRetrySeconds'>
type Piece = string | Uint8Array

export interface StreamReader {
  readonly signal: AbortSignal
  readonly report: (thrown: unknown) => void
  /** Called once at the end, with the reason for an early stop or null. */
  readonly ended?: (reason: unknown) => void
  readonly isEndless?: boolean | undefined
}

export class AnswerStreams {
  count = 0
  readonly #limits: StreamLimits
  readonly #turns = new StreamTurns()

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /**
   * Takes the first piece, so that earlier failures are answered normally: rejects with the producer's error, or
   * SERVICE_UNAVAILABLE if too many streams are open.
   */
  async open(body: BodyStream, reader: StreamReader): Promise<AnswerStream> {
    const counted = reader.isEndless === true ? 0 : 1
    if (counted > 0 && this.count >= this.#limits.streams) {
      void discard(body, reader.report)
      throw tooMany(this.#limits)
    }
    this.count += counted
    const ended = (reason: unknown): void => {
      this.count -= counted
      reader.ended?.(reason)
    }
    const stream = new AnswerStream(body, { ...reader, ...this.#limits, turns: this.#turns, ended })
    await stream.begin()
    return stream
  }
}

interface StreamDependencies extends StreamReader, StreamLimits {
  readonly turns: StreamTurns
  readonly ended: (reason: unknown) => void
}

export class AnswerStream {
  readonly #iterator: AsyncIterator<unknown>
  readonly #dependencies: StreamDependencies
  readonly #idle: NodeJS.Timeout
  readonly #leave: () => void
  #first: Piece | null = null
  #interrupt: ((reason: unknown) => void) | null = null
  #isProducing = false
  #isOver = false
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

  /** Null at the end. Rejects with the producer's error, or the reason for the stop. */
  next(): Promise<Piece | null> {
    const first = this.#first
    if (first === null || this.#reason !== null) return this.#take()
    this.#first = null
    return Promise.resolve(first)
  }

  /** Rejects with the reason for a stop. */
  pause(whenReady: (resume: () => void) => void): Promise<void> {
    return this.#interruptible<void>((resolve) => whenReady(resolve))
  }

  /** The producer's `finally` runs, and pending calls reject with the reason. */
  stop(reason: unknown): void {
    if (this.#isOver) return
    this.#end(reason)
    this.#interrupt?.(reason)
    void end(this.#iterator, this.#dependencies.report)
  }

  async #take(): Promise<Piece | null> {
    while (!this.#isOver || this.#reason !== null) {
      const turn = this.#dependencies.turns.wait()
      if (turn !== null) await turn
      const { done, value } = await this.#pullNext()
      if (done === true) this.#end(null)
      else if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
        this.stop(new Error('A streamed answer is made of text or bytes.'))
      } else if (value.length > 0) return value
    }
    return null
  }

  async #pullNext(): Promise<IteratorResult<unknown>> {
    this.#isProducing = true
    try {
      return await this.#interruptible((resolve, reject) => {
        this.#iterator.next().then(resolve, reject)
      })
    } catch (thrown) {
      if (!this.#isOver) this.#end(thrown)
      throw thrown
    } finally {
      this.#isProducing = false
    }
  }

  /** `Promise.race` with a promise that lives as long as the stream would retain memory per piece. */
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

export const discard = (body: BodyStream, report: StreamReader['report']): Promise<void> =>
  end(iteratorOf(body), report)

/** A ReadableStream's own iterator cancels only after its next piece has arrived. */
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
    // No caller waits for its failed `finally`.
    report(thrown)
  }
}

const standstill = (idleMs: number): Error => new Error(`A streamed answer has made nothing for ${idleMs} ms.`)

const tooMany = ({ busyRetrySeconds }: StreamLimits): Failure =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'Too many answers are being streamed at the moment.',
    retryAfterSeconds: busyRetrySeconds,
  })
