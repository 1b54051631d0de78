// Traces statements. Wraps the store only if tracing is on.

import type { BeginStatement, Traces } from '../observation/trace.ts'
import { type AsyncStep, type Program, type Step, type Store, type StoredRow, withRuns } from './store.ts'

export function traceStore(store: Store, traces: Pick<Traces, 'statements'>): Store {
  const { engine } = store
  return withRuns(store, {
    read(program, deadline) {
      const begin = traces.statements()
      return store.read(begin === null ? program : traced(program, engine, begin), deadline)
    },
    write(program, options) {
      // Before the call: a write may run in a later turn, with others.
      const begin = traces.statements()
      return store.write(begin === null ? program : () => traced(program(), engine, begin), options)
    },
  })
}

function* traced<T>(program: Program<T>, engine: Store['engine'], begin: BeginStatement): Program<T> {
  let result = program.next([])
  while (result.done !== true) {
    const step = result.value
    if ('run' in step) {
      result = yield* forward(tracedStep(step, engine, begin), program, null)
      continue
    }
    const end = begin({ engine, sql: step.statement.sql })
    result = yield* forward(step, program, end)
  }
  return result.value
}

/** Yields one step for a program, and hands back rows, an error, or the end. */
function* forward<T>(
  step: Step,
  program: Program<T>,
  end: ReturnType<BeginStatement> | null,
): Generator<Step, IteratorResult<Step, T>, readonly StoredRow[]> {
  let isSettled = false
  try {
    const rows = yield step
    isSettled = true
    end?.(rows.length, undefined)
    return program.next(rows)
  } catch (error) {
    if (isSettled) throw error
    isSettled = true
    end?.(null, error)
    return program.throw(error)
  } finally {
    // The runner abandoned this program.
    if (!isSettled) {
      end?.(null, undefined)
      program.return(undefined as T)
    }
  }
}

const tracedStep = ({ run: work }: AsyncStep, engine: Store['engine'], begin: BeginStatement): AsyncStep => ({
  run: (run) => work((inner) => run(traced(inner, engine, begin))),
})
