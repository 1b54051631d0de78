// Which optimisations of the adapters are on. None of them changes an answer, so tests run without each.

export interface Tuning {
  /** SQLite: the reads of one event-loop turn run back to back in one transaction. (`sqlite/read-batch.ts`) */
  readonly readBatch: boolean
  /** SQLite: the writes of one event-loop turn share a commit. (`sqlite/write-queue.ts`) */
  readonly sharedCommit: boolean
  /** PostgreSQL: concurrent reads are combined into fewer statements. (`combine.ts`, `postgres/coalescing.ts`) */
  readonly batching: boolean
  /** PostgreSQL: writes that only add records share a transaction. (`postgres/group-commit.ts`) */
  readonly groupCommit: boolean
  /** PostgreSQL: rows are decoded here instead of by the driver. (`postgres/row-parser.ts`) */
  readonly rowParser: boolean
  /** PostgreSQL: statements whose client has gone are ended at the server. (`postgres/cancellation.ts`) */
  readonly cancellation: boolean
  /** PostgreSQL: statistics are taken of tables that have grown. (`postgres/statistics.ts`) */
  readonly statistics: boolean
}

export const fullTuning: Tuning = {
  readBatch: true,
  sharedCommit: true,
  batching: true,
  groupCommit: true,
  rowParser: true,
  cancellation: true,
  statistics: true,
}
