// What migrations keep in the database: the lease of the one that runs, fills that have begun, what was removed; and instances.

import type { TableDefinition } from '../sql/schema/schema.ts'
import { literal } from '../sql/text/dialect.ts'
import { bind, type Engine, type Program, query } from '../store.ts'
import { createInstances } from './instances.ts'
import type { Existing } from './introspect.ts'

const columns = 'kind text not null, name text not null, position text not null'

export const migrationTables: TableDefinition = {
  create: {
    sqlite: [
      `create table if not exists duet_migration (${columns}, at text not null, primary key (kind, name)) without rowid`,
    ],
    postgres: [
      `create table if not exists duet_migration (${columns}, at timestamptz(3) not null, primary key (kind, name))`,
      createInstances,
    ],
  },
}

/** The clock of the database, in its statements. */
export const databaseNow = (engine: Engine): string =>
  engine === 'sqlite' ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" : 'clock_timestamp()'

type Kind = 'fill' | 'pair' | 'rate' | 'removed' | 'stale'

/** By name. */
export function* notesOf(kind: Kind, existing: Existing): Program<readonly (readonly [name: string, text: string])[]> {
  if (!existing.has('duet_migration')) return []
  const rows = query(`select name, position from duet_migration where kind = '${kind}' order by name`)
  return (yield bind(rows)).map(([name, text]) => [String(name), String(text)])
}

export function* notedNames(kind: Kind, existing: Existing): Program<ReadonlySet<string>> {
  return new Set((yield* notesOf(kind, existing)).map(([name]) => name))
}

/** `isLatest`: it replaces what was noted before. */
export function note(engine: Engine, kind: Kind, name: string, text: string, isLatest = false): string {
  const values = [kind, name, text].map(literal).join(', ')
  return (
    `insert into duet_migration (kind, name, position, at) values (${values}, ${databaseNow(engine)}) ` +
    `on conflict (kind, name) do ${isLatest ? 'update set position = excluded.position' : 'nothing'}`
  )
}

export const forget = (kind: Kind, name: string): string =>
  `delete from duet_migration where kind = '${kind}' and name = ${literal(name)}`
