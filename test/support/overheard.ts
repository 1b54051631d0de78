// Listens to what a service reads from its database while something is asked of it.

import type { Bound, Pause, Program } from '../../src/store/store.ts'
import type { TestService } from './service.ts'

export interface Overheard extends Bound {
  readonly rows: number
}

/** What `work` answers, and the statements that were read for it with how many rows each answered. */
export async function overhear<T>(
  { store }: TestService,
  work: () => Promise<T>,
): Promise<{ readonly statements: readonly Overheard[]; readonly answer: T }> {
  const heard: Overheard[] = []
  const { read } = store
  store.read = (program) => read.call(store, listenTo(program, heard)) as never
  try {
    const answer = await work()
    // Beside the request the service asks now and then who was denied since.
    return { statements: heard.filter(({ statement }) => !statement.sql.includes('duet_')), answer }
  } finally {
    store.read = read
  }
}

function* listenTo<T>(program: Program<T>, heard: Overheard[]): Program<T> {
  let next: IteratorResult<Bound | Pause, T> = program.next([])
  while (next.done !== true) {
    const rows = yield next.value
    if ('statement' in next.value) heard.push({ ...next.value, rows: rows.length })
    next = program.next(rows)
  }
  return next.value
}
