// A store that tells of each statement. It stands before the real one only where somebody traces.

import type { BeginStatement, Traces } from '../observation/trace.ts'
import type { Bound, Pause, Program, Store, StoredRow } from './store.ts'

export function traceStore(store: Store, traces: Pick<Traces, 'statements'>): Store {
  const { engine } = store
  return {
    engine,
    counts: store.counts,
    get waiting() {
      return store.waiting
    },
    read<T>(program: Program<T>, deadline?: Parameters<Store['read']>[1]) {
      const begin = traces.statements()
      return store.read(begin === null ? program : traced(program, engine, begin), deadline)
    },
    write<T>(program: () => Program<T>, options?: Parameters<Store['write']>[1]) {
      // Asked now: a write may run in a later turn, with writes of others.
      const begin = traces.statements()
      return store.write(begin === null ? program : () => traced(program(), engine, begin), options)
    },
    ping: () => store.ping(),
    close: () => store.close(),
  }
}

/** The same program, with a span around each of its statements. */
function* traced<T>(program: Program<T>, engine: Store['engine'], begin: BeginStatement): Program<T> {
  let step = program.next([])
  while (step.done !== true) {
    const asked = step.value
    if ('pause' in asked) {
      step = yield* handedOn(pausing(asked, engine, begin), program, null)
      continue
    }
    const end = begin({ engine, sql: asked.statement.sql })
    step = yield* handedOn(asked, program, end)
  }
  return step.value
}

/** Asks for one thing on behalf of a program, and hands it what comes of it: rows, an error, or the end. */
function* handedOn<T>(
  asked: Bound | Pause,
  program: Program<T>,
  end: ReturnType<BeginStatement> | null,
): Generator<Bound | Pause, IteratorResult<Bound | Pause, T>, readonly StoredRow[]> {
  let isSettled = false
  try {
    const rows = yield asked
    isSettled = true
    end?.(rows.length, undefined)
    return program.next(rows)
  } catch (error) {
    if (isSettled) throw error
    isSettled = true
    end?.(null, error)
    return program.throw(error)
  } finally {
    // Whoever runs programs has given this one up.
    if (!isSettled) {
      end?.(null, undefined)
      program.return(undefined as T)
    }
  }
}

const pausing = ({ pause }: Pause, engine: Store['engine'], begin: BeginStatement): Pause => ({
  pause: (run) => pause((inner) => run(traced(inner, engine, begin))),
})
