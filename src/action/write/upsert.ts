// Creates or replaces the records with these keys, and decides again which of them exist if another write came first. (contract 11.2)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { keyValues } from '../../resource/model/key.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import { isLockTimeout } from '../../store/program.ts'
import type { WriteStatements } from '../../store/sql/write/write-statements.ts'
import type { WriteOptions } from '../../store/store.ts'
import { authorizeActor, requireReadScope } from '../authorize.ts'
import type { Runner, Target, UpsertCall, UpsertInput, UpsertTarget, Write, WriteOutcome } from '../call.ts'
import type { RunnerContext } from '../context.ts'
import { type FindScope, findByKeys, withKey } from '../input/key.ts'
import { type InputReading, recordRoom } from '../input/list-input.ts'
import { CombinedViolation } from '../target/commit.ts'
import type { RequestPart } from '../target/target-state.ts'
import { takeCreateOnly } from './create-only.ts'
import type { Opening } from './transact.ts'

/** Several writes to one key may overtake each other in turn. */
const attemptsMax = 10
/**
 * How long the attempts at an upsert of many wait for a lock; later ones wait without limit. An insert waits for the record that
 * has its key while that is being changed, and an upsert may change one record and then insert another: two of them would wait for
 * each other, so they give up before PostgreSQL looks for deadlocks.
 */
const lockWaitsMs: readonly number[] = [50, 100, 200, 400]

/** How one attempt is made. */
export type UpsertMode = Pick<Opening, 'isSeparate'> & Pick<WriteOptions, 'lockWaitMs'>

export function createUpsert(
  { store, dialect, clock, limits }: RunnerContext,
  statements: WriteStatements,
  writeAll: (requests: readonly RequestPart[], mode: UpsertMode) => Promise<WriteOutcome>,
): Runner['upsert'] {
  return async (upsert) => {
    const { create, update, input, ...call } = upsert
    requireEither(create, update, call)
    requireReadScope(create.resource, call.actor)
    const sent = input()
    const problems = [...(sent.problems ?? []), ...repeatedKeys(sent.targets)]
    if (sent.targets.length === 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    const reading: UpsertReading = { create, update, names: call.vocabulary, actor: upsert.actor, limits }
    const find = () => {
      const scope: FindScope = { actor: upsert.actor, now: clock(), statements, dialect }
      const names = sent.targets.map(({ name }) => name)
      return store.read(findByKeys(create.resource, names, scope), call.deadline)
    }
    let ids = await find()
    let isSeparate = false
    let lateTimes = 0
    for (let attempt = 1; ; attempt++) {
      const lockWaitMs = ids.length > 1 ? lockWaitsMs[lateTimes] : undefined
      try {
        const parts = partsOf(ids, { ...sent, problems }, call, reading)
        return await writeAll(parts, { isSeparate, lockWaitMs })
      } catch (error) {
        const isCombined = error instanceof CombinedViolation
        const isLate = lockWaitMs !== undefined && isLockTimeout(error)
        const mustRepeat = isCombined || isLate
        if (isLate) lateTimes++
        if (!mustRepeat && (attempt >= attemptsMax || !mayHaveRaced(error, update))) throw error
        const next = await find()
        const isSame = next.every((id, index) => id === ids[index])
        if (isSame && !mustRepeat) throw error
        // Another unique value may be taken: only separate inserts show which.
        isSeparate = isCombined && (isSame || attempt + 1 >= attemptsMax)
        ids = next
      }
    }
  }
}

/** Fails as create if the actor may do neither. */
function requireEither(create: ActionModel, update: ActionModel, { actor }: Pick<UpsertCall, 'actor'>): void {
  const failures = [create, update].map((action) => {
    try {
      authorizeActor(action, actor)
      return null
    } catch (error) {
      // Used only if the other fails, too.
      return error
    }
  })
  if (failures.every((each) => each !== null)) throw failures[0]
}

/** Whether a concurrent create or delete may be the cause. */
const mayHaveRaced = (error: unknown, { resource }: ActionModel): boolean =>
  error instanceof Failure && (error.code === 'CONFLICT' || error.code === resource.notFound)

/** Two inputs for one record have no order. (contract 11.2.26) */
function repeatedKeys(targets: readonly UpsertTarget[]): readonly Detail[] {
  if (targets.length < 2) return []
  const first = new Map<string, number>()
  return targets.flatMap(({ name }, target) => {
    const values = keyValues(name)
    if (values === null) return []
    const before = getOrInsert(first, JSON.stringify([name.names, values.map(String)]), () => target)
    if (before === target) return []
    return [{ field: name.names.at(-1)!, message: `Is the key of the record with index ${before}.`, target }]
  })
}

interface UpsertReading extends Pick<InputReading, 'names' | 'actor' | 'limits'> {
  readonly create: ActionModel
  readonly update: ActionModel
}

/** What is replaced, and then what is created. */
function partsOf(
  ids: readonly (string | null)[],
  { targets, problems: former = [], idempotency }: UpsertInput,
  call: Omit<UpsertCall, 'create' | 'update' | 'input'>,
  reading: UpsertReading,
): readonly RequestPart[] {
  const problems = [...former]
  const isMany = targets.length > 1 || idempotency !== undefined
  const part = (action: ActionModel, isOf: (id: string | null) => boolean): RequestPart => {
    authorizeActor(action, call.actor)
    const indexes = [...targets.keys()].filter((index) => isOf(ids[index]!))
    const own = indexes.map((index) => targetOf(ids[index]!, targets[index]!, index, reading, problems))
    const write: Write = { ...call, action, replace: true, targets: own, problems, idempotency }
    return { call: write, indexes: isMany ? indexes : null }
  }
  const isNew = (id: string | null) => id === null
  const parts: RequestPart[] = []
  if (!ids.every(isNew)) parts.push(part(reading.update, (id) => !isNew(id)))
  if (ids.some(isNew)) parts.push(part(reading.create, isNew))
  return parts
}

function targetOf(
  id: string | null,
  { name, input, versions, otherThan }: UpsertTarget,
  index: number,
  { names, actor, limits, ...actions }: UpsertReading,
  problems: Detail[],
): Target {
  const action = id === null ? actions.create : actions.update
  const problem = (field: string, message: string) => void problems.push({ field, message, target: index })
  const whole = withKey(action, { input, isWhole: true }, name, names, problem)
  // Create validates the key's fields itself.
  if (id !== null) keyValues(name, (at, message) => problem(name.names[at]!, message))
  const condition = versions === undefined ? {} : { versions: versions === 'any' ? [] : versions }
  if (id === null) return { input: whole, ...condition }
  const exclusion = otherThan === undefined ? {} : { otherThan }
  const reading: InputReading = { names, actor, limits, room: recordRoom(limits.recordsPerWrite) }
  const own = takeCreateOnly(actions, whole, reading, problem)
  return { id, ...own, ...(versions === 'any' ? {} : condition), ...exclusion }
}
