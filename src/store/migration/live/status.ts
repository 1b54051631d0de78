// How far migrations are: who applies one, what is filled, which indexes are built, what was put aside.

import type { Schema } from '../../sql/schema/schema.ts'
import { dialectOf, quote } from '../../sql/text/dialect.ts'
import { bind, type Engine, type Program, query } from '../../store.ts'
import { otherInstances, runningInstances } from '../instances.ts'
import { introspect } from '../introspect.ts'
import { isLeased } from './lease.ts'
import { type Removed, removedThings } from './purge.ts'
import { rowsIn } from './rate.ts'

export interface MigrationStatus {
  readonly engine: Engine
  readonly instances: { readonly own: number; readonly others: number }
  readonly isApplying: boolean
  readonly fills: readonly { readonly name: string; readonly done: number; readonly rows: number }[]
  /** Missing or invalid ones of this definition. Percent of one that is being built, otherwise null. */
  readonly indexes: readonly { readonly name: string; readonly progress: number | null }[]
  readonly removed: readonly Removed[]
}

export function* readStatus(desired: Schema): Program<MigrationStatus> {
  const { engine, fingerprint, tables } = desired
  const others = yield* otherInstances(engine, fingerprint)
  const instances = { own: (yield* runningInstances(engine)) - others, others }
  const existing = yield* introspect(engine)
  const names = tables.flatMap(({ name, derived }) =>
    derived
      .filter((each) => existing.has(name) && !existing.has(each.name))
      .map((each) => ({ table: name, name: each.name })),
  )
  const missing = names.filter(({ table, name }) => existing.get(table)?.indexes.get(name)?.isValid !== true)
  const progress = yield* buildProgress(engine)
  const indexes = missing.map(({ name }) => ({ name, progress: progress.get(name) ?? null }))
  if (!existing.has('duet_migration')) return { engine, instances, isApplying: false, fills: [], indexes, removed: [] }
  return {
    engine,
    instances,
    isApplying: yield* isLeased(engine),
    fills: yield* fillProgress(engine),
    indexes,
    removed: yield* removedThings(engine),
  }
}

const fillRows = query(`select name, position from duet_migration where kind = 'fill' order by name`)

function* fillProgress(engine: Engine): Program<MigrationStatus['fills']> {
  const fills: { name: string; done: number; rows: number }[] = []
  for (const [name, position] of (yield bind(fillRows)) as readonly (readonly [string, string])[]) {
    const table = name.slice(0, name.indexOf('.'))
    const upTo = query(`select count(*) from ${quote(table)} where "id" <= ${dialectOf(engine).parameter(1)}`)
    const [[done]] = (yield bind(upTo, position)) as unknown as [[number]]
    fills.push({ name, done, rows: yield* rowsIn(engine, table) })
  }
  return fills
}

const building = query(
  `select c.relname, coalesce(100 * p.blocks_done / nullif(p.blocks_total, 0), 0)
    from pg_stat_progress_create_index p join pg_class c on c.oid = p.index_relid
    where p.datname = current_database() and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
)

/** Percent, by index that is being built. */
export function* buildProgress(engine: Engine): Program<ReadonlyMap<string, number>> {
  if (engine === 'sqlite') return new Map()
  return new Map((yield bind(building)).map(([name, percent]) => [String(name), Number(percent)]))
}
