// The thread of `question-thread.ts`, with a connection of its own.

import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { createBoundedCache } from '../../cache/bounded-cache.ts'
import { query, type ReadCounter, type Statement, type StoredRow, type Value } from '../store.ts'
import { openReader, SqliteConnection } from './connection.ts'

export interface ThreadData {
  readonly path: string
  /** Nonzero ends the running statement. */
  readonly end: Int32Array
}
export interface Question {
  readonly sql: string
  readonly values: readonly Value[]
  /** The most characters; null without a limit. */
  readonly charsMax: number | null
}
export type Answer =
  | { readonly rows: readonly StoredRow[]; readonly chars: number }
  | { readonly isTooMuch: true }
  | { readonly ended: true }
  | { readonly error: { readonly code: string | null; readonly message: string } }

/** More than a service uses. */
const statementsMax = 200
/** Of their texts; prepared statements take about ten times as much. */
const statementBytesMax = 2 * 1_048_576

class Ended extends Error {}
class Excess extends Error {}

class CharsCounter implements ReadCounter {
  chars = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get readableChars(): number {
    return this.#max - this.chars
  }

  addRead(chars: number): void {
    this.chars += chars
    if (chars > 0 && this.chars > this.#max) throw new Excess()
  }
}

function serve({ path, end }: ThreadData): void {
  const look = () => {
    if (Atomics.load(end, 0) !== 0) throw new Ended()
  }
  const watch = { start: () => {}, look }
  const connection = new SqliteConnection(openReader(path), { statements: 0, rows: 0, transactions: 0 }, watch)
  const statements = createBoundedCache<Statement>(statementsMax, statementBytesMax)
  const statementOf = (sql: string): Statement => {
    const kept = statements.get(sql)
    if (kept !== undefined) return kept
    const statement = query(sql)
    statements.set(sql, statement, 2 * sql.length)
    return statement
  }
  parentPort!.on('message', ({ sql, values, charsMax }: Question) => {
    const counter = charsMax === null ? null : new CharsCounter(charsMax)
    const bound = { statement: statementOf(sql), values, ...(counter === null ? {} : { counter }) }
    parentPort!.postMessage(answerOf(() => connection.run(bound), counter))
  })
}

function answerOf(run: () => readonly StoredRow[], counter: CharsCounter | null): Answer {
  try {
    return { rows: run(), chars: counter?.chars ?? 0 }
  } catch (error) {
    if (error instanceof Ended) return { ended: true }
    if (error instanceof Excess) return { isTooMuch: true }
    const code = error instanceof Database.SqliteError ? error.code : null
    return { error: { code, message: (error as Error).message } }
  }
}

serve(workerData as ThreadData)
