// The reporter of a worker: sends its parent each test that completes, under the names of the suites that hold it.

import { EventEmitter } from 'node:events'
import { inspect } from 'node:util'

/** A test, or a suite: a file is the suite of nesting 0. */
export interface Completed {
  readonly is: 'completed'
  /** From the file to the test. */
  readonly names: readonly string[]
  readonly isSuite: boolean
  readonly ms: number
  /** Why it was skipped: `true` where it does not say. */
  readonly skip: string | boolean
  /** The error in full, with the place of the test; null where it passed, or where only tests within it failed. */
  readonly failure: string | null
}
/** Asks for the next file. */
export interface Ready {
  readonly is: 'ready'
  readonly ended: {
    readonly path: string
    /** Of this process alone, without those that its tests start. */
    readonly cpuMs: number
    /** Kinds of the servers, timers and connections that the file leaves behind. */
    readonly leftOpen: readonly string[]
  } | null
}
/** An error that no test caught, while this file ran or after it. */
export interface Uncaught {
  readonly is: 'uncaught'
  readonly path: string
  readonly failure: string
}
/** The file to run; null: there is none left. */
export interface Order {
  readonly path: string | null
}
export type FromWorker = Completed | Ready | Uncaught

interface Event {
  readonly type: string
  readonly data: {
    readonly name: string
    readonly nesting: number
    readonly skip?: string | boolean
    readonly file?: string
    readonly line?: number
    readonly details: {
      readonly duration_ms: number
      readonly type?: string
      readonly error?: Error & { readonly failureType?: string }
    }
  }
}

// biome-ignore lint/correctness/useYield: nothing is printed here
export default async function* send(events: AsyncIterable<Event>): AsyncGenerator<never> {
  let names: readonly string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') names = [...names.slice(0, data.nesting), data.name]
    if (type !== 'test:complete') continue
    process.send!(completed([...names.slice(0, data.nesting), data.name], data))
    if (data.nesting === 0) sent.emit(data.name)
  }
}

/** Emits the path of each file of which everything has been sent: events come later than the tests end. */
export const sent = new EventEmitter()

function completed(names: readonly string[], { details, skip = false, file, line }: Event['data']): Completed {
  const { error } = details
  const failed = error !== undefined && error.failureType !== 'subtestsFailed'
  return {
    is: 'completed',
    names,
    isSuite: details.type === 'suite',
    ms: details.duration_ms,
    skip,
    failure: failed ? `${file}:${line}\n${inspect(error.cause ?? error)}` : null,
  }
}
