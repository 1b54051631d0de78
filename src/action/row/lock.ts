// Locks records in one order, and decides how strongly: the first lock of a record should be the strongest, since one that is shared
// is upgraded without waiting. SQLite has one writer and locks nothing.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { Failure } from '../../failure/failure.ts'
import { codeHashOf } from '../../resource/actor.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isHeldBy } from '../../resource/model/number/holding.ts'
import { compareLocks } from '../../resource/model/number/lock-order.ts'
import { hasLimitedToken } from '../../resource/model/rule/token-use.ts'
import { LostRace } from '../../store/program.ts'
import type { Dialect, Strength } from '../../store/sql/text/dialect.ts'
import { noCaller, type RuleInputs } from '../../store/sql/text/sql-text.ts'
import type { Load } from '../../store/sql/write/write.ts'
import type { Program, StoredRow } from '../../store/store.ts'
import type { AdvisoryLock, LockedRow, LockedRows, MissedRows, WriteAttempt, WriteScope } from '../write-scope.ts'

/** For a record that the write names, or that its check reads. */
export const lockOf = (target: ResourceModel, scope: LockScope): Strength =>
  scope.attempt.runsEffects ? 'no key update' : endLockOf(target, scope)

/** For a record that code names, which it need not write. */
const codeLockOf = (target: ResourceModel, by: ResourceModel, scope: LockScope): Strength =>
  (scope.attempt.runsEffects && scope.attempt.isRepeated) || isHeldBy(by, target)
    ? 'no key update'
    : endLockOf(target, scope)

/** Its end may change kept numbers of holders, and uses of a token. */
const endLockOf = (target: ResourceModel, { actor, attempt }: LockScope): Strength =>
  attempt.resources.some((each) => isHeldBy(each, target)) || (codeHashOf(actor) !== null && hasLimitedToken(target))
    ? 'no key update'
    : 'share'
interface LockScope extends Pick<WriteScope, 'actor'> {
  readonly attempt: Pick<WriteAttempt, 'resources' | 'runsEffects' | 'isRepeated'>
}
type RowLockScope = Pick<WriteScope, 'statements' | 'dialect' | 'locks' | 'attempt'>

/**
 * Loads records, locked. Waits only for records that come after all that this transaction has locked, so that no two transactions
 * wait for each other. Otherwise throws LostRace if another transaction has one; the next run locks it first.
 */
export function* loadLocked(
  load: Omit<Load, 'lock'>,
  ruleInputs: RuleInputs,
  ids: readonly string[],
  strength: Strength,
  scope: RowLockScope,
): Program<readonly StoredRow[]> {
  const { resource } = load
  if (!locksRows(scope)) return yield scope.statements.load({ ...load, lock: null }, ruleInputs, ids)
  const open = openIds(ids, strength, scope)
  const lock = open.some((id) => isLate(resource, id, scope)) ? (`${strength} skip locked` as const) : strength
  const rows = yield scope.statements.load({ ...load, lock }, ruleInputs, ids)
  if (lock !== strength) {
    const found = new Set(rows.map(([id]) => id))
    const missing = open.filter((id) => !found.has(id))
    yield* requireGone(load, ruleInputs, missing, strength, scope)
  }
  noteLock(resource, open, strength, scope)
  return rows
}

/** Those that it has not locked already. */
export function* lockRecords(
  resource: ResourceModel,
  ids: Iterable<string>,
  strength: Strength,
  scope: RowLockScope,
): Program<void> {
  const open = locksRows(scope) ? openIds(ids, strength, scope).sort() : []
  if (open.length > 0) yield* loadLocked({ resource, conditions: [], columns: [] }, noCaller, open, strength, scope)
}

/** Returns the ids of those that do not exist. */
export function* lockNamedByCode(
  target: ResourceModel,
  named: readonly string[],
  by: ResourceModel,
  scope: RowLockScope & LockScope,
): Program<readonly string[]> {
  const ids = [...new Set(named)].sort()
  if (ids.length === 0) return ids
  const load = { resource: target, conditions: [], columns: [] }
  const rows = yield* loadLocked(load, noCaller, ids, codeLockOf(target, by, scope), scope)
  const found = new Set(rows.map(([id]) => id))
  return ids.filter((id) => !found.has(id))
}

/** Locks what earlier runs had locked and what they lacked, before anything else. */
export function* lockMissed(scope: RowLockScope): Program<void> {
  const missed = [...scope.attempt.missed].sort(([one], [other]) => compareLocks(one, other))
  for (const [resource, { ids, strength }] of missed) yield* lockRecords(resource, ids, strength, scope)
}

const openIds = (ids: Iterable<string>, strength: Strength, { locks }: Pick<WriteScope, 'locks'>): string[] =>
  [...ids].filter((id) => !locks.exclusive.has(id) && (strength !== 'share' || !locks.shared.has(id)))

/** Whether another transaction may wait for this one while this one waits for the record. */
export function isLate(resource: ResourceModel, id: string, { locks, dialect }: Pick<WriteScope, 'locks' | 'dialect'>) {
  if (!locksRows({ dialect }) || locks.last === null) return false
  return locks.last === 'end' || compare({ resource, id }, locks.last) <= 0
}

const compare = (one: LockedRow, other: LockedRow): number =>
  compareLocks(one.resource, other.resource) || (one.id < other.id ? -1 : Number(one.id > other.id))

/** Throws LostRace for those that others have locked. */
function* requireGone(
  load: Omit<Load, 'lock'>,
  ruleInputs: RuleInputs,
  ids: readonly string[],
  strength: Strength,
  scope: RowLockScope,
): Program<void> {
  if (ids.length === 0) return
  const { resource } = load
  const rows = yield scope.statements.load({ ...load, conditions: [], columns: [], lock: null }, ruleInputs, ids)
  const taken = rows.map(([id]) => id as string)
  if (taken.length > 0) throw missedLock(resource, taken, strength, scope)
}

export function noteLock(
  resource: ResourceModel,
  ids: Iterable<string>,
  strength: Strength,
  scope: Pick<WriteScope, 'locks'>,
): void {
  const open = openIds(ids, strength, scope)
  if (open.length === 0) return
  const { locks } = scope
  for (const id of open) (strength === 'share' ? locks.shared : locks.exclusive).add(id)
  locks.rows.push({ resource, ids: open, strength })
  if (locks.last === 'end') return
  for (const id of open)
    if (locks.last === null || compare({ resource, id }, locks.last) > 0) locks.last = { resource, id }
}

export const missedLock = (
  resource: ResourceModel,
  ids: readonly string[],
  strength: Strength,
  scope: Pick<WriteScope, 'locks' | 'attempt'>,
): LostRace => lostRace(scope, { rows: [{ resource, ids, strength }] })

/** The next run begins with these and with all that this one has locked. The failure is for when every run loses the race. */
export function lostRace(
  { locks, attempt }: Pick<WriteScope, 'locks' | 'attempt'>,
  { rows = [], advisory = [], takenKeys = [] }: Partial<Missed> = {},
): LostRace {
  const before = countLearned(attempt)
  for (const each of [...rows, ...locks.rows]) noteMissed(each, attempt)
  for (const [key, lock] of [...advisory, ...locks.advisory]) attempt.missedAdvisory.set(key, lock)
  for (const key of takenKeys) attempt.takenKeys.add(key)
  return new LostRace(new Failure('CONFLICT', { message: raceMessage }), countLearned(attempt) > before)
}
interface Missed {
  readonly rows: readonly LockedRows[]
  readonly advisory: readonly (readonly [string, AdvisoryLock])[]
  readonly takenKeys: readonly string[]
}

function countLearned({ missed, missedAdvisory, takenKeys }: WriteAttempt): number {
  let count = missedAdvisory.size + takenKeys.size
  for (const { ids, strength } of missed.values()) count += ids.size + (strength === 'share' ? 0 : 1)
  return count
}

function noteMissed({ resource, ids, strength }: LockedRows, attempt: WriteAttempt): void {
  const missed = getOrInsert(attempt.missed, resource, (): MissedRows => ({ ids: new Set(), strength }))
  // Code of the next run may write whatever it reads.
  if (strength !== 'share' || attempt.runsEffects) missed.strength = 'no key update'
  for (const id of ids) missed.ids.add(id)
}

const raceMessage = 'Others change the same records at the moment: send it again.'
export const isLostRace = ({ message }: Failure): boolean => message === raceMessage

export const locksRows = ({ dialect }: { readonly dialect: Dialect }): boolean => dialect.engine === 'postgres'
