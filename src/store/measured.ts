// Measures reads and writes. Wraps the store only if metrics are on.

import type { Program, Store } from './store.ts'

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
  return {
    engine: store.engine,
    counts: store.counts,
    get waiting() {
      return store.waiting
    },
    read: <T>(program: Program<T>, deadline?: Parameters<Store['read']>[1]) =>
      timed('read', () => store.read(program, deadline)),
    write: <T>(program: () => Program<T>, options?: Parameters<Store['write']>[1]) =>
      timed('write', () => store.write(program, options)),
    runAlone: (...statement) => store.runAlone(...statement),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}
