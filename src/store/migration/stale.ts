// Columns that the service computes, next to a version that does not know them: what that one writes leaves them as they are, so
// that they are computed again when it has ended. (contract 13.2.9)

import type { Table, TableColumn } from '../sql/schema/schema.ts'
import { literal, quote } from '../sql/text/dialect.ts'
import { bind, type Program, query } from '../store.ts'
import type { Existing } from './introspect.ts'
import { databaseNow } from './live/lease.ts'
import type { Step, Work } from './work.ts'

const staleRows = query(`select name from duet_migration where kind = 'stale' order by name`)

/** Keys as those of fills. */
export function* staleKeys(existing: Existing): Program<ReadonlySet<string>> {
  if (!existing.has('duet_migration')) return new Set()
  return new Set((yield bind(staleRows)).map(([name]) => String(name)))
}

/** Notes that an older version runs; no statement if none does. */
export const markStale = ({ engine, isAlone }: Work, key: string): readonly string[] =>
  isAlone
    ? []
    : [
        `insert into duet_migration (kind, name, position, at) values ('stale', ${literal(key)}, '', ${databaseNow(engine)}) ` +
          'on conflict (kind, name) do nothing',
      ]

export const markFresh = ({ stale }: Work, key: string): readonly string[] =>
  stale.has(key) ? [`delete from duet_migration where kind = 'stale' and name = ${literal(key)}`] : []

/** How the step is made next to an older version, if that is possible. */
export const toleranceOf = (
  { isAlone }: Work,
  alone: string,
  isTolerant: boolean,
): Pick<Step, 'alone' | 'isTolerant'> => (isTolerant ? { isTolerant, ...(isAlone ? { alone } : {}) } : { alone })

/** Older versions write without it. It stays while they may run, and SQLite has no such statement. */
export const dropDefault = ({ engine, isAlone }: Work, table: Table, column: TableColumn): readonly string[] =>
  engine === 'postgres' && isAlone
    ? [`alter table ${quote(table.name)} alter column ${quote(column.name)} drop default`]
    : []
