// Combines concurrent executions of a statement, which then cost little more than one.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { type Batching, command, query, type Statement, type StoredRow, type Value } from '../../store.ts'
import type { Dialect } from './dialect.ts'
import { isSame, type Prepared, type Source } from './sql-text.ts'

/** For a query by the parameter at `place`: `sql` finds rows for many keys, with the key as the last column. */
export const byKey = (sql: string, place: number, dialect: Dialect): Batching => ofKeys(query(sql), place, dialect)

/** For a command by the parameter at `place`: `sql` does the same for many keys. */
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

/** `sql` does the same for many, with the record's key in `column`. */
export const aboutKeys = (sql: string, place: number, column: number, dialect: Dialect): Batching => ({
  ...ofKeys(query(sql), place, dialect),
  split(rows, all) {
    const byKey = Map.groupBy(rows, (row) => row[column]!)
    return all.map((values) => byKey.get(values[place]!) ?? none)
  },
})

/** The last column is the index of the execution. */
export interface CombinedLists {
  readonly sql: string
  readonly varying: readonly number[]
  /** By index; a list if it varies, or a constant. */
  readonly values: readonly (CombinedValue | Value)[]
}
export interface CombinedValue {
  readonly place: number
}
/** Larger batches delay their first execution. */
const listsMax = 8

export function listsOf(lists: CombinedLists, dialect: Dialect): Batching {
  const { sql, varying, values: own } = lists
  const statement = query(sql)
  const isAlike = (one: readonly Value[], other: readonly Value[]) =>
    varying.every((place) => one[place] === other[place])
  const distinct = (all: readonly (readonly Value[])[]) =>
    all.filter((values, at) => all.findIndex((each) => isAlike(each, values)) === at)
  return {
    // GraphQL documents have statements of their own, shared by clients with other values.
    kind: JSON.stringify(lists),
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

/** Larger statements cost more to parse than they save. */
const inputsMax = 128

/** `many` makes one for several such inputs, whose first column is their index. */
export function ofInputs(one: readonly Source[], width: number, many: (count: number) => Prepared): Batching {
  const made = new Map<number, Prepared>()
  const placeOf = (source: Source) => one.findIndex((each) => isSame(each, source))
  return {
    key: (values) => values.filter((_, place) => one[place]!.from !== 'input'),
    maxSize: (count) => Math.min(count, inputsMax),
    combine(all) {
      // Powers of two, to prepare few statements: the last inputs are repeated.
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

/**
 * `into` is the start of the text, `types` those of its columns, for PostgreSQL: there the rows are one array per column, so that any
 * number of them is one statement.
 */
export function insertOf(into: string, types: readonly string[], dialect: Dialect): Statement {
  const row = (first: number) => `(${types.map((_, place) => dialect.parameter(first + place + 1)).join(', ')})`
  return command(
    `${into} values ${row(0)}`,
    dialect.engine === 'sqlite' ? ofRows(into, types.length, row) : ofColumns(into, types, dialect),
  )
}

/** Of a statement of SQLite. */
const variablesMax = 32_766

function ofRows(into: string, width: number, row: (first: number) => string): Batching {
  const rows = (count: number) =>
    `${into} values ${Array.from({ length: count }, (_, at) => row(at * width)).join(', ')}`
  const statements = new Map<number, Statement>()
  return {
    key: () => [],
    // Powers of two, to prepare few statements.
    maxSize: (count) => 2 ** Math.floor(Math.log2(Math.min(count, variablesMax / width))),
    combine(all) {
      const { length } = all
      return { statement: getOrInsert(statements, length, () => command(rows(length))), values: all.flat() }
    },
    split: (_, all) => all.map(() => none),
  }
}

function ofColumns(into: string, types: readonly string[], { parameter, keys }: Dialect): Batching {
  const names = types.map((_, place) => `c${place}`).join(', ')
  const arrays = types.map((type, place) => `${parameter(place + 1)}::${type}[]`).join(', ')
  const statement = command(
    `${into} select ${names} from unnest(${arrays}) with ordinality as k(${names}, place) order by place`,
  )
  return {
    key: () => [],
    maxSize: (count) => count,
    combine: (all) => ({ statement, values: types.map((_, place) => keys(all.map((values) => values[place]!))) }),
    split: (_, all) => all.map(() => none),
  }
}
