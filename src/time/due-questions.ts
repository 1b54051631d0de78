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
export type DueQuestions = ReturnType<typeof createDueQuestions>

/** SQLite blocks the process. */
const markRows = 1_000

export function createDueQuestions(moves: readonly TimedMove[], dialect: Dialect) {
  const timestamp = (at: Date) => dialect.encode(at, 'timestamp')
  const next = query(`select ${moves.map((each) => `(${nextDueSql(each, dialect)})`).join(', ')}`)
  const statements = new Map(
    moves.map((each) => [
      each,
      { due: dueIdsSql(each, dialect), park: parkSql(each, dialect), markPast: markPastSql(each, dialect) },
    ]),
  )
  return {
    /** The earliest due time of each move: a probe of its index. */
    *next(): Program<readonly (Date | null)[]> {
      const [row] = yield bind(next)
      return row!.map((each) => dialect.decode(each, 'timestamp') as Date | null)
    },
    *due(move: TimedMove, now: Date, limit: number): Program<readonly Candidate[]> {
      const rows = yield boundTo(statements.get(move)!.due, { actor: null, input: [timestamp(now)], limit })
      return rows.map(([id, version, tally]) => ({
        id: id as string,
        version: Number(version),
        tally: Number(tally),
      }))
    },
    /** False if the record was written since. */
    *park(move: TimedMove, { id, version, tally }: Candidate): Program<boolean> {
      return (yield boundTo(statements.get(move)!.park, { actor: null, input: [id, version, tally] })).length > 0
    },
    /** False if nothing is left to mark. */
    *markPast(move: TimedMove, since: Date): Program<boolean> {
      const input = [timestamp(since)]
      return (yield boundTo(statements.get(move)!.markPast, { actor: null, input, limit: markRows })).length > 0
    },
  }
}
