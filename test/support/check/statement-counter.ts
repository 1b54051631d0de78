// Listens to what a service asks of its database while something is asked of it. What earlier writes woke is over by then,
// and its polls have to be off.

import type { Limits } from '../../../src/limits.ts'
import { quote } from '../../../src/store/sql/text/dialect.ts'
import type { Bound, Program, Step, StoreCounts } from '../../../src/store/store.ts'
import { type ServiceOptions, type TestService, withService } from '../server/service.ts'

export interface Overheard extends Bound {
  readonly rows: number
}

/** Nothing is asked of the database just because time passes. */
export const quiet = {
  eventPollMs: 2 ** 31 - 1,
  noticesMs: 2 ** 31 - 1,
  instanceRenewMs: 2 ** 31 - 1,
  holderWatchMs: 2 ** 31 - 1,
  duePollMs: 2 ** 31 - 1,
  sweepSeconds: 2_000_000,
} as const satisfies Partial<Limits>

export const withQuietService = (
  title: string,
  suite: (service: () => TestService) => void,
  options: ServiceOptions = {},
): void => withService(title, suite, { ...options, limits: { ...options.limits, ...quiet } })

/** What `work`, which writes nothing, costs the database. */
export async function cost({ store, settled }: TestService, work: () => Promise<unknown>): Promise<StoreCounts> {
  await settled()
  const { statements, rows, transactions } = store.counts
  await work()
  const { counts } = store
  return {
    statements: counts.statements - statements,
    rows: counts.rows - rows,
    transactions: counts.transactions - transactions,
  }
}
export const nothing: StoreCounts = { statements: 0, rows: 0, transactions: 0 }

/** What `work` answers, and the statements that read records for it with how many rows each answered. */
export async function overhear<T>(
  { store, settled, model }: TestService,
  work: () => Promise<T>,
): Promise<{ readonly statements: readonly Overheard[]; readonly answer: T }> {
  await settled()
  const heard: Overheard[] = []
  const tables = model.resources.map(({ table }) => quote(table))
  const { read } = store
  store.read = (program) => read.call(store, listenTo(program, heard)) as never
  try {
    const answer = await work()
    // Where something is written, its event is read, too.
    return { statements: heard.filter(({ statement: { sql } }) => tables.some((each) => sql.includes(each))), answer }
  } finally {
    store.read = read
  }
}

/** What `work` asks of records, reads and writes. */
export async function overhearAll(service: TestService, work: () => Promise<unknown>): Promise<readonly Overheard[]> {
  const heard: Overheard[] = []
  const { store } = service
  const { write } = store
  store.write = (run, ...more) => write.call(store, () => listenTo(run(), heard), ...more) as never
  try {
    return [...(await overhear(service, work)).statements, ...heard]
  } finally {
    store.write = write
  }
}

/** Calls `note` with each statement, read or write, before the store runs it. */
export async function noteStatements(
  { store }: TestService,
  note: (sql: string) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  function* noteIn<T>(program: Program<T>): Program<T> {
    let next: IteratorResult<Step, T> = program.next([])
    while (next.done !== true) {
      if ('statement' in next.value) note(next.value.statement.sql)
      next = program.next(yield next.value)
    }
    return next.value
  }
  const { read, write } = store
  store.read = (program) => read.call(store, noteIn(program)) as never
  store.write = (run, ...more) => write.call(store, () => noteIn(run()), ...(more as [])) as never
  try {
    await work()
  } finally {
    Object.assign(store, { read, write })
  }
}

function* listenTo<T>(program: Program<T>, heard: Overheard[]): Program<T> {
  let next: IteratorResult<Step, T> = program.next([])
  while (next.done !== true) {
    const rows = yield next.value
    if ('statement' in next.value) heard.push({ ...next.value, rows: rows.length })
    next = program.next(rows)
  }
  return next.value
}
