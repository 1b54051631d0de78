// Locks by name, held until the transaction ends: for what is no row, or has none yet. PostgreSQL alone; SQLite has one writer.

import { bind, query } from '../store/store.ts'

const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'
export const takeTurns = query(text)
/** The same, where those who share a transaction ask once. */
export const takeTurnsTogether = query(text, {
  key: (values) => values,
  maxSize: (size) => size,
  combine: (all) => bind(takeTurns, ...all[0]!),
  split: (rows, all) => all.map(() => rows),
})
