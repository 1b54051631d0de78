// Runs a stage of a write for all targets before the next stage. (contract 4.1)

import { type Detail, Failure, isUnavailable, placeFailure } from '../../failure/failure.ts'
import type { Program } from '../../store/store.ts'

/**
 * Returns the results of `step`. After a failure, tries the other targets, too; throws the first failure, with its index as
 * `target` and a detail for each failure of the same code.
 */
export function forEachTarget<T, R>(targets: readonly T[], step: (target: T, index: number) => R): R[] {
  const results: R[] = []
  const failures: [number, Failure][] = []
  for (let index = 0; index < targets.length; index++) {
    try {
      results.push(step(targets[index]!, index))
    } catch (error) {
      // A client learns of all failing targets at once.
      if (!(error instanceof Failure)) throw error
      failures.push([index, error])
    }
  }
  if (failures.length > 0) throw together(failures, targets.length)
  return results
}

/** For steps that may read the database. */
export function* eachTargetInTurn<T>(
  targets: readonly T[],
  step: (target: T, index: number) => Program<void>,
): Program<void> {
  const failures: [number, Failure][] = []
  for (const [index, target] of targets.entries()) {
    try {
      yield* step(target, index)
    } catch (error) {
      // The transaction answers no further statement.
      if (!(error instanceof Failure) || isUnavailable(error)) throw error
      failures.push([index, error])
    }
  }
  if (failures.length > 0) throw together(failures, targets.length)
}

function together(failures: readonly [number, Failure][], targets: number): Failure {
  const [index, first] = failures[0]!
  const details = failures
    .filter(([, failure]) => failure.code === first.code)
    .flatMap(([at, failure]) => detailsOf(at, failure, targets > 1))
  return placeFailure(first, { target: index, details: details.length === 0 ? undefined : details })
}

const detailsOf = (target: number, failure: Failure, isOneOfMany: boolean): readonly Detail[] =>
  failure.details?.map((each) => ({ ...each, target })) ??
  (isOneOfMany ? [{ field: '', message: failure.message, target }] : [])
