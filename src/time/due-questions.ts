// What the worker of timed moves reads and marks, as programs whose statements are made once.

import type { TimedMove } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { boundTo } from '../store/sql/text/sql-text.ts'
import { dueIdsSql, markPastSql, nextDueSql, parkSql } from '../store/sql/write/due.ts'
import { bind, type Program, query } from '../store/store.ts'

/** A due record as it was when it was found. */
export interface Candidate {
  readonly id: string
  readonly version: number
  readonly tally: number
}
export interface DueQuestions {
  /** The earliest due time of each move: a probe of its index. */
  next(): Program<readonly (Date | null)[]>
  due(move: TimedMove, now: Date, count: number): Program<readonly Candidate[]>
  /** False if the record was written since. */
  park(move: TimedMove, candidate: Candidate): Program<boolean>
  /** False if nothing is left to mark. */
  markPast(move: TimedMove, since: Date): Program<boolean>
}

/** SQLite blocks the process. */
const markRows = 1_000

export function createDueQuestions(moves: readonly TimedMove[], dialect: Dialect): DueQuestions {
  const timestamp = (at: Date) => dialect.encode(at, 'timestamp')
  const next = query(`select ${moves.map((each) => `(${nextDueSql(each, dialect)})`).join(', ')}`)
  const statements = new Map(
    moves.map((each) => [
      each,
      { due: dueIdsSql(each, dialect), park: parkSql(each, dialect), markPast: markPastSql(each, dialect) },
    ]),
  )
  return {
    *next() {
      const [row] = yield bind(next)
      return row!.map((each) => dialect.decode(each, 'timestamp') as Date | null)
    },
    *due(move, now, limit) {
      const rows = yield boundTo(statements.get(move)!.due, { actor: null, input: [timestamp(now)], limit })
      return rows.map(([id, version, tally]) => ({
        id: id as string,
        version: Number(version),
        tally: Number(tally),
      }))
    },
    *park(move, { id, version, tally }) {
      return (yield boundTo(statements.get(move)!.park, { actor: null, input: [id, version, tally] })).length > 0
    },
    *markPast(move, since) {
      const input = [timestamp(since)]
      return (yield boundTo(statements.get(move)!.markPast, { actor: null, input, limit: markRows })).length > 0
    },
  }
}
