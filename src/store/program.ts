// Runs programs for both adapters and maps failed statements.

import { Failure, invariant } from '../failure/failure.ts'
import type { AsyncStep, Bound, Program, Run, Step, StoredRow } from './store.ts'

type Rows = readonly StoredRow[]
const noRows: Rows = []

/** Running the transaction again may succeed. If it never does, the write fails with `cause` if that is a Failure. */
export class LostRace extends Error {
  /** The next run locks more from its start, so that it comes further. */
  readonly isNearer: boolean

  constructor(cause: unknown, isNearer = false) {
    super('Another transaction was faster.', { cause })
    this.isNearer = isNearer
  }
}

export const unavailable = (cause: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause })

/** A lock took longer than a transaction waits for one. */
export class LockTimeout extends Error {
  constructor(cause: unknown) {
    super('Another transaction has a lock.', { cause })
  }
}

export const isLockTimeout = (error: unknown): boolean => error instanceof Failure && error.cause instanceof LockTimeout

export const closed = (): Failure => unavailable(new Error('The database is closed.'))

export function runNow<T>(program: Program<T>, execute: (bound: Bound) => Rows): T {
  let step = program.next(noRows)
  while (step.done !== true) {
    let rows: Rows
    try {
      rows = execute(asBound(step.value))
    } catch (error) {
      throw failProgram(program, error)
    }
    step = program.next(rows)
  }
  return step.value
}

export async function runAwaiting<T>(program: Program<T>, execute: (step: Step) => Promise<Rows> | Rows): Promise<T> {
  let step = program.next(noRows)
  while (step.done !== true) {
    let rows: Rows
    try {
      rows = await execute(step.value)
    } catch (error) {
      throw failProgram(program, error)
    }
    step = program.next(rows)
  }
  return step.value
}

/** Throws the error into the program, ends it, and returns the resulting error. */
export function failProgram(program: Program<unknown>, error: unknown): unknown {
  // A lost race runs again; the program cannot replace it.
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

export function asBound(step: Step): Bound {
  invariant(!('run' in step), 'only an exclusive write may yield an asynchronous step')
  return step
}

/** Rejects if anything in it failed, even if the program went on, and with SERVICE_UNAVAILABLE after `timeLimitMs`. */
export async function runExclusive<T>(
  program: Program<T>,
  execute: (bound: Bound) => Promise<Rows> | Rows,
  timeLimitMs: number,
): Promise<T> {
  const transaction: { failure: StepFailure | null; isOpen: boolean } = { failure: null, isOpen: true }
  const limit = timeLimit(timeLimitMs)
  const runStep = (step: Step): Promise<Rows> | Rows => {
    invariant(transaction.isOpen, 'nothing runs in a transaction that has ended')
    if (transaction.failure !== null) throw transaction.failure.error
    return 'run' in step ? runAsync(step) : execute(step)
  }
  /** Even if the work does not await them. Nested work has a queue of its own. */
  const runAsync = async ({ run: work }: AsyncStep): Promise<Rows> => {
    let isOpen = true
    let last: Promise<unknown> = Promise.resolve()
    const run: Run = (inner) => {
      const result = last
        .then(() => {
          invariant(isOpen, 'nothing runs in a step that has ended')
          return runAwaiting(inner, runStep)
        })
        .catch((error) => {
          transaction.failure ??= { error }
          throw error
        })
      last = result.catch(() => undefined)
      return result
    }
    const end = async (): Promise<void> => {
      for (let awaited: unknown; awaited !== last; await awaited) awaited = last
      isOpen = false
    }
    const failure = await Promise.race([work(run).finally(end), limit.passed]).then(
      () => transaction.failure,
      (error: unknown) => transaction.failure ?? { error },
    )
    if (failure !== null) throw failure.error
    return noRows
  }
  try {
    return await runAwaiting(program, runStep)
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
  const timer = setTimeout(() => reject(unavailable(new Error(`No end after ${ms} milliseconds.`))), ms)
  return { passed: promise, cancel: () => clearTimeout(timer) }
}
