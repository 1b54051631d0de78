// Advisory locks of PostgreSQL, by name, until the transaction ends: for what has no row, or none yet. SQLite has one writer.

import { bind, type Program, query } from '../../store/store.ts'
import type { Turn, WriteScope } from '../write-scope.ts'
import { lostRace } from './lock.ts'

const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'
export const takeTurns = query(text)

const turnStatements = {
  exclusive: { take: takeTurns, try: query('select 1 where pg_try_advisory_xact_lock(hashtextextended($1, 0))') },
  shared: {
    take: query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))'),
    try: query('select 1 where pg_try_advisory_xact_lock_shared(hashtextextended($1, 0))'),
  },
}
const statementsOf = ({ isShared }: Turn) => turnStatements[isShared ? 'shared' : 'exclusive']
const keyOf = ({ name, isShared }: Turn): string => (isShared ? `${name} (shared)` : name)

/**
 * Waits only before rows are locked, and in the order of names, so that no two transactions wait for each other. Otherwise throws
 * LostRace if others have the lock; the next run takes it first.
 */
export function* takeTurnInOrder(turn: Turn, { locks, reach }: Pick<WriteScope, 'locks' | 'reach'>): Program<void> {
  const { turns, exclusive, shared, trees } = locks
  const key = keyOf(turn)
  if (turns.has(key) || turns.has(turn.name)) return
  const isLate = exclusive.size + shared.size + trees.size > 0 || [...turns.keys()].some((each) => each > key)
  const sql = statementsOf(turn)
  const rows = yield bind(isLate ? sql.try : sql.take, turn.name)
  if (isLate && rows.length === 0) {
    for (const each of [...turns.values(), turn]) reach.missedTurns.set(keyOf(each), each)
    throw lostRace()
  }
  turns.set(key, turn)
}

/** Takes what an earlier run of this write lacked, before anything else is locked. */
export function* takeMissedTurns({ locks, reach }: Pick<WriteScope, 'locks' | 'reach'>): Program<void> {
  for (const key of [...reach.missedTurns.keys()].sort()) {
    const turn = reach.missedTurns.get(key)!
    yield bind(statementsOf(turn).take, turn.name)
    locks.turns.set(key, turn)
  }
}

/** Combined for writes that share a transaction. */
export const takeTurnsTogether = query(text, {
  key: (values) => values,
  maxSize: (size) => size,
  combine: (all) => bind(takeTurns, ...all[0]!),
  split: (rows, all) => all.map(() => rows),
})
