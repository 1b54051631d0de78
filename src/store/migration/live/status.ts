// How far migrations are: who applies one, what is filled, which indexes are built, what was put aside.

import type { Schema } from '../../sql/schema/schema.ts'
import { dialectOf, quote } from '../../sql/text/dialect.ts'
import { bind, type Engine, type Program, query } from '../../store.ts'
import { unconverted } from '../former-kind.ts'
import { otherInstances, runningInstances } from '../instances.ts'
import type { Existing } from '../introspect.ts'
import { notedNames, notesOf } from '../notes.ts'
import { readPairs } from '../work.ts'
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
  /** Columns of one field, each filled from the other, and some of the records whose value is in one alone. */
  readonly pairs: readonly { readonly name: string; readonly former: string; readonly unconverted: readonly string[] }[]
  /** Computed columns that an older version did not maintain: `apply --finish` computes them again. */
  readonly stale: readonly string[]
  readonly removed: readonly Removed[]
}

export function* readStatus(desired: Schema, existing: Existing): Program<MigrationStatus> {
  const { engine, fingerprint, tables } = desired
  const others = yield* otherInstances(engine, fingerprint)
  const instances = { own: (yield* runningInstances(engine)) - others, others }
  const names = tables.flatMap(({ name, derived }) =>
    derived
      .filter((each) => existing.has(name) && !existing.has(each.name))
      .map((each) => ({ table: name, name: each.name })),
  )
  const missing = names.filter(({ table, name }) => existing.get(table)?.indexes.get(name)?.isValid !== true)
  const progress = yield* buildProgress(engine)
  const indexes = missing.map(({ name }) => ({ name, progress: progress.get(name) ?? null }))
  return {
    engine,
    instances,
    isApplying: existing.has('duet_migration') && (yield* isLeased(engine)),
    fills: yield* fillProgress(engine, existing),
    indexes,
    pairs: yield* pairStates(existing),
    stale: [...(yield* notedNames('stale', existing))],
    removed: yield* removedThings(engine, existing),
  }
}

function* fillProgress(engine: Engine, existing: Existing): Program<MigrationStatus['fills']> {
  const fills: { name: string; done: number; rows: number }[] = []
  for (const [name, position] of yield* notesOf('fill', existing)) {
    const table = name.slice(0, name.indexOf('.'))
    const upTo = query(`select count(*) from ${quote(table)} where "id" <= ${dialectOf(engine).parameter(1)}`)
    const [[done]] = (yield bind(upTo, position)) as unknown as [[number]]
    fills.push({ name, done, rows: yield* rowsIn(engine, table) })
  }
  return fills
}

const idsMax = 5

function* pairStates(existing: Existing): Program<MigrationStatus['pairs']> {
  const pairs: MigrationStatus['pairs'][number][] = []
  for (const pair of yield* readPairs(existing)) {
    const { table, column, former } = pair
    pairs.push({ name: `${table}.${column}`, former, unconverted: yield* unconverted(pair, idsMax) })
  }
  return pairs
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
