// Advisory locks of PostgreSQL, by name, until the transaction ends: for what has no row, or none yet. SQLite has one writer.

import { bind, type Program, query } from '../../store/store.ts'
import type { AdvisoryLock, WriteScope } from '../write-scope.ts'
import { lostRace } from './lock.ts'

const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'
export const takeLock = query(text)

const lockStatements = {
  exclusive: { take: takeLock, try: query('select 1 where pg_try_advisory_xact_lock(hashtextextended($1, 0))') },
  shared: {
    take: query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))'),
    try: query('select 1 where pg_try_advisory_xact_lock_shared(hashtextextended($1, 0))'),
  },
}
const keyOf = ({ name, isShared }: AdvisoryLock): string => (isShared ? `${name} (shared)` : name)

/**
 * Waits only before rows are locked, and in the order of names, so that no two transactions wait for each other. Otherwise throws
 * LostRace if others have the lock; the next run takes it first.
 */
export function* takeInOrder(
  lock: AdvisoryLock,
  scope: Pick<WriteScope, 'locks' | 'attempt'>,
  isLate = false,
): Program<void> {
  const { advisory, exclusive, last } = scope.locks
  const key = keyOf(lock)
  if (advisory.has(key) || advisory.has(lock.name)) return
  const mustTry = isLate || last !== null || exclusive.size > 0 || [...advisory.keys()].some((each) => each > key)
  const sql = lockStatements[lock.isShared ? 'shared' : 'exclusive']
  const rows = yield bind(mustTry ? sql.try : sql.take, lock.name)
  if (mustTry && rows.length === 0) throw lostRace(scope, { advisory: [[key, lock]] })
  advisory.set(key, lock)
}

/** Takes what an earlier run of this write lacked, before anything else is locked. */
export function* takeMissedLocks(scope: Pick<WriteScope, 'locks' | 'attempt'>): Program<void> {
  const missed = [...scope.attempt.missedAdvisory].sort(([one], [other]) => (one < other ? -1 : 1))
  for (const [, lock] of missed) yield* takeInOrder(lock, scope)
}

/** Combined for writes that share a transaction. */
export const takeLockTogether = query(text, {
  key: (values) => values,
  maxSize: (size) => size,
  combine: (all) => bind(takeLock, ...all[0]!),
  split: (rows, all) => all.map(() => rows),
})
