// Reads that may take long, and that others ask at the same time: whoever asks while an equal one runs waits for its end, and all who
// waited are answered by the next. Without it, a summary that everybody asks is run once for each who asks in another turn of the event loop.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { textOf } from '../combine.ts'
import type { Bound, Statement } from '../store.ts'

/** How long a read waits for an equal one at most, so that a slow one takes little of its time limit. */
const waitMs = 100

/** A statement with its values that runs, and who waits for its end. */
interface Running<Read> {
  readonly statement: Statement
  readonly key: string
  waiting: Read[]
  timer: NodeJS.Timeout | null
}

export class Coalescing<Read extends { readonly bound: Bound }> {
  readonly #send: (reads: readonly Read[]) => void
  readonly #running = new Map<Statement, Map<string, Running<Read>>>()

  /** `send` gets the reads that have waited. */
  constructor(send: (reads: readonly Read[]) => void) {
    this.#send = send
  }

  /** True where an equal read runs: this one is sent once that has ended, or after `waitMs`. */
  postpone(read: Read): boolean {
    const { statement, values, counter } = read.bound
    if (statement.reach === undefined || counter !== undefined) return false
    const running = this.#running.get(statement)?.get(textOf(values))
    if (running === undefined) return false
    running.waiting.push(read)
    running.timer ??= setTimeout(() => this.#end(running), waitMs)
    return true
  }

  /** Notes that these begin, which are of one kind; what it answers is to be called at their end. */
  begin(reads: readonly Read[]): () => void {
    if (reads[0]?.bound.statement.reach === undefined) return doNothing
    const begun: Running<Read>[] = []
    for (const { bound } of reads) {
      const { statement, values } = bound
      const key = textOf(values)
      const byKey = getOrInsert(this.#running, statement, () => new Map<string, Running<Read>>())
      if (byKey.has(key)) continue
      const running = { statement, key, waiting: [], timer: null }
      byKey.set(key, running)
      begun.push(running)
    }
    return () => {
      for (const running of begun) this.#end(running)
    }
  }

  /** From here on nobody waits for it. */
  #end(running: Running<Read>): void {
    const { statement, key, waiting, timer } = running
    if (timer !== null) clearTimeout(timer)
    const byKey = this.#running.get(statement)
    if (byKey?.get(key) === running) byKey.delete(key)
    if (byKey?.size === 0) this.#running.delete(statement)
    running.waiting = []
    if (waiting.length > 0) this.#send(waiting)
  }
}

const doNothing = (): void => {}
