// Measures reads and writes. Wraps the store only if metrics are on.

import { type Store, withRuns } from './store.ts'

export interface StoreWatch {
  /** Seconds from call to end, waiting included, whether it succeeded or not. */
  done(kind: 'read' | 'write', seconds: number): void
}

export function measureStore(store: Store, watch: StoreWatch): Store {
  const timed = <T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = work()
    const done = () => watch.done(kind, (performance.now() - start) / 1000)
    result.then(done, done)
    return result
  }
  return withRuns(store, {
    read: (program, deadline) => timed('read', () => store.read(program, deadline)),
    write: (program, options) => timed('write', () => store.write(program, options)),
  })
}
