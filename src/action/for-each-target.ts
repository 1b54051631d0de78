// Runs one stage of a write over all of its targets before the next begins. (contract 4.1)

import { type Detail, Failure } from '../failure/failure.ts'
import type { Program } from '../store/store.ts'

/**
 * Calls `step` for every target and answers what it answers. Where targets fail, all are tried, and the failure thrown
 * has the code of the first, tells its index as `target`, and has a detail for each that failed with that code.
 */
export function forEachTarget<T, R>(targets: readonly T[], step: (target: T, index: number) => R): R[] {
  const results: R[] = []
  const failures: [number, Failure][] = []
  for (let index = 0; index < targets.length; index++) {
    try {
      results.push(step(targets[index]!, index))
    } catch (error) {
      // Collected, so that a client learns of every target at once.
      if (!(error instanceof Failure)) throw error
      failures.push([index, error])
    }
  }
  if (failures.length > 0) throw together(failures, targets.length)
  return results
}

/** The same for steps that ask the database. */
export function* eachTargetInTurn<T, R>(
  targets: readonly T[],
  step: (target: T, index: number) => Program<R>,
): Program<R[]> {
  const results: R[] = []
  const failures: [number, Failure][] = []
  for (let index = 0; index < targets.length; index++) {
    try {
      results.push(yield* step(targets[index]!, index))
    } catch (error) {
      // As above.
      if (!(error instanceof Failure)) throw error
      failures.push([index, error])
    }
  }
  if (failures.length > 0) throw together(failures, targets.length)
  return results
}

function together(failures: readonly [number, Failure][], targets: number): Failure {
  const [index, first] = failures[0]!
  const details = failures
    .filter(([, failure]) => failure.code === first.code)
    .flatMap(([at, failure]) => detailsOf(at, failure, targets > 1))
  return new Failure(first.code, {
    message: first.message,
    target: index,
    ...(details.length === 0 ? {} : { details }),
  })
}

const detailsOf = (target: number, failure: Failure, isOneOfMany: boolean): readonly Detail[] =>
  failure.details?.map((each) => ({ ...each, target })) ??
  (isOneOfMany ? [{ field: '', message: failure.message, target }] : [])
