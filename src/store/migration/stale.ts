// Columns that the service computes, next to a version that does not know them: what that one writes leaves them as they are, so
// that they are computed again when it has ended. (contract 13.2.9)

import type { Table, TableColumn } from '../sql/schema/schema.ts'
import { quote } from '../sql/text/dialect.ts'
import { forget, note } from './notes.ts'
import type { Step, Work } from './work.ts'

/** Notes that an older version runs; no statement if none does. Keys are as those of fills. */
export const markStale = ({ engine, isAlone }: Work, key: string): readonly string[] =>
  isAlone ? [] : [note(engine, 'stale', key, '')]

export const markFresh = ({ stale }: Work, key: string): readonly string[] =>
  stale.has(key) ? [forget('stale', key)] : []

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
