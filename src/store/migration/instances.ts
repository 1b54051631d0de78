// Which instances run. On PostgreSQL each renews a row, which a pooler keeps as well; SQLite has a single instance. (contract 18.1.9)

import { randomUUID } from 'node:crypto'
import type { Limits } from '../../limits.ts'
import { bind, command, type Engine, type Program, query, rowsOf, type Store } from '../store.ts'

/** By the database's clock. */
export const instanceSeconds = 20

/** Arbitrary application-specific advisory-lock key: "duet" in ASCII. */
const schemaLock = 0x64756574
/** Until the transaction ends, no other changes the schema this way, and no instance begins. */
export const lockSchema = query(`select 1 from (select pg_advisory_xact_lock(${schemaLock})) locked`)
const lockBeginning = query(`select 1 from (select pg_advisory_xact_lock_shared(${schemaLock})) locked`)

export const createInstances =
  'create table if not exists duet_instance (id text primary key, fingerprint text not null, at timestamptz(3) not null)'
const hasInstances = query(`select 1 where to_regclass('duet_instance') is not null`)
const renewRow = command(
  'insert into duet_instance (id, fingerprint, at) values ($1, $2, clock_timestamp()) ' +
    'on conflict (id) do update set at = clock_timestamp()',
)
const removeRow = command('delete from duet_instance where id = $1')
const removeDead = command(`delete from duet_instance where at < clock_timestamp() - interval '1 day'`)
const isAlive = `at > clock_timestamp() - interval '${instanceSeconds} seconds'`
const countOthers = query(`select count(*) from duet_instance where ${isAlive} and fingerprint <> $1`)
const countAll = query(`select count(*) from duet_instance where ${isAlive}`)

export interface RunningInstance {
  end(): Promise<void>
}

/**
 * To be called before the schema is compared: from then on no other version changes it incompatibly. A database that takes no
 * writes has no migrations either; the row follows.
 */
export async function beginInstance(
  store: Store,
  fingerprint: string,
  { instanceRenewMs }: Pick<Limits, 'instanceRenewMs'>,
): Promise<RunningInstance> {
  if (store.engine === 'sqlite') return { end: async () => {} }
  const id = randomUUID()
  const ignored = () => undefined
  await begin(store, id, fingerprint).catch(ignored)
  const renew = () => store.write(() => rowsOf(renewRow, id, fingerprint))
  const timer = setInterval(() => void renew().catch(ignored), instanceRenewMs).unref()
  return {
    async end() {
      clearInterval(timer)
      await store.write(() => rowsOf(removeRow, id)).catch(ignored)
    },
  }
}

async function begin(store: Store, id: string, fingerprint: string): Promise<void> {
  if ((await store.read(rowsOf(hasInstances))).length === 0)
    await store.write(
      function* () {
        yield bind(lockSchema)
        yield bind(command(createInstances))
      },
      { withoutTimeout: true },
    )
  await store.write(
    function* () {
      yield bind(lockBeginning)
      yield bind(removeDead)
      yield bind(renewRow, id, fingerprint)
    },
    { withoutTimeout: true },
  )
}

/** How many instances of other versions run. */
export const otherInstances = (engine: Engine, fingerprint: string): Program<number> =>
  count(engine, countOthers, fingerprint)

export const runningInstances = (engine: Engine): Program<number> => count(engine, countAll)

function* count(engine: Engine, ...[statement, ...values]: Parameters<typeof bind>): Program<number> {
  if (engine === 'sqlite' || (yield bind(hasInstances)).length === 0) return 0
  const [[instances]] = (yield bind(statement, ...values)) as unknown as [[number]]
  return Number(instances)
}
