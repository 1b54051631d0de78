// One subscription: what it asks, how far it has come, and what waits to be read. It outlives connections. (contract 6.3.3)

import type { DuetError, GraphqlErrorEntry } from '../error.ts'

/** What the service sends for one event. */
export interface EventPayload {
  readonly data?: unknown
  readonly errors?: readonly GraphqlErrorEntry[]
  readonly extensions?: { readonly eventId?: string }
}
/** An event, as the application reads it. */
export interface Told<Data> {
  readonly data: Data
  /** To come back with in another process: `resumeAfter`. */
  readonly eventId: string
  /** What could not be read of the record. */
  readonly errors: readonly GraphqlErrorEntry[]
}
/** To be iterated once; leaving the loop ends the subscription. */
export interface Stream<T> extends AsyncIterableIterator<T> {
  /** When the service listens: whatever happens from now on is told. Rejects as the iteration does. */
  readonly ready: Promise<void>
}

/** What a connection needs of a subscription. */
export interface Operation {
  /** Read anew for every connection, for it says where to resume. */
  payload(): object
  /** Told once for each event, however often it is sent. */
  take(payload: EventPayload): void
  /** Everything up to here has been told. */
  reached(eventId: string): void
  readonly isReady: boolean
  /** No more is wanted at the moment: it is ended at the service, and resumed when there is room. */
  readonly isFull: boolean
  fail(error: DuetError): void
  complete(): void
}
export interface OperationOptions {
  readonly request: { readonly query: string; readonly variables?: unknown }
  readonly resumeAfter: string | undefined
  /** Events that may wait to be read. */
  readonly bufferMax: number
  /** There is room again. */
  readonly drained: () => void
  /** Nobody reads any more. */
  readonly left: () => void
}
/** Ids of events that are remembered, so that none is told twice. */
const rememberedMax = 1_000

export function createOperation<T>(
  { request, resumeAfter, bufferMax, drained, left }: OperationOptions,
  read: (event: Told<unknown>) => T,
): { readonly operation: Operation; readonly stream: Stream<T>; end(reason: unknown): void } {
  let position = resumeAfter
  let isReady = false
  let isFull = false
  let ending: { readonly error: unknown } | 'complete' | null = null
  const waiting: Told<unknown>[] = []
  const seenIds = new Set<string>()
  const ready = Promise.withResolvers<void>()
  // Whoever does not wait for it hears of a failure where it reads.
  ready.promise.catch(() => {})
  let woken = Promise.withResolvers<void>()

  function wake(): void {
    woken.resolve()
    woken = Promise.withResolvers()
  }
  function settle(): void {
    isReady = true
    ready.resolve()
  }
  function finish(how: NonNullable<typeof ending>): void {
    if (ending !== null) return
    ending = how
    if (how === 'complete') ready.resolve()
    else ready.reject(how.error)
    left()
    wake()
  }

  const operation: Operation = {
    payload: () => (position === undefined ? request : { ...request, extensions: { resumeAfter: position } }),
    take({ data, errors = [], extensions: { eventId = '' } = {} }) {
      if (ending !== null) return
      if (eventId !== '') {
        if (seenIds.has(eventId)) return
        seenIds.add(eventId)
        if (seenIds.size > rememberedMax) seenIds.delete(seenIds.values().next().value!)
        position = eventId
      }
      settle()
      waiting.push({ data, errors, eventId })
      isFull = waiting.length >= bufferMax
      wake()
    },
    reached(eventId) {
      position = eventId
      settle()
    },
    get isReady() {
      return isReady
    },
    get isFull() {
      return isFull
    },
    fail: (error) => finish({ error }),
    complete: () => finish('complete'),
  }

  async function next(): Promise<IteratorResult<T>> {
    for (;;) {
      const event = waiting.shift()
      if (event !== undefined) {
        if (isFull && waiting.length <= bufferMax / 2) {
          isFull = false
          drained()
        }
        return { done: false, value: read(event) }
      }
      if (ending === 'complete') return { done: true, value: undefined }
      if (ending !== null) throw ending.error
      await woken.promise
    }
  }
  const stream: Stream<T> = {
    ready: ready.promise,
    next,
    async return() {
      waiting.length = 0
      finish('complete')
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return { operation, stream, end: (reason) => finish({ error: reason }) }
}
