// Switches for optimisations of the adapters. None changes an answer; tests run without each.

export interface Tuning {
  /** SQLite: reads of one event-loop turn share a transaction. (`sqlite/read-batch.ts`) */
  readonly readBatch: boolean
  /** SQLite: writes of one event-loop turn share a commit. (`sqlite/write-queue.ts`) */
  readonly sharedCommit: boolean
  /** PostgreSQL: concurrent reads are combined. (`combine.ts`) */
  readonly batching: boolean
  /** PostgreSQL: writes that only add records share a transaction. (`postgres/group-commit.ts`) */
  readonly groupCommit: boolean
  /** PostgreSQL: statements whose client has gone are cancelled. (`postgres/cancellation.ts`) */
  readonly cancellation: boolean
  /** PostgreSQL: tables that have grown are analyzed. (`postgres/statistics.ts`) */
  readonly statistics: boolean
}

export const fullTuning: Tuning = {
  readBatch: true,
  sharedCommit: true,
  batching: true,
  groupCommit: true,
  cancellation: true,
  statistics: true,
}
