// Several of one statement asked as one: what many requests ask at once costs the database, and the driver, little more
// than what one of them asks.

import { type Batching, command, query, type Statement, type StoredRow, type Value } from '../store.ts'
import type { Dialect } from './dialect.ts'

/**
 * For a statement that finds one row by the parameter at `place`: `sql` finds the rows of many such keys, each with its
 * key as the last of its columns.
 */
export function byKey(sql: string, place: number, dialect: Dialect): Batching {
  const statement = query(sql)
  return {
    key: (values) => values.toSpliced(place, 1),
    maxSize: (count) => count,
    combine(all) {
      const keys = new Set(all.map((values) => values[place]!))
      return { statement, values: all[0]!.with(place, dialect.keys([...keys])) }
    },
    split(rows, all) {
      const found = new Map<Value, readonly StoredRow[]>(rows.map((row) => [row.at(-1)!, [row]]))
      return all.map((values) => found.get(values[place]!) ?? none)
    },
  }
}
const none: readonly StoredRow[] = []

/** What does for many rows of values what a statement does for those at these places of its own. */
export interface ManyText {
  readonly sql: string
  readonly places: readonly number[]
}
/** More would keep the first of them waiting for the last. */
const listsAtOnce = 8

/**
 * For a statement that finds a list: each row of `many` has the place of the values that it belongs to, from 0, as the last
 * of its columns. `fixed` are the last of its values, whatever is asked.
 */
export function listsOf({ sql, places }: ManyText, dialect: Dialect, fixed: readonly Value[] = []): Batching {
  const statement = query(sql)
  const isSame = (one: readonly Value[], other: readonly Value[]) =>
    places.every((place) => one[place] === other[place])
  const distinct = (all: readonly (readonly Value[])[]) =>
    all.filter((values, at) => all.findIndex((each) => isSame(each, values)) === at)
  return {
    key: (values) => values.filter((_, place) => !places.includes(place)),
    maxSize: (count) => Math.min(count, listsAtOnce),
    combine(all) {
      const distinctValues = distinct(all)
      const values = all[0]!.map((value, place) =>
        places.includes(place) ? dialect.keys(distinctValues.map((each) => each[place]!)) : value,
      )
      return { statement, values: [...values, ...fixed] }
    },
    split(rows, all) {
      const distinctValues = distinct(all)
      const lists: StoredRow[][] = distinctValues.map(() => [])
      for (const row of rows) lists[row.at(-1) as number]!.push(row)
      return all.map((values) => lists[distinctValues.findIndex((each) => isSame(each, values))]!)
    },
  }
}

/** Inserts one row of so many values, in their order; `into` is how it begins. */
export function insertOf(into: string, width: number, dialect: Dialect): Statement {
  const row = (first: number) =>
    `(${Array.from({ length: width }, (_, index) => dialect.parameter(first + index + 1)).join(', ')})`
  const rows = (count: number) =>
    `${into} values ${Array.from({ length: count }, (_, index) => row(index * width)).join(', ')}`
  const made = new Map<number, Statement>()
  return command(rows(1), {
    key: () => [],
    // Few statements to be prepared, however many rows there are.
    maxSize: (count) => 2 ** Math.floor(Math.log2(count)),
    combine(all) {
      const { length } = all
      return { statement: made.getOrInsertComputed(length, () => command(rows(length))), values: all.flat() }
    },
    split: (_, all) => all.map(() => none),
  })
}
