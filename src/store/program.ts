// Runs programs for both adapters: hands them the rows of their statements, and decides what a failed statement means.

import { Failure, invariant } from '../failure/failure.ts'
import type { AsyncStep, Bound, Program, Run, Step, StoredRow } from './store.ts'

type Rows = readonly StoredRow[]
const noRows: Rows = []

/** A conflict with another transaction: running this one again from the start may succeed. */
export class LostRace extends Error {
  constructor(cause: unknown) {
    super('Another transaction was faster.', { cause })
  }
}

/** Runs a program to its end within this turn of the event loop. */
export function runNow<T>(program: Program<T>, execute: (bound: Bound) => Rows): T {
  let step = program.next(noRows)
  while (step.done !== true) {
    let rows: Rows
    // A failed statement ends the program, which may say why in its own words.
    try {
      rows = execute(asBound(step.value))
    } catch (error) {
      throw failProgram(program, error)
    }
    step = program.next(rows)
  }
  return step.value
}

/** Runs a program to its end, waiting for each statement. */
export async function runAwaiting<T>(program: Program<T>, execute: (step: Step) => Promise<Rows> | Rows): Promise<T> {
  let step = program.next(noRows)
  while (step.done !== true) {
    let rows: Rows
    // As in runNow.
    try {
      rows = await execute(step.value)
    } catch (error) {
      throw failProgram(program, error)
    }
    step = program.next(rows)
  }
  return step.value
}

/**
 * Throws the error of a failed statement into its program and ends it. Answers the error that the program makes of it, or
 * the same one.
 */
export function failProgram(program: Program<unknown>, error: unknown): unknown {
  // A lost race is no failure that a program could explain: it runs again.
  if (error instanceof LostRace) {
    program.return(undefined)
    return error
  }
  try {
    program.throw(error)
  } catch (explanation) {
    return explanation
  }
  program.return(undefined)
  return error
}

/** The statement of a step, where it may be nothing else. */
export function asBound(step: Step): Bound {
  invariant(!('run' in step), 'only an exclusive write may yield an asynchronous step')
  return step
}

/**
 * Runs a program that may yield asynchronous steps, as the whole of an open transaction. Rejects when anything failed that
 * was run in it, even where the program went on, and with SERVICE_UNAVAILABLE once `timeLimitMs` have passed.
 */
export async function runExclusive<T>(
  program: Program<T>,
  execute: (bound: Bound) => Promise<Rows> | Rows,
  timeLimitMs: number,
): Promise<T> {
  const transaction: { failure: StepFailure | null; isOpen: boolean } = { failure: null, isOpen: true }
  let last: Promise<unknown> = Promise.resolve()

  const executeOpen = (bound: Bound): Promise<Rows> | Rows => {
    invariant(transaction.isOpen, 'nothing runs in a transaction that has ended')
    if (transaction.failure !== null) throw transaction.failure.error
    return execute(bound)
  }
  // One after the other, even where the work does not wait for them: both engines then see one order.
  const run: Run = (inner) => {
    const result = last
      .then(() => runAwaiting(inner, (step) => executeOpen(asBound(step))))
      .catch((error) => {
        transaction.failure ??= { error }
        throw error
      })
    last = result.catch(() => undefined)
    return result
  }

  const limit = timeLimit(timeLimitMs)
  const runAsync = async (step: AsyncStep): Promise<Rows> => {
    const work = step.run(run).finally(() => last)
    const failure = await Promise.race([work, limit.passed]).then(
      () => transaction.failure,
      (error: unknown) => transaction.failure ?? { error },
    )
    if (failure !== null) throw failure.error
    return noRows
  }
  try {
    return await runAwaiting(program, (step) => ('run' in step ? runAsync(step) : executeOpen(step)))
  } finally {
    transaction.isOpen = false
    limit.cancel()
  }
}
interface StepFailure {
  readonly error: unknown
}

function timeLimit(ms: number): { readonly passed: Promise<never>; cancel(): void } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const timer = setTimeout(() => {
    reject(
      new Failure('SERVICE_UNAVAILABLE', {
        retryAfterSeconds: 1,
        cause: new Error(`No end after ${ms} milliseconds.`),
      }),
    )
  }, ms)
  return { passed: promise, cancel: () => clearTimeout(timer) }
}
