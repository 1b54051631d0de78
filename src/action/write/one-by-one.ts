// Decides and writes records one after the other if one may be refused for what the previous one changed. (contract 13.4.3)

import { Failure, placeFailure } from '../../failure/failure.ts'
import { isOneByOne, readsWhatItChanges } from '../../resource/model/rule/guard.ts'
import type { Program } from '../../store/store.ts'
import { replaceError } from '../replace-error.ts'
import { loadReadable } from '../row/load.ts'
import { requireStillAllowedNew } from '../target/create-target.ts'
import type { ChildPart, Part } from '../target/part.ts'
import type { CheckedWrite, PartTargets } from '../target/target-state.ts'
import type { WriteScope } from '../write-scope.ts'

export const isWrittenOneByOne = ({ targets }: PartTargets): boolean =>
  targets.length > 1 && targets.some(({ actions }) => actions.some(isOneByOne))

export const singleParts = ({ part, targets, touched }: PartTargets): readonly PartTargets[] =>
  targets.map((target, index) => ({
    part: partOf(part, index),
    targets: [target],
    touched: new Set(touched.has(index) ? [0] : []),
  }))

function partOf(part: Part | ChildPart, index: number): Part | ChildPart {
  const one = <T>(all: readonly T[]): readonly T[] => all.slice(index, index + 1)
  const single = { ...part, inputs: one(part.inputs), secrets: one(part.secrets) }
  return 'places' in part
    ? { ...single, places: one(part.places), parents: one(part.parents), ids: one(part.ids) }
    : single
}

/** Other records were written since the first check. Fails with FORBIDDEN. */
export function* requireStillAllowed(single: PartTargets, scope: WriteScope): Program<void> {
  const { part, targets } = single
  const { action, condition, fieldConditions } = part
  if (!readsWhatItChanges(action)) return
  if (action.kind === 'create') return yield* requireStillAllowedNew(single, scope)
  const ids = targets.map(({ id }) => id)
  const loaded = yield* loadReadable(action.resource, ids, [condition, ...fieldConditions], scope)
  if (loaded.some((each) => each === null || each.holds.includes(false))) throw new Failure('FORBIDDEN')
}

/** Failures name the indexes that records have in the request. */
export const inRequest = <T>({ indexes }: Pick<CheckedWrite, 'indexes'>, stage: Program<T>): Program<T> =>
  indexes === null
    ? stage
    : replaceError(stage, (error) => (error instanceof Failure ? atIndexes(error, indexes) : error))

function atIndexes(failure: Failure, indexes: readonly number[]): Failure {
  const { message, target, details } = failure
  const all = details ?? (target === undefined ? [] : [{ field: '', message, target }])
  if (all.length === 0) return failure
  const own = all.map((each) => (each.target === undefined ? each : { ...each, target: indexes[each.target]! }))
  return placeFailure(failure, { details: own, target: own[0]!.target })
}

/** Failures name the record's index. */
export const atIndex = <T>(index: number, stage: Program<T>): Program<T> =>
  replaceError(stage, (error) => {
    if (!(error instanceof Failure)) return error
    const { message, details = [{ field: '', message }] } = error
    return placeFailure(error, { target: index, details: details.map((each) => ({ ...each, target: index })) })
  })
