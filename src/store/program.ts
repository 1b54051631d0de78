// Carries programs out for both adapters: hands them their rows, and decides what a failed statement means.

import { Failure, invariant } from '../failure/failure.ts'
import type { Bound, Pause, Program, Run, StoredRow } from './store.ts'

type Rows = readonly StoredRow[]
const noRows: Rows = []

/** Another transaction got in the way, and running this one again from the start may succeed. */
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
      throw inItsWords(error, program)
    }
    step = program.next(rows)
  }
  return step.value
}

/** Runs a program to its end, waiting for each statement. */
export async function runAwaiting<T>(
  program: Program<T>,
  answer: (asked: Bound | Pause) => Promise<Rows> | Rows,
): Promise<T> {
  let step = program.next(noRows)
  while (step.done !== true) {
    let rows: Rows
    // As in runNow.
    try {
      rows = await answer(step.value)
    } catch (error) {
      throw inItsWords(error, program)
    }
    step = program.next(rows)
  }
  return step.value
}

/** What a program makes of an error that one of its statements met. It has ended then. */
export function inItsWords(error: unknown, program: Program<unknown>): unknown {
  // A lost race is nobody's failure: the program runs again.
  if (error instanceof LostRace) {
    program.return(undefined)
    return error
  }
  try {
    program.throw(error)
  } catch (said) {
    return said
  }
  program.return(undefined)
  return error
}

/** A statement, where nothing else may be yielded. */
export function asBound(asked: Bound | Pause): Bound {
  invariant(!('pause' in asked), 'only a write that is alone may pause')
  return asked
}

/**
 * Runs a program that may pause, as the whole of an open transaction. Rejects when anything failed that was run in it,
 * even where the program went on, and with SERVICE_UNAVAILABLE once `timeLimitMs` have passed.
 */
export async function runPausing<T>(
  program: Program<T>,
  execute: (bound: Bound) => Promise<Rows> | Rows,
  timeLimitMs: number,
): Promise<T> {
  const open: { failed: Failed | null; ended: boolean } = { failed: null, ended: false }
  let last: Promise<unknown> = Promise.resolve()

  const answer = (asked: Bound): Promise<Rows> | Rows => {
    invariant(!open.ended, 'nothing runs in a transaction that has ended')
    if (open.failed !== null) throw open.failed.error
    return execute(asked)
  }
  // One after the other, whatever the work does not wait for: both engines then see one order.
  const run: Run = (inner) => {
    const result = last
      .then(() => runAwaiting(inner, (asked) => answer(asBound(asked))))
      .catch((error) => {
        open.failed ??= { error }
        throw error
      })
    last = result.catch(() => undefined)
    return result
  }

  const limit = timeLimit(timeLimitMs)
  const pause = async ({ pause: work }: Pause): Promise<Rows> => {
    const worked = work(run).finally(() => last)
    const failed = await Promise.race([worked, limit.passed]).then(
      () => open.failed,
      (error: unknown) => open.failed ?? { error },
    )
    if (failed !== null) throw failed.error
    return noRows
  }
  try {
    return await runAwaiting(program, (asked) => ('pause' in asked ? pause(asked) : answer(asked)))
  } finally {
    open.ended = true
    limit.cancel()
  }
}
interface Failed {
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
