// Several of one statement asked as one: what many requests ask at once costs the database, and the driver, little more
// than what one of them asks.

import { command, query, type Statement, type StoredRow, type Together, type Value } from '../store.ts'
import type { Dialect } from './dialect.ts'

/**
 * For a statement that finds rows by the parameter at `place`: `sql` finds those of many such keys, each row with its key as
 * the last of its columns. `fixed` are the last of its values, whatever is asked.
 */
export function byKey(
  sql: string,
  place: number,
  dialect: Dialect,
  atOnce: number = Number.POSITIVE_INFINITY,
  fixed: readonly Value[] = [],
): Together {
  const statement = query(sql)
  return {
    alike: (values) => (values.length === 1 ? '' : JSON.stringify(values.toSpliced(place, 1))),
    atOnce: (count) => Math.min(count, atOnce),
    ask(all) {
      const keys = new Set(all.map((values) => values[place] as string))
      return { statement, values: [...all[0]!.with(place, dialect.keys([...keys])), ...fixed] }
    },
    answers(rows, all) {
      const found = new Map<Value, StoredRow[]>()
      let key: Value = null
      let group: StoredRow[] = []
      // Rows of one key stand together.
      for (const row of rows) {
        if (row.at(-1) !== key) {
          key = row.at(-1)!
          group = []
          found.set(key, group)
        }
        group.push(row)
      }
      return all.map((values) => found.get(values[place]!) ?? none)
    },
  }
}
const none: readonly StoredRow[] = []

/** Inserts one row of so many values, in their order; `into` is how it begins. */
export function insertOf(into: string, width: number, dialect: Dialect): Statement {
  const row = (first: number) =>
    `(${Array.from({ length: width }, (_, index) => dialect.parameter(first + index + 1)).join(', ')})`
  const rows = (count: number) =>
    `${into} values ${Array.from({ length: count }, (_, index) => row(index * width)).join(', ')}`
  const made = new Map<number, Statement>()
  return command(rows(1), {
    alike: () => '',
    // Few statements to be prepared, however many rows there are.
    atOnce: (count) => 2 ** Math.floor(Math.log2(count)),
    ask(all) {
      const { length } = all
      return { statement: made.getOrInsertComputed(length, () => command(rows(length))), values: all.flat() }
    },
    answers: (_, all) => all.map(() => none),
  })
}
