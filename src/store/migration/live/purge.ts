// Drops what `apply --finish` has put aside, seven days later at the earliest.

import { quote } from '../../sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query } from '../../store.ts'
import type { Existing } from '../introspect.ts'
import { forget } from '../notes.ts'
import { removedName } from '../removed.ts'

export interface Removed {
  /** Such as `posts.subtitle`. */
  readonly loss: string
  readonly isDue: boolean
}

const daysMin = 7
const due: Readonly<Record<Engine, string>> = {
  sqlite: `at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${daysMin} days')`,
  postgres: `at < clock_timestamp() - interval '${daysMin} days'`,
}

/** What has been put aside and not restored. */
export function* removedThings(engine: Engine, existing: Existing): Program<readonly Removed[]> {
  if (!existing.has('duet_migration')) return []
  const rows = yield bind(query(`select name, ${due[engine]} from duet_migration where kind = 'removed' order by name`))
  return rows
    .map(([loss, isDue]) => ({ loss: String(loss), isDue: Boolean(isDue) }))
    .filter(({ loss }) => {
      const [table, column] = loss.split('.') as [string, string?]
      return column === undefined
        ? existing.has(removedName(table))
        : existing.get(table)?.columns.has(removedName(column)) === true
    })
}

/** For good. */
export function* purge(losses: readonly string[]): Program<void> {
  for (const loss of losses) {
    const [table, column] = loss.split('.') as [string, string?]
    const statement =
      column === undefined
        ? `drop table ${quote(removedName(table))}`
        : `alter table ${quote(table)} drop column ${quote(removedName(column))}`
    yield bind(command(statement))
    yield bind(command(forget('removed', loss)))
  }
}
