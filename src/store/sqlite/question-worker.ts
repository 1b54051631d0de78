// The thread of `question-thread.ts`: a connection of its own, which runs one statement after the other.

import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { query, type Statement, type StoredRow, type Value } from '../store.ts'
import { charsIn, openReader, SqliteConnection } from './connection.ts'

export interface ThreadData {
  readonly path: string
  /** Not 0: what runs is to end. */
  readonly end: Int32Array
}
export interface Question {
  readonly sql: string
  readonly values: readonly Value[]
}
export type Answer =
  | { readonly rows: readonly StoredRow[]; readonly chars: number }
  | { readonly ended: true }
  | { readonly error: { readonly code: string | null; readonly message: string } }

/** Statements that are kept prepared; more than a service has questions in use. */
const statementsMax = 200

class Ended extends Error {}

function serve({ path, end }: ThreadData): void {
  const look = () => {
    if (Atomics.load(end, 0) !== 0) throw new Ended()
  }
  const watch = { start: () => {}, look }
  const connection = new SqliteConnection(openReader(path), { statements: 0, rows: 0, transactions: 0 }, watch)
  const statements = new Map<string, Statement>()
  const statementOf = (sql: string): Statement => {
    const statement = statements.get(sql) ?? query(sql)
    // The one that was used last stands last.
    statements.delete(sql)
    statements.set(sql, statement)
    if (statements.size > statementsMax) statements.delete(statements.keys().next().value!)
    return statement
  }
  parentPort!.on('message', ({ sql, values }: Question) => {
    parentPort!.postMessage(answerOf(() => connection.run({ statement: statementOf(sql), values })))
  })
}

function answerOf(run: () => readonly StoredRow[]): Answer {
  try {
    const rows = run()
    return { rows, chars: rows.reduce((sum, row) => sum + charsIn(row), 0) }
  } catch (error) {
    if (error instanceof Ended) return { ended: true }
    const code = error instanceof Database.SqliteError ? error.code : null
    return { error: { code, message: (error as Error).message } }
  }
}

serve(workerData as ThreadData)
