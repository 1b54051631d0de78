// Builds the indexes that a start has left while requests are served. (contract 18.1.10)

import { WakeLoop } from '../../concurrency/wake-loop.ts'
import type { Log } from '../../observation/log.ts'
import { Outage } from '../../observation/outage.ts'
import type { LaterIndexes } from '../../store/migration/live/start.ts'
import { buildProgress } from '../../store/migration/live/status.ts'
import { bind, type Program, query, type Store } from '../../store/store.ts'
import type { ReadPendingIndexes } from './health.ts'
import type { Shutdown } from './shutdown.ts'

const retryMs = 10_000

export function buildIndexes(
  { log, shutdown }: { readonly log: Log; readonly shutdown: Shutdown },
  store: Store,
  { names, build }: LaterIndexes,
): ReadPendingIndexes {
  const stopping = new AbortController()
  let isDone = false
  const loop = new WakeLoop({
    async work() {
      if (isDone) return
      await build((line) => log.info(line), stopping.signal)
      isDone = true
      log.info('The indexes are built.')
    },
    outage: new Outage(log, 'Indexes could not be built. Lists by them are slow until they are.'),
  })
  shutdown.defer(async () => {
    stopping.abort()
    await loop.stop()
  })
  log.info(`Builds ${names.length} indexes while requests are served.`)
  loop.start(retryMs)
  loop.wake()
  return async () => (isDone ? null : readPending(await store.read(state(names)), names.length))
}

const valid = query(
  `select count(*) from pg_index x join pg_class i on i.oid = x.indexrelid
    where i.relname = any($1) and x.indisvalid and i.relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
)

function* state(names: readonly string[]): Program<{ readonly built: number; readonly percent: number }> {
  const [[built]] = (yield bind(valid, `{${names.map((name) => JSON.stringify(name)).join()}}`)) as unknown as [
    [number],
  ]
  const progress = yield* buildProgress('postgres')
  return { built, percent: Math.max(0, ...names.map((name) => progress.get(name) ?? 0)) }
}

function readPending({ built, percent }: { readonly built: number; readonly percent: number }, count: number) {
  if (built === count) return null
  return { pending: count - built, progress: Math.floor(((built + percent / 100) / count) * 100) / 100 }
}
