// Advisory locks of PostgreSQL, by name, until the transaction ends: for what has no row, or none yet. SQLite has one writer.

import { bind, type Program, query } from '../../store/store.ts'
import type { WriteScope } from '../write-scope.ts'
import { lostRace } from './lock.ts'

const text = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'
export const takeTurns = query(text)
const tryTurn = query('select 1 where pg_try_advisory_xact_lock(hashtextextended($1, 0))')

/**
 * Takes a lock whose order the author's code decides. Waits only in the order of names, so that no two transactions wait for each
 * other. Throws LostRace if a lock is taken whose name comes before those already held.
 */
export function* takeTurnInOrder(name: string, { locks, reach }: Pick<WriteScope, 'locks' | 'reach'>): Program<void> {
  const { turns } = locks
  if (turns.has(name)) return
  if ([...turns].some((each) => each > name)) {
    if ((yield bind(tryTurn, name)).length === 0) {
      for (const each of [...turns, name]) reach.missedTurns.add(each)
      throw lostRace()
    }
    turns.add(name)
    return
  }
  const missed = [...reach.missedTurns].filter((each) => !turns.has(each) && each !== name)
  for (const each of turns.size === 0 ? [...missed, name].sort() : [name]) {
    yield bind(takeTurns, each)
    turns.add(each)
  }
}

/** Combined for writes that share a transaction. */
export const takeTurnsTogether = query(text, {
  key: (values) => values,
  maxSize: (size) => size,
  combine: (all) => bind(takeTurns, ...all[0]!),
  split: (rows, all) => all.map(() => rows),
})
