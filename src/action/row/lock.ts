// Decides how strongly rows are locked. The first lock must be the strongest: two transactions that share a lock and both
// upgrade it deadlock. SQLite has one writer and locks nothing.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure } from '../../failure/failure.ts'
import { codeHashOf } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isHeldBy } from '../../resource/model/number/holding.ts'
import { hasLimitedToken } from '../../resource/model/rule/token-use.ts'
import { LostRace } from '../../store/program.ts'
import type { Dialect, Lock } from '../../store/sql/text/dialect.ts'
import { noCaller, type RuleInputs } from '../../store/sql/text/sql-text.ts'
import type { Load } from '../../store/sql/write/write.ts'
import type { Program, StoredRow } from '../../store/store.ts'
import type { WriteScope } from '../write-scope.ts'

/** For a record that the write names, or that its check reads. */
export const lockOf = (target: ResourceModel, scope: LockScope): 'no key update' | 'share' =>
  scope.attempt.runsEffects ? 'no key update' : endLockOf(target, scope)

/** For a record that code names, which it need not write. */
const codeLockOf = (target: ResourceModel, by: ResourceModel, scope: LockScope): 'no key update' | 'share' =>
  scope.attempt.isRepeated || isHeldBy(by, target) ? 'no key update' : endLockOf(target, scope)

/** Its end may change kept numbers of holders, and uses of a token. */
const endLockOf = (target: ResourceModel, { actor, attempt }: LockScope): 'no key update' | 'share' =>
  attempt.resources.some((each) => isHeldBy(each, target)) || (codeHashOf(actor) !== null && hasLimitedToken(target))
    ? 'no key update'
    : 'share'
type LockScope = Pick<WriteScope, 'actor' | 'attempt'>

export function noteLock(ids: Iterable<string>, lock: Lock, { locks }: Pick<WriteScope, 'locks'>): void {
  const noted = lock === 'share' ? locks.shared : locks.exclusive
  for (const id of ids) noted.add(id)
}

/** Throws LostRace if this transaction shares the lock with another; the next run takes the stronger lock first. */
export function* loadExclusive(
  load: Omit<Load, 'lock'>,
  ruleInputs: RuleInputs,
  ids: readonly string[],
  scope: Pick<WriteScope, 'statements' | 'locks'>,
): Program<readonly StoredRow[]> {
  const { exclusive, shared } = scope.locks
  const isUpgrade = ids.some((id) => shared.has(id) && !exclusive.has(id))
  const lock = isUpgrade ? 'no key update skip locked' : 'no key update'
  const rows = yield scope.statements.load({ ...load, lock }, ruleInputs, ids)
  if (isUpgrade && rows.length < ids.length) throw lostRace()
  noteLock(ids, lock, scope)
  return rows
}

export function* lockRecords(
  resource: ResourceModel,
  ids: readonly string[],
  lock: Lock,
  scope: Pick<WriteScope, 'statements' | 'locks'>,
): Program<void> {
  yield scope.statements.load({ resource, conditions: [], columns: [], lock }, noCaller, ids)
  noteLock(ids, lock, scope)
}

/**
 * Locks records that code names, and returns the ids of those that exist. Waits for no other transaction, which may wait for this
 * one. Throws LostRace if one is locked; the next run locks it first.
 */
export function* lockNamedByCode(
  target: ResourceModel,
  ids: readonly string[],
  by: ResourceModel,
  scope: Pick<WriteScope, 'actor' | 'statements' | 'locks' | 'attempt' | 'dialect'>,
): Program<ReadonlySet<unknown>> {
  const { exclusive, shared } = scope.locks
  const strength = codeLockOf(target, by, scope)
  const open = ids.filter((id) => !exclusive.has(id) && (strength !== 'share' || !shared.has(id)))
  const lock = open.length === 0 ? strength : (`${strength} skip locked` as const)
  const rows = yield scope.statements.load({ resource: target, conditions: [], columns: [], lock }, noCaller, ids)
  const found = new Set(rows.map((row) => row[0]))
  const missing = open.filter((id) => !found.has(id))
  if (missing.length > 0 && locksRows(scope)) throw missedLock(target, missing, scope)
  noteLock(ids, strength, scope)
  return found
}

/**
 * Without waiting, since others may wait for this transaction. Throws LostRace if one is locked; the next run locks it first.
 */
export function* lockUnforeseen(
  resource: ResourceModel,
  ids: Iterable<string>,
  { statements, locks, attempt, dialect }: Pick<WriteScope, 'statements' | 'locks' | 'attempt' | 'dialect'>,
): Program<void> {
  if (dialect.engine !== 'postgres') return
  const open = [...ids].filter((id) => !locks.exclusive.has(id)).sort()
  if (open.length === 0) return
  const lock = 'no key update skip locked'
  const rows = yield statements.load({ resource, conditions: [], columns: [], lock }, noCaller, open)
  const free = new Set(rows.map((row) => row[0]))
  const missing = open.filter((id) => !free.has(id))
  if (missing.length > 0) throw missedLock(resource, missing, { attempt })
  noteLock(open, lock, { locks })
}

export function missedLock(
  resource: ResourceModel,
  ids: Iterable<string>,
  { attempt }: Pick<WriteScope, 'attempt'>,
): LostRace {
  const missed = getOrInsert(attempt.missed, resource, () => new Set<string>())
  for (const id of ids) missed.add(id)
  return lostRace()
}

/** The failure if every run loses the race. */
export const lostRace = (): LostRace => new LostRace(new Failure('CONFLICT', { message: raceMessage }))
const raceMessage = 'Others change the same records at the moment: send it again.'
export const isLostRace = ({ message }: Failure): boolean => message === raceMessage

export const locksRows = ({ dialect }: { readonly dialect: Dialect }): boolean => dialect.engine === 'postgres'
