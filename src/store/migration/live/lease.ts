// Lets one process at a time migrate a database. A lease that is not renewed ends by the database's clock.

import { setTimeout as pause } from 'node:timers/promises'
import { dialectOf } from '../../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query, type Store } from '../../store.ts'
import { databaseNow, migrationTables } from '../notes.ts'

export interface Holder {
  readonly name: string
  /** Whether the holder of a lease is known to be gone. */
  isGone(name: string): boolean
}

export interface Lease {
  /** In a transaction of its holder: fails if another process has taken it. */
  renew(): Program<void>
  release(): Promise<void>
}

const leaseSeconds = 20
const renewMs = 5_000
const pollMs = 500

const end: Readonly<Record<Engine, string>> = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+${leaseSeconds} seconds')`,
  postgres: `clock_timestamp() + interval '${leaseSeconds} seconds'`,
}

export function* isLeased(engine: Engine): Program<boolean> {
  const lease = query(`select 1 from duet_migration where kind = 'lease' and at > ${databaseNow(engine)}`)
  return (yield bind(lease)).length > 0
}

/** Waits while another process has it. */
export async function takeLease(
  store: Store,
  { name, isGone }: Holder,
  wait: () => void,
  signal?: AbortSignal,
): Promise<Lease> {
  const { engine } = store
  const { parameter: p } = dialectOf(engine)
  const values = `('lease', 'lease', ${p(1)}, ${end[engine]})`
  const take = query(
    `insert into duet_migration (kind, name, position, at) values ${values} on conflict (kind, name) do update ` +
      `set position = ${p(1)}, at = ${end[engine]} where duet_migration.at < ${databaseNow(engine)} ` +
      `or duet_migration.position in (${p(1)}, ${p(2)}) returning position`,
  )
  const select = query(`select position from duet_migration where kind = 'lease'`)
  function* attempt(): Program<boolean> {
    const [row] = yield bind(select)
    const other = row === undefined ? '' : String(row[0])
    return (yield bind(take, name, other !== '' && isGone(other) ? other : name)).length > 0
  }
  await store.write(function* () {
    for (const each of migrationTables.create[engine]) yield bind(command(each))
  })
  for (let isFirst = true; !(await store.write(attempt)); isFirst = false) {
    if (isFirst) wait()
    await pause(pollMs, undefined, { signal })
  }
  const extend = query(
    `update duet_migration set at = ${end[engine]} where kind = 'lease' and position = ${p(1)} returning position`,
  )
  function* renew(): Program<void> {
    if ((yield bind(extend, name)).length === 0) throw new Error('Another process has taken over this migration.')
  }
  // A statement may take longer than the lease. A loss shows with the next step.
  const timer = setInterval(() => void store.write(renew).catch(() => undefined), renewMs).unref()
  return {
    renew,
    async release() {
      clearInterval(timer)
      const remove = command(`delete from duet_migration where kind = 'lease' and position = ${p(1)}`)
      await store.write(function* () {
        yield bind(remove, name)
      })
    },
  }
}
