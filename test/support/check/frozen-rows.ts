// A store whose rows cannot be written into: executions that were batched share their rows, so whoever wrote into one would
// change the answers of others. In strict mode such a write throws.

import type { Program, Store, StoredRow } from '../../../src/store/store.ts'

export function freezeRows(store: Store): Store {
  return {
    engine: store.engine,
    counts: store.counts,
    get waiting() {
      return store.waiting
    },
    read: (program, deadline) => store.read(frozen(program), deadline),
    write: (program, options) => store.write(() => frozen(program()), options),
    runAlone: (statement) => store.runAlone(statement),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}

/** The same program, which is handed frozen rows. Those of asynchronous steps stay as they are. */
function* frozen<T>(program: Program<T>): Program<T> {
  let result = program.next([])
  while (result.done !== true) {
    let rows: readonly StoredRow[]
    try {
      rows = yield result.value
    } catch (error) {
      result = program.throw(error)
      continue
    }
    for (const row of rows) Object.freeze(row)
    result = program.next(Object.freeze(rows))
  }
  return result.value
}
