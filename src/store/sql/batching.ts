// How executions of one statement are combined into one, so that many at once cost the database and the driver little more
// than one of them.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Batching, command, query, type Statement, type StoredRow, type Value } from '../store.ts'
import type { Dialect } from './dialect.ts'
import { isSame, type Prepared, type Source } from './sql-text.ts'

/**
 * For a statement that finds one row by the parameter at `place`: `sql` finds the rows of many such keys, each with its
 * key as the last of its columns.
 */
export const byKey = (sql: string, place: number, dialect: Dialect): Batching => ofKeys(query(sql), place, dialect)

/** For a command about one row, that of the parameter at `place`: `sql` does the same to the rows of many such keys. */
export const toKeys = (sql: string, place: number, dialect: Dialect): Batching => ofKeys(command(sql), place, dialect)

function ofKeys(statement: Statement, place: number, dialect: Dialect): Batching {
  return {
    key: (values) => values.toSpliced(place, 1),
    maxSize: (count) => count,
    combine(all) {
      const keys = new Set(all.map((values) => values[place]!))
      return { statement, values: all[0]!.with(place, dialect.keys([...keys])) }
    },
    split(rows, all) {
      const byKey = new Map<Value, readonly StoredRow[]>(rows.map((row) => [row.at(-1)!, [row]]))
      return all.map((values) => byKey.get(values[place]!) ?? none)
    },
  }
}
const none: readonly StoredRow[] = []

/** For a statement about the record of the parameter at `place`: `sql` does the same to many such records, each row naming its own in this column. */
export const aboutKeys = (sql: string, place: number, column: number, dialect: Dialect): Batching => ({
  ...ofKeys(query(sql), place, dialect),
  split(rows, all) {
    const byKey = Map.groupBy(rows, (row) => row[column]!)
    return all.map((values) => byKey.get(values[place]!) ?? none)
  },
})

/** A statement that finds the lists of several executions: the last column of a row is the place of its execution, from 0. */
export interface CombinedLists {
  readonly sql: string
  /** Places of the values in which executions may differ. */
  readonly varying: readonly number[]
  /** Whether some values take much longer than others. */
  readonly isUneven: boolean
  /** What its own parameters are: the value at a place of the executions, a list of them where it varies, or a constant. */
  readonly values: readonly (CombinedValue | Value)[]
}
export interface CombinedValue {
  readonly place: number
}
/** More would keep the first of them waiting for the last. */
const listsMax = 8

/** For a statement that finds a list. */
export function listsOf(lists: CombinedLists, dialect: Dialect): Batching {
  const { sql, varying, values: own, isUneven } = lists
  const statement = query(sql)
  const isAlike = (one: readonly Value[], other: readonly Value[]) =>
    varying.every((place) => one[place] === other[place])
  const distinct = (all: readonly (readonly Value[])[]) =>
    all.filter((values, at) => all.findIndex((each) => isAlike(each, values)) === at)
  return {
    // A document that GraphQL is asked has statements of its own, and others ask the same of other values.
    kind: JSON.stringify(lists),
    isUneven,
    key: (values) => values.filter((_, place) => !varying.includes(place)),
    maxSize: (count) => Math.min(count, listsMax),
    combine(all) {
      const executions = distinct(all)
      const values = own.map((each) => {
        if (!isPlace(each)) return each
        return varying.includes(each.place)
          ? dialect.keys(executions.map((values) => values[each.place]!))
          : executions[0]![each.place]!
      })
      return { statement, values }
    },
    split(rows, all) {
      const executions = distinct(all)
      const lists: StoredRow[][] = executions.map(() => [])
      for (const row of rows) lists[row.at(-1) as number]!.push(row)
      return all.map((values) => lists[executions.findIndex((each) => isAlike(each, values))]!)
    },
  }
}

const isPlace = (value: CombinedValue | Value): value is CombinedValue =>
  typeof value === 'object' && value !== null && 'place' in value

/** More would have the database look at a statement longer than it saves. */
const inputsMax = 128

/**
 * For a statement that finds rows by so many inputs: `many` makes one that finds those of several such inputs, one after the other,
 * the first column of a row being the place of its inputs, from 0.
 */
export function ofInputs(one: readonly Source[], width: number, many: (count: number) => Prepared): Batching {
  const made = new Map<number, Prepared>()
  const placeOf = (source: Source) => one.findIndex((each) => isSame(each, source))
  return {
    key: (values) => values.filter((_, place) => one[place]!.from !== 'input'),
    maxSize: (count) => Math.min(count, inputsMax),
    combine(all) {
      // Powers of two, as for rows that are inserted: the last one stands for those that are missing.
      const size = 2 ** Math.ceil(Math.log2(all.length))
      const { statement, sources } = getOrInsert(made, size, () => many(size))
      const values = sources.map((source) => {
        if (source.from !== 'input') return all[0]![placeOf(source)]!
        const inputs = all[Math.min(Math.floor(source.index / width), all.length - 1)]!
        return inputs[placeOf({ from: 'input', index: source.index % width })]!
      })
      return { statement, values }
    },
    split(rows, all) {
      const lists: StoredRow[][] = all.map(() => [])
      for (const [place, ...row] of rows) lists[place as number]?.push(row)
      return lists
    },
  }
}

/** Inserts one row of so many values, in their order; `into` is how its text begins. */
export function insertOf(into: string, width: number, dialect: Dialect): Statement {
  const row = (first: number) =>
    `(${Array.from({ length: width }, (_, index) => dialect.parameter(first + index + 1)).join(', ')})`
  const rows = (count: number) =>
    `${into} values ${Array.from({ length: count }, (_, index) => row(index * width)).join(', ')}`
  const statements = new Map<number, Statement>()
  return command(rows(1), {
    key: () => [],
    // Powers of two: few statements to be prepared, however many rows there are.
    maxSize: (count) => 2 ** Math.floor(Math.log2(count)),
    combine(all) {
      const { length } = all
      return { statement: getOrInsert(statements, length, () => command(rows(length))), values: all.flat() }
    },
    split: (_, all) => all.map(() => none),
  })
}
